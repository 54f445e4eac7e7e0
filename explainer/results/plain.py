"""A plain table of requests: CSV (comma, semicolon or tab; decimal point or comma), JSON lines, or a JSON array of
objects.

Columns are those of columns.py; a name may end in _s, _ms, _us or _ns. events is [[s since send, tokens, channel],
...].
"""

import csv
import math
from collections.abc import Iterator

import numpy as np

from explainer.results.builder import TableBuilder
from explainer.results.columns import KNOWN, assign, is_plain
from explainer.results.decimals import AmbiguousNumber, decimal_mark, parse
from explainer.results.jsontext import number, numbers
from explainer.results.records import Records
from explainer.results.source import Sample, Source, Unreadable
from explainer.results.table import CANCELLED, FAILED, SERVED, RequestTable, RunFacts
from explainer.results.text import clean, counted

TOOL = "plain table"
_DELIMITERS = (";", "\t", ",")
_FALSE = frozenset(("false", "0", "no", "failed", "error", "timeout"))
_TRUE = frozenset(("true", "1", "yes", "ok", "success", "served", "completed", "200"))
_CANCELLED = frozenset(("cancelled", "canceled", "499"))
# No served first token takes this long at the median; a column of milliseconds under a name in seconds does.
_SUSPICIOUS_TTFT = 100.0


def recognises(sample: Sample, mapping: dict[str, str] | None = None) -> str | None:
    """'requests' where the names are those of a table of requests, or where the user's mapping fits them."""
    if sample.start in ("{", "["):
        names = sample.keys
    else:
        names = frozenset(name for delimiter in _DELIMITERS for name in _cells(sample.header, delimiter))
    return "requests" if is_plain(names) or mapping and names.issuperset(mapping.values()) else None


def read(source: Source, mapping: dict[str, str] | None = None, decimal: str | None = None) -> list[RequestTable]:
    """The run in the file. mapping: {our column: theirs}; decimal: '.' or ',' where the file alone does not tell."""
    if source.sample.start in ("{", "["):
        records = Records(source)
        rows, notes = list(records), records.notes()
        unread = len(records.unread)
    else:
        rows, unread = _csv_rows(source)
        notes = []
        if unread:
            notes.append(
                f"{counted(unread, 'line')} without the header's number of columns could not be read: what became of"
                " those requests is unknown, and the verdict holds only if it holds either way."
            )
    if not rows:
        raise Unreadable(f"{source.name}: there is a header and no request below it.")
    columns = assign(list({name: None for row in rows for name in row}), mapping or {}, source.name)
    facts = RunFacts(
        TOOL,
        source.name,
        unread=unread,
        hidden="rows" if source.damage else "",
        notes=tuple(notes),
        ends="E2E and TPOT end where the file's own end-to-end time ends",
    )
    return [_table(source, rows, columns, facts, decimal)]


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return []


def _csv_rows(source: Source) -> tuple[list[dict[str, str]], int]:
    header = source.sample.header
    delimiter = max(
        _DELIMITERS, key=lambda mark: sum(name in KNOWN for name in _cells(header, mark)) + 0.01 * header.count(mark)
    )
    names = _cells(header, delimiter)
    if len(set(names)) < len(names):
        raise Unreadable(f"{source.name}: two columns have one name ({clean(header)}); rename one.")
    rows, unread = [], 0
    text = (line.decode("utf-8", "replace").rstrip("\r").replace("\0", "") for line in source.lines())
    try:
        for cells in csv.reader(text, delimiter=delimiter):
            if not any(cell.strip() for cell in cells) or [cell.strip() for cell in cells] == names:
                continue
            if len(cells) != len(names):
                unread += 1
                continue
            rows.append(dict(zip(names, cells)))
    except csv.Error as problem:
        raise Unreadable(
            f"{source.name}: the CSV cannot be read near row {len(rows) + 2} ({clean(str(problem))})."
        ) from None
    return rows, unread


