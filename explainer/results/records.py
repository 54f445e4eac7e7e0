"""JSON objects out of a file, be it one a line, one array, or one document; what cannot be read is counted, not
forgotten."""

from collections.abc import Iterator

from explainer.results.jsontext import loads
from explainer.results.source import Source, Unreadable
from explainer.results.text import clean, counted


class Records:
    """Iterate to get the objects; `unread` then lists the lines that held none."""

    def __init__(self, source: Source):
        self.source = source
        self.unread: list[int] = []
        self._read = 0

    def __iter__(self) -> Iterator[dict]:
        self.unread, self._read = [], 0
        if self.source.sample.start == "[" or self._spread_over_lines():
            yield from self._from_document()
        else:
            yield from self._from_lines()

    def _spread_over_lines(self) -> bool:
        """Whether a text that begins with { is one object over several lines, and not one object a line."""
        first, *others = self.source.sample.text.lstrip().split(b"\n", 2)
        try:
            return not isinstance(loads(first), dict)
        except ValueError:
            return bool(others) and not others[0].lstrip().startswith(b"{")

    def _from_lines(self) -> Iterator[dict]:
        for line_number, line in enumerate(self.source.lines(), 1):
            if not line or line.isspace():
                continue
            try:
                value = loads(line)
            except ValueError:
                value = None
            if isinstance(value, dict):
                self._read += 1
                yield value
            else:
                self.unread.append(line_number)
        if not self._read:
            raise Unreadable(
                f"{self.source.name}: no line is a complete JSON object; the file is damaged or cut: export it again."
            )

    def _from_document(self) -> Iterator[dict]:
        value = document(self.source)
        for position, item in enumerate(value if isinstance(value, list) else [value], 1):
            if isinstance(item, dict):
                self._read += 1
                yield item
            else:
                self.unread.append(position)

    def notes(self) -> list[str]:
        """What was left out, in sentences."""
        found = []
        if self.unread:
            places = ", ".join(map(str, self.unread[:5])) + (", …" if len(self.unread) > 5 else "")
            found.append(
                f"{counted(len(self.unread), 'record')} could not be read (line or position {places}; the last line may"
                " have been cut): what became of those requests is unknown, and the verdict holds only if it holds"
                " either way."
            )
        if self.source.damage:
            found.append(
                f"Only the first {counted(self._read)} could be read: {self.source.damage}, and how many are missing is"
                " unknown."
            )
        return found


def document(source: Source):
    """The file as one JSON value; raises Unreadable with the place where it stops being JSON."""
    text = source.whole()
    if source.damage:
        raise Unreadable(f"{source.name}: {source.damage}, so the document in it cannot be read; copy the file again.")
    try:
        return loads(text)
    except ValueError as problem:
        where = f"line {problem.lineno}, column {problem.colno}" if hasattr(problem, "lineno") else clean(str(problem))
        raise Unreadable(
            f"{source.name}: the JSON breaks off or is damaged ({where}, of {len(text):,} bytes); "
            "export or copy the file again."
        ) from None
    except MemoryError:
        raise Unreadable(
            f"{source.name}: the document does not fit into this machine's memory; split the run."
        ) from None
