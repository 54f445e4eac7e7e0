"""Reading one CSV of data/ into typed records, and saying clearly what is wrong with it when something is.

A record is a frozen dataclass whose fields are the file's columns; a field's annotation says how its text is read. An
empty cell is None where the annotation allows it, and an error where it does not: what is missing is never 0.
"""
import csv
import math
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from types import NoneType
from typing import get_args, get_type_hints

DATA = Path(__file__).resolve().parents[2] / "data"
KINDS = ("measured", "announced", "derived", "estimated")


class CatalogueError(ValueError):
    """A file of data/ cannot be read; the message is one sentence with the file, the line and the field."""


class NotInCatalogue(LookupError):
    """No record has that name; the message is one sentence that names the nearest."""


def read_table(path, record):
    """All records of a CSV file, in its order. Raises CatalogueError for a file, header or cell that does not fit."""
    path = Path(path)
    types = get_type_hints(record)
    columns = [field.name for field in fields(record)]
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            _check_header(path, reader.fieldnames or [], columns)
            return tuple(_record(record, types, row, path, reader.line_num) for row in reader)
    except OSError as error:
        raise CatalogueError(
            f"{path} cannot be opened ({error.strerror}): the data folder must lie beside the package.") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise CatalogueError(f"{path} is no CSV text in UTF-8 ({error}).") from None


def one_named(records, wanted, what):
    """The record whose name is wanted, capitals aside. Raises NotInCatalogue, naming the nearest."""
    by_name = {record.name.casefold(): record for record in records}
    if wanted.casefold() in by_name:
        return by_name[wanted.casefold()]
    holding = [name for name in by_name if wanted.casefold() in name]
    near = dict.fromkeys(holding + get_close_matches(wanted.casefold(), by_name, n=3, cutoff=0.4))
    hint = f"near it: {', '.join(by_name[name].name for name in near)}" if near else f"it has {len(by_name)} others"
    raise NotInCatalogue(f"The catalogue has no {what} named {wanted!r}; {hint}.")


def _check_header(path, found, columns):
    missing = [f"column {column} is missing" for column in columns if column not in found]
    unknown = [f"column {column} is unknown" for column in found if column not in columns]
    if missing or unknown:
        raise CatalogueError(f"{path}, line 1: {'; '.join(missing + unknown)}.")


def _record(record, types, row, path, line):
    if None in row or None in row.values():
        more_or_fewer = "more" if None in row else "fewer"
        raise CatalogueError(f"{path}, line {line}: the row has {more_or_fewer} cells than the header.")
    values = {}
    for column, text in row.items():
        try:
            values[column] = _value(types[column], text.strip())
        except ValueError as error:
            raise CatalogueError(f"{path}, line {line}, field {column}: {error}.") from None
    if "kind" in values and values["kind"] not in KINDS:
        raise CatalogueError(f"{path}, line {line}, field kind: {values['kind']!r} is none of {', '.join(KINDS)}.")
    return record(**values)


def _value(annotation, text):
    allowed = get_args(annotation) or (annotation,)
    if not text:
        if NoneType in allowed:
            return None
        raise ValueError("a value is needed here and the cell is empty")
    if bool in allowed:
        if text not in ("yes", "no"):
            raise ValueError(f"{text!r} is neither yes nor no")
        return text == "yes"
    number = int if int in allowed else float if float in allowed else None
    if number is None:
        return text
    try:
        value = number(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a {'whole number' if number is int else 'number'}") from None
    if not math.isfinite(value):
        raise ValueError(f"{text!r} is not a finite number")
    return value
