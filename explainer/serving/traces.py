"""Request traces as their publishers distribute them, and plain tables of one's own.

Azure LLM inference traces (CSV: TIMESTAMP, ContextTokens, GeneratedTokens), Mooncake traces (JSON lines: timestamp in
ms, input_length, output_length), and any CSV with a column each for the arrival, the input and the output tokens under
one of the names below.
"""

import csv
import json
from datetime import datetime
from pathlib import Path

import numpy as np

from explainer.serving.workload import Workload

# Name of a column, lower case without blanks and underscores -> what one unit of it is in s (None: a date, or else s).
TIME_COLUMNS = {
    "timestamp": None,
    "ts": 1.0,
    "arrivals": 1.0,
    "arrival": 1.0,
    "scheds": 1.0,
    "starts": 1.0,
    "times": 1.0,
    "time": 1.0,
    "tms": 1e-3,
    "timestampms": 1e-3,
    "arrivalms": 1e-3,
}
INPUT_COLUMNS = ("inputtokens", "contexttokens", "prompttokens", "inputlength", "intok", "requesttokens")
OUTPUT_COLUMNS = ("outputtokens", "generatedtokens", "completiontokens", "outputlength", "outtok", "responsetokens")

QUANTUM = 3.0  # s, the grid of Mooncake's conversation trace
QUANTUM_SLACK = 0.005  # s by which its times miss the grid


def read_trace(path, seed=0) -> Workload:
    """The workload of a trace file, first arrival at 0 s.

    path: a file; seed: for spreading arrivals that the file rounds to a 3 s grid. Out-of-order rows are sorted; both
    get a note. Raises ValueError with one sentence that names file, line and field where the file cannot be read.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise ValueError(
            f"{path.name} cannot be read as text: {getattr(problem, 'strerror', None) or 'it is not UTF-8'}."
        ) from None
    if not text.strip():
        raise ValueError(f"{path.name} is empty; expected a line per request.")
    rows = _json_rows(path.name, text) if text.lstrip().startswith("{") else _csv_rows(path.name, text)
    if not rows:
        raise ValueError(f"{path.name} has a header and no requests below it.")
    times, inputs, outputs = (np.array(column) for column in zip(*rows))
    notes = []
    if np.any(np.diff(times) < 0):
        notes.append(
            f"{path.name}: rows out of order (at {int(np.sum(np.diff(times) < 0))} places) were sorted by time."
        )
        order = np.argsort(times, kind="stable")
        times, inputs, outputs = times[order], inputs[order], outputs[order]
    times = times - times[0]
    off_grid = np.abs(times - QUANTUM * np.rint(times / QUANTUM))
    if len(times) > 10 and len(np.unique(np.rint(times / QUANTUM))) > 1 and np.mean(off_grid <= QUANTUM_SLACK) > 0.9:
        times = np.sort(times + np.random.default_rng(seed).uniform(0, QUANTUM, len(times)))
        notes.append(
            f"{path.name}: arrivals are rounded to {QUANTUM:g} s; each was put at a random moment of its {QUANTUM:g} s "
            f"(seed {seed}), or the bursts would be the file's and not the users'."
        )
    return Workload(times - times[0], inputs, outputs, np.zeros(len(times)), 0, tuple(notes))


def _json_rows(name, text):
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError:
            raise ValueError(
                f"{name}, line {number}: expected one JSON object a line; this one is broken or cut off."
            ) from None
        if not isinstance(record, dict):
            raise ValueError(f"{name}, line {number}: expected a JSON object, not {type(record).__name__}.")
        found = []
        for field in ("timestamp", "input_length", "output_length"):
            if field not in record:
                raise ValueError(f"{name}, line {number}: the field {field!r} is missing.")
            found.append(record[field])
        rows.append(
            (
                _seconds(name, number, "timestamp", found[0], 1e-3),
                _tokens(name, number, "input_length", found[1]),
                _tokens(name, number, "output_length", found[2]),
            )
        )
    return rows


def _csv_rows(name, text):
    lines = text.splitlines()
    delimiter = max(",;\t", key=lines[0].count)
    header = next(csv.reader(lines[:1], delimiter=delimiter))
    names = ["".join(letter for letter in column.lower() if letter.isalnum()) for column in header]
    time, given, asked = (
        _column(name, header, names, TIME_COLUMNS, "arrival time"),
        _column(name, header, names, INPUT_COLUMNS, "input tokens"),
        _column(name, header, names, OUTPUT_COLUMNS, "output tokens"),
    )
    rows = []
    for number, cells in enumerate(csv.reader(lines[1:], delimiter=delimiter), 2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) <= max(time, given, asked):
            raise ValueError(
                f"{name}, line {number}: expected {len(header)} fields, found {len(cells)}; the line may be cut off."
            )
        rows.append(
            (
                _seconds(name, number, header[time], cells[time], TIME_COLUMNS[names[time]]),
                _tokens(name, number, header[given], cells[given]),
                _tokens(name, number, header[asked], cells[asked]),
            )
        )
    return rows


def _column(name, header, names, known, what):
    for position, column in enumerate(names):
        if column in known:
            return position
    raise ValueError(
        f"{name}, line 1: no column for the {what} among {', '.join(header)[:120]!r}; expected a header with one named "
        f"like {', '.join(list(known)[:4])}."
    )


def _seconds(name, number, field, value, unit):
    try:
        seconds = float(value) * (unit or 1.0)
    except (TypeError, ValueError):
        try:
            seconds = datetime.fromisoformat(value.strip()).timestamp() if unit is None else np.nan
        except (AttributeError, ValueError):
            seconds = np.nan
    if not np.isfinite(seconds):
        raise ValueError(
            f"{name}, line {number}, field {field!r}: expected a time{'' if unit is None else ' as a number'}, "
            f"found {str(value)[:40]!r}."
        )
    return seconds


def _tokens(name, number, field, value):
    try:
        tokens = float(value)
    except (TypeError, ValueError):
        tokens = np.nan
    if not (np.isfinite(tokens) and tokens >= 0 and tokens == int(tokens)):
        raise ValueError(
            f"{name}, line {number}, field {field!r}: expected a whole number of tokens, found {str(value)[:40]!r}."
        )
    return int(tokens)
