"""Files, folders and globs in; runs out. The tool is told by a file's content, and a summary beside its rows is only
the tool's word."""

import csv
import gc
import glob
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from explainer.results import (
    aiperf,
    genai_bench,
    genai_perf,
    guidellm,
    inference_perf,
    inferencex,
    llmperf,
    plain,
    sglang,
    totals,
    vllm,
)
from explainer.results.columns import expected
from explainer.results.source import Source, Unreadable
from explainer.results.summary import Summary
from explainer.results.table import RequestTable
from explainer.results.text import counted

Run = RequestTable | Summary
# In this order: a later reader asks for fewer names. Totals and plain tables come last, for the tools' files have
# names like theirs.
READERS = (aiperf, genai_perf, guidellm, inference_perf, genai_bench, llmperf, sglang, vllm, inferencex)
_MANY_FILES = 10_000
_LARGEST_COMPANION = 16 << 20


@dataclass
class Loaded:
    """runs; problems: a sentence for each file that could not be read; skipped: names of files that hold no
    requests."""

    runs: list[Run] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Read:
    path: Path
    runs: list[Run]


def read_source(source: Source, columns: dict[str, str] | None = None, decimal: str | None = None) -> list[Run]:
    """The runs in one file or one text; raises Unreadable with a sentence. columns: {our name: theirs}; decimal: '.'
    or ','."""
    sample = source.sample
    if not columns:
        for reader in READERS:
            if reader.recognises(sample):
                return _guarded(source, reader.read)
    if plain.recognises(sample, columns):
        return _guarded(source, lambda known: plain.read(known, columns, decimal))
    if totals.recognises(sample):
        return _guarded(source, totals.read)
    raise _Unrecognised(
        f"{source.name}: {_foreign(sample.text)}. Expected are per-request records of AIPerf, GenAI-Perf, GuideLLM,"
        " vLLM, SGLang, inference-perf, LLMPerf, genai-bench or InferenceX, or a table with the columns"
        f" {', '.join(expected())} (times also in _ms, _us, _ns; map names of your own with --columns)."
    )


class _Unrecognised(Unreadable):
    pass


def _guarded(source: Source, read: Callable[[Source], list[Run]]) -> list[Run]:
    """A reader's answer; a file whose parts have other types than its tool writes is a damaged file, not a crash."""
    collecting = gc.isenabled()
    # Records are many small objects without a cycle: looking through them again and again costs a fifth of the time.
    gc.disable()
    try:
        return read(source)
    except (
        TypeError,
        ValueError,
        KeyError,
        IndexError,
        AttributeError,
        OverflowError,
        ZeroDivisionError,
        RecursionError,
        csv.Error,
    ) as problem:
        raise Unreadable(
            f"{source.name}: the file looks like a known tool's, but its parts do not fit together "
            f"({type(problem).__name__}); it is damaged or from a version that is not known: export it again."
        ) from None
    except MemoryError:
        raise Unreadable(f"{source.name}: the file does not fit into this machine's memory; split the run.") from None
    finally:
        if collecting:
            gc.enable()


def _foreign(text: bytes) -> str:
    if text.startswith(b"SQLite format 3"):
        return "this is a database (evalscope keeps one), which is not read"
    if b"\0" in text[:4096]:
        return "this is binary data, which no load-test tool writes"
    if text.lstrip()[:1] in (b"{", b"["):
        return "this is JSON, but of no load-test tool that is known, or a part without requests"
    return "this is text, but no results of a load-test tool that is known"


