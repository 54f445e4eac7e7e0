"""A file (or bytes in memory) as plain UTF-8 blocks, lines or one text: unzipped, without a byte order mark, bounded
in size."""

import codecs
import io
import os
import re
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from explainer.results.text import clean

BLOCK = 1 << 20
SAMPLE = 256 << 10
# One run of a tool that writes a run a line; of a hundred thousand requests that is some hundred MB.
LONGEST_LINE = 512 << 20
LARGEST_DOCUMENT = 2 << 30
_KEY = re.compile(rb'"([^"\\\n]{1,80})"[ \t]*:')


class Unreadable(Exception):
    """One sentence for a person: the file, what was expected, what to do."""


@dataclass(frozen=True)
class Sample:
    """The first 256 KiB of a file's text: enough to tell which tool wrote it, and all that is read of a file that no
    tool wrote."""

    text: bytes

    @cached_property
    def keys(self) -> frozenset[str]:
        """Names of JSON members anywhere in the sample."""
        return frozenset(key.decode("utf-8", "replace") for key in _KEY.findall(self.text))

    @cached_property
    def start(self) -> str:
        """The first character that is not white space, '' in an empty file."""
        return self.text.lstrip()[:1].decode("latin-1")

    @cached_property
    def header(self) -> str:
        """The first line that is not blank."""
        return self.text.lstrip().split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "replace")

    def has(self, *keys: str) -> bool:
        """Whether the sample is JSON and names every one of these members."""
        return self.start in ("{", "[") and self.keys.issuperset(keys)


class Source:
    """Where a run's text comes from; progress(done, total) is told how many stored bytes were read."""

    def __init__(
        self, path: str | os.PathLike | None, data: bytes | None = None, name: str | None = None, progress=None
    ):
        self.path = None if path is None else Path(path)
        self.name = clean(name if name is not None else str(path))
        self._data = data
        self._progress = progress
        self.damage: str | None = None

    @cached_property
    def sample(self) -> Sample:
        """The beginning of the text; raises Unreadable where there is none."""
        parts, size = [], 0
        for block in self.blocks(quiet=True):
            parts.append(block)
            size += len(block)
            if size >= SAMPLE:
                break
        sample = Sample(b"".join(parts)[:SAMPLE])
        if not sample.text.strip():
            raise Unreadable(
                f"{self.name}: the file is empty, so there is no request in it; check that the load test had finished."
            )
        return sample

    def _open(self):
        if self._data is not None:
            return io.BytesIO(self._data), len(self._data)
        try:
            information = os.stat(self.path)
            if stat.S_ISDIR(information.st_mode):
                raise Unreadable(f"{self.name}: this is a folder, and a file was expected.")
            if not stat.S_ISREG(information.st_mode):
                raise Unreadable(f"{self.name}: this is no regular file; save the results to a file and name that.")
            return open(self.path, "rb", buffering=0), information.st_size
        except FileNotFoundError:
            raise Unreadable(f"{self.name}: there is no such file; check the name and the folder.") from None
        except PermissionError:
            raise Unreadable(f"{self.name}: you may not read this file; ask for the right to, or copy it.") from None
        except (OSError, ValueError) as problem:
            raise Unreadable(f"{self.name}: the file cannot be opened ({clean(str(problem))}).") from None

    def blocks(self, quiet: bool = False) -> Iterator[bytes]:
        """The text as UTF-8 blocks: gzip is told by its first bytes, UTF-16 and UTF-8 marks by theirs."""
        self.damage = None
        stream, total = self._open()
        try:
            raw = self._raw(stream, total, quiet)
            first = next(raw, b"")
            if first[:2] == b"\x1f\x8b":
                raw = self._gunzip(first, raw)
                first = next(raw, b"")
            # A multi-byte mark can be split only by a first block of one or two bytes, which no file of results has.
            if first[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
                decoder = codecs.getincrementaldecoder("utf-16")("replace")
                yield decoder.decode(first).encode()
                for block in raw:
                    yield decoder.decode(block).encode("utf-8", "replace")
                return
            yield first.removeprefix(codecs.BOM_UTF8)
            yield from raw
        finally:
            stream.close()

    def _raw(self, stream, total: int, quiet: bool) -> Iterator[bytes]:
        done = 0
        while True:
            try:
                block = stream.read(BLOCK)
            except OSError as problem:
                raise Unreadable(f"{self.name}: reading stopped ({clean(str(problem))}).") from None
            if not block:
                return
            done += len(block)
            if self._progress and not quiet:
                self._progress(done, total)
            yield block

    def _gunzip(self, first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
        decoder, block, ended = zlib.decompressobj(wbits=31), first, False
        try:
            while block or (block := next(rest, b"")):
                out = decoder.decompress(block, BLOCK)
                block, ended = decoder.unconsumed_tail, decoder.eof
                if out:
                    yield out
                if ended:
                    block = decoder.unused_data or next(rest, b"")
                    if block.startswith(b"\x1f\x8b"):
                        decoder, ended = zlib.decompressobj(wbits=31), False
                    else:
                        block = b""
                        break
        except zlib.error:
            ended = False
        if not ended:
            self.damage = "the compressed data is damaged or cut"

    def lines(self) -> Iterator[bytes]:
        """The lines without their ends; the last one also where its end is missing."""
        parts: list[bytes] = []
        held = 0
        for block in self.blocks():
            pieces = block.split(b"\n")
            if len(pieces) > 1:
                parts.append(pieces[0])
                yield b"".join(parts)
                yield from pieces[1:-1]
                parts, held = [], 0
            parts.append(pieces[-1])
            held += len(pieces[-1])
            if held > LONGEST_LINE:
                raise Unreadable(
                    f"{self.name}: one line is longer than {LONGEST_LINE >> 20} MiB; a file with one request a line was"
                    " expected."
                )
        yield b"".join(parts)

    def whole(self) -> bytes:
        """All of the text, for the tools that write one document."""
        parts, size = [], 0
        for block in self.blocks():
            parts.append(block)
            size += len(block)
            if size > LARGEST_DOCUMENT:
                raise Unreadable(
                    f"{self.name}: one document of more than 2 GiB cannot be read; split the run into several files."
                )
        return b"".join(parts)
