"""Numbers typed by people and spreadsheets: decimal point or decimal comma, and the question where both would do."""

import math
import re

_MISSING = frozenset(
    ("", "nan", "na", "n/a", "null", "none", "-", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")
)
_POINT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_COMMA = re.compile(r"[+-]?(\d+(\.\d{3})*,?\d*|,\d+)([eE][+-]?\d+)?")
# One comma with exactly three digits behind it and one to three (not a lone 0) before it reads both ways.
_BOTH_WAYS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")


class AmbiguousNumber(ValueError):
    """A number that means one thing with a decimal point and another with a decimal comma."""


def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value (empty, nan, null, infinity, ...)."""
    return text.strip().lower() in _MISSING


def decimal_mark(cells: list[str]) -> str | None:
    """'.' or ',' as the cells show it, None where no cell has a mark; raises AmbiguousNumber where they do not tell,
    or disagree."""
    comma = point = doubtful = None
    for cell in cells:
        cell = cell.strip()
        if "," in cell:
            if _BOTH_WAYS.fullmatch(cell):
                doubtful = doubtful or cell
            elif _THOUSANDS.fullmatch(cell):
                point = cell
            elif _COMMA.fullmatch(cell):
                comma = cell
        elif "." in cell and _POINT.fullmatch(cell):
            point = cell
    if comma and point:
        raise AmbiguousNumber(f"{comma} has a decimal comma and {point} a decimal point")
    if doubtful and not comma and not point:
        whole, rest = doubtful.split(",")
        raise AmbiguousNumber(f"{doubtful} may be {whole}{rest} or {whole}.{rest}")
    return "," if comma else "." if point else None


def parse(text: str, mark: str | None) -> float:
    """The number in a cell under that decimal mark; nan where it is missing or infinite; raises ValueError where it is
    no number."""
    text = text.strip()
    if is_missing(text):
        return math.nan
    if mark == ",":
        if not _COMMA.fullmatch(text):
            raise ValueError(text)
        text = text.replace(".", "").replace(",", ".")
    elif "," in text:
        if not _THOUSANDS.fullmatch(text):
            raise ValueError(text)
        text = text.replace(",", "")
    elif not _POINT.fullmatch(text):
        raise ValueError(text)
    value = float(text)
    return value if math.isfinite(value) else math.nan