def load(
    inputs: Iterable[str],
    columns: dict[str, str] | None = None,
    decimal: str | None = None,
    progress: Callable[[str], Callable[[int, int], None]] | None = None,
) -> Loaded:
    """Every run that the inputs (files, folders, globs) hold. progress(name) gives that file's progress(done,
    total)."""
    loaded, read, unrecognised = Loaded(), [], {}
    named: dict[Path, bool] = {}
    for text in inputs:
        for path, chosen in _expand(text, loaded.problems):
            named[path] = named.get(path, False) or chosen
    for path, chosen in named.items():
        source = Source(path, progress=progress(path.name) if progress else None)
        try:
            read.append(_Read(path, read_source(source, columns, decimal)))
        except Unreadable as problem:
            if (
                isinstance(problem, _Unrecognised)
                or not chosen
                and str(problem).startswith(f"{source.name}: the file is empty")
            ):
                unrecognised[path] = (str(problem), chosen)
            else:
                loaded.problems.append(str(problem))
    loaded.runs = _with_companions(read, named)
    homes = {item.path.parent for item in read}
    for path, (sentence, chosen) in unrecognised.items():
        if chosen and path.parent not in homes or not loaded.runs and len(unrecognised) == 1:
            loaded.problems.append(sentence)
        else:
            loaded.skipped.append(str(path))
    if not loaded.runs and not loaded.problems:
        loaded.problems.append(
            f"{', '.join(inputs)}: none of {counted(len(loaded.skipped), 'file')} holds requests of a load test that is"
            " known."
        )
    return loaded


def _expand(text: str, problems: list[str]) -> list[tuple[Path, bool]]:
    """The files behind one input, and whether the user chose each by name and not by a folder or a glob."""
    try:
        if os.path.isdir(text):
            found, chosen = _files_in(text), False
        elif os.path.lexists(text) or not glob.has_magic(text):
            return [(Path(text), True)]
        else:
            matches = sorted(glob.glob(text, recursive=True))
            found, chosen = [
                path for match in matches for path in (_files_in(match) if os.path.isdir(match) else [Path(match)])
            ], False
    except (OSError, ValueError):
        problems.append(f"{text!r}: this name cannot be looked up.")
        return []
    if len(found) > _MANY_FILES:
        problems.append(f"{text}: {len(found):,} files are too many to look through; name the run's own folder.")
        return []
    if not found:
        problems.append(f"{text}: no file is there; check the folder or the pattern.")
    return [(path, chosen) for path in found]


def _files_in(folder: str) -> list[Path]:
    return sorted(Path(parent) / name for parent, _, names in os.walk(folder) for name in names)


def _with_companions(read: list[_Read], named: dict[Path, bool]) -> list[Run]:
    """The runs, each table with the word of the summaries in its folder; such summaries are no runs of their own."""
    tables = [(item.path, run) for item in read for run in item.runs if isinstance(run, RequestTable)]
    summaries = [(item.path, run) for item in read for run in item.runs if isinstance(run, Summary)]
    for folder in {path.parent for path, _ in tables}:
        summaries += [(path, run) for path in _companions(folder) if path not in named for run in _quietly(path)]
    runs: list[Run] = []
    for path, table in tables:
        beside = [run for other, run in summaries if other.parent == path.parent and run.facts.tool == table.facts.tool]
        alone = sum(home.parent == path.parent and run.facts.tool == table.facts.tool for home, run in tables) == 1
        runs.append(_informed(table, beside) if alone else table)
    homes = {(path.parent, table.facts.tool) for path, table in tables}
    return runs + [run for path, run in summaries if (path.parent, run.facts.tool) not in homes]


def _companions(folder: Path) -> list[Path]:
    try:
        return [
            path
            for path in sorted(folder.glob("*.json"))[:50]
            if path.is_file() and path.stat().st_size <= _LARGEST_COMPANION
        ]
    except OSError:
        return []


def _quietly(path: Path) -> list[Summary]:
    """The summaries in a file that nobody named: one that cannot be read is none."""
    try:
        return [run for run in read_source(Source(path)) if isinstance(run, Summary)]
    except Unreadable:
        return []


def _informed(table: RequestTable, beside: list[Summary]) -> RequestTable:
    """The table with what only the summaries know: the tool's word, its settings and its totals."""
    facts = table.facts
    for summary in sorted(
        beside, key=lambda run: (run.facts.report is None, -run.attempted if run.attempted == run.attempted else 0)
    ):
        known = summary.facts
        facts = replace(
            facts,
            version=facts.version or known.version,
            model=facts.model or known.model,
            concurrency=known.concurrency if facts.concurrency != facts.concurrency else facts.concurrency,
            rate=known.rate if facts.rate != facts.rate else facts.rate,
            duration=known.duration if facts.duration != facts.duration else facts.duration,
            stated={**known.stated, **facts.stated},
            report=known.report if known.report and (facts.report is None or not facts.report.limits) else facts.report,
        )
    return replace(table, facts=facts)