def _table(
    source: Source, rows: list[dict], columns: dict[str, tuple[str, float]], facts: RunFacts, decimal: str | None
) -> RequestTable:
    numeric = {
        column: place for column, place in columns.items() if column not in ("id", "ok", "status", "class", "events")
    }
    cells = [value for name, _ in numeric.values() for row in rows if isinstance(value := row.get(name), str)]
    try:
        mark = decimal or decimal_mark(cells)
    except AmbiguousNumber as doubt:
        raise Unreadable(f"{source.name}: {doubt}; say --decimal comma or --decimal point.") from None

    def value(row: dict, column: str, place: int) -> float:
        name, factor = numeric[column]
        cell = row.get(name)
        if not isinstance(cell, str):
            return number(cell) * factor
        try:
            return parse(cell, mark) * factor
        except ValueError:
            raise Unreadable(
                f"{source.name}: request {place}, column {clean(name)}: {clean(cell, 40)!r} is no number."
            ) from None

    builder = TableBuilder()
    conflicts = 0
    for place, row in enumerate(rows, 1):
        fields = {column: value(row, column, place) for column in numeric}
        if "events" in columns:
            fields = {
                **_from_events(row.get(columns["events"][0]), builder),
                **{k: v for k, v in fields.items() if v == v},
            }
        outcome, reason, conflict = _outcome(row, columns, fields)
        conflicts += conflict
        builder.add(outcome, reason, group=_text(row, columns, "class"), **fields)
    notes = list(facts.notes)
    if conflicts:
        notes.append(
            f"{counted(conflicts)} marked ok although the status says otherwise: the status is believed, and they count"
            " as failed."
        )
    table = builder.build(RunFacts(**{**vars(facts), "notes": tuple(notes)}))
    typical = float(np.median(table.ttft[~np.isnan(table.ttft)])) if (~np.isnan(table.ttft)).any() else math.nan
    if typical > _SUSPICIOUS_TTFT:
        name, factor = numeric["ttft"] if "ttft" in numeric else ("events", 1)
        after = f"{typical:,.0f}" if typical < 1e9 else f"{typical:.1e}"
        advice = (
            f"if the column {clean(name)} is in milliseconds, say --columns ttft_ms={clean(name)} (and map the other"
            " times alike)"
            if factor == 1
            else f"mend the column {clean(name)}"
        )
        raise Unreadable(f"{source.name}: the median first token would come after {after} s; {advice}.")
    return table


def _text(row: dict, columns: dict[str, tuple[str, float]], column: str) -> str:
    value = row.get(columns[column][0]) if column in columns else None
    return "" if value is None else str(value).strip()


def _outcome(row: dict, columns: dict[str, tuple[str, float]], fields: dict[str, float]) -> tuple[int, str, bool]:
    """What became of a request, why, and whether ok and status contradict each other. Without either, a row with an
    end is an answer."""
    ok, status = _text(row, columns, "ok").lower(), _text(row, columns, "status")
    code = int(status) if status.isdecimal() and len(status) == 3 else 0
    if {ok, status.lower()} & _CANCELLED:
        return CANCELLED, status or ok, False
    bad_status = code >= 400 or status.lower() in _FALSE
    if ok and ok not in _TRUE:
        return FAILED, status or ok, False
    if bad_status:
        return FAILED, status, ok in _TRUE
    if ok or code or status.lower() in _TRUE:
        return SERVED, "", False
    finished = any(fields.get(column, math.nan) == fields.get(column) for column in ("ttft", "e2e", "last_token"))
    return (SERVED, "", False) if finished else (FAILED, status or "no time and no status", False)


def _from_events(events, builder: TableBuilder) -> dict[str, float]:
    """First token, last token, length and gaps of a streamed answer; events without tokens (a role, a finish, usage)
    are no tokens."""
    if not isinstance(events, list):
        return {}
    seen: Iterator = (numbers(event[:2]) for event in events if isinstance(event, list) and len(event) >= 2)
    tokens = sorted((time, count) for time, count in seen if time == time and count > 0)
    if not tokens:
        return {}
    times = [time for time, _ in tokens]
    gaps = [later - earlier for earlier, later in zip(times, times[1:])]
    # An empty first event is known and left out here, so the gaps cannot show one.
    chunks = builder.add_gaps(gaps, [count for _, count in tokens[1:]])["chunks"]
    return {
        "ttft": times[0],
        "last_token": times[-1],
        "e2e": times[-1],
        "output_tokens": sum(count for _, count in tokens),
        "chunks": chunks,
    }
