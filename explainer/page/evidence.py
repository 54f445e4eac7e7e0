"""The evidence as tables for a page: what was published, what our formula gives, and a word for the difference."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from math import floor, log10

from explainer.evidence import (
    GROUPS,
    NOT_REPRODUCED,
    PUBLISHED_WRONG,
    REPRODUCED,
    STATUSES,
    WITHOUT,
    Comparison,
    Evidence,
    comparisons,
    group,
    misses,
)

_MEANING = {REPRODUCED: "good", PUBLISHED_WRONG: "missed", NOT_REPRODUCED: "limit"}  # theme.py
_KIND = {"printed": "", "measured": "Measured. ", "by hand": "Worked by hand. "}


@dataclass(frozen=True)
class Markup:
    """Something a notebook shows as it stands: Jupyter and the published page take the same text."""

    html: str

    def _repr_html_(self) -> str:
        return self.html


def evidence_table(name: str) -> Markup:
    """The rows of one group, folded under its count; groups are named in explainer.evidence.GROUPS."""
    rows = group(name)
    return _folded(
        GROUPS[name],
        _counts(rows),
        _table(f"{GROUPS[name]}: published values and ours", _VALUE_HEADS, map(_value_row, rows)),
    )


def evidence_tables() -> Markup:
    """Every group, each folded under its count."""
    return Markup("".join(evidence_table(name).html for name in GROUPS))


def misses_table() -> Markup:
    """Every value that is wrong as published or that we do not reproduce, the wrong ones first, open."""
    rows = sorted(misses(), key=lambda row: (STATUSES.index(row.status), -abs(row.error)))
    table = _table("Values that differ from ours, and how we know", _VALUE_HEADS, map(_value_row, rows))
    return Markup(f'<div class="x-evidence">{table}</div>')


def model_table() -> Markup:
    """Every model beside a measured table, with its error."""
    return Markup(
        '<div class="x-evidence">'
        + _table("Models beside measured tables", _MODEL_HEADS, map(_model_row, comparisons()))
        + "</div>"
    )


def without_table() -> Markup:
    """The public formulas for which no published value was found."""
    rows = (
        f'<tr><th scope="row"><code>{escape(name)}</code></th><td class="x-words">{escape(why)}</td></tr>'
        for name, why in sorted(WITHOUT.items())
    )
    return _folded(
        "Without a published value",
        f"{len(WITHOUT)} functions",
        _table("Functions of explainer.formulas without a published value", ("Function", "Instead"), rows),
    )


_VALUE_HEADS = ("What was published", "Published", "Computed", "Difference", "Status")
_MODEL_HEADS = ("Model and measured table", "Rows", "Mean error", "Lowest", "Highest")


def _table(caption: str, heads: tuple[str, ...], rows: Iterable[str]) -> str:
    """A table in a box of its own that scrolls, by key too."""
    words = {each: " class='x-words'" if each in ("Status", "Instead") else "" for each in heads}
    head = "".join(f'<th scope="col"{words[each]}>{escape(each)}</th>' for each in heads)
    label = escape(caption, quote=True)
    return (
        f'<div class="x-scroll" tabindex="0" role="group" aria-label="{label}"><table>'
        f"<caption>{escape(caption)}</caption>"
        f'<thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _folded(title: str, counts: str, inside: str) -> Markup:
    return Markup(
        f'<details class="x-evidence"><summary><b>{escape(title)}</b> <span>{escape(counts)}</span></summary>'
        f"{inside}</details>"
    )


def _counts(rows: tuple[Evidence, ...]) -> str:
    found = {status: sum(row.status == status for row in rows) for status in STATUSES}
    return f"{len(rows)} values: " + ", ".join(f"{count} {status}" for status, count in found.items() if count)


def _value_row(row: Evidence) -> str:
    formulas = ", ".join(_name(each) for each in row.formulas)
    note = f"<p>{escape(row.note)}</p>" if row.note else ""
    unit = f'<span class="x-quiet">{"" if row.unit in "%×" else " "}{escape(row.unit)}</span>' if row.unit else ""
    about = (
        f'{escape(row.says)}<p class="x-quiet">{escape(row.inputs)}. <code>{escape(formulas)}</code></p>{note}'
        f'<p class="x-quiet">{_KIND[row.kind]}{escape(row.source)}; {escape(row.scope)}.</p>'
    )
    return (
        f'<tr><th scope="row"><div>{about}</div></th><td>{escape(row.printed)}{unit}</td>'
        f"<td>{escape(row.computed_text)}</td><td>{_percent(row.error)}</td>"
        f'<td class="x-words x-{_MEANING[row.status]}"><b>{_status(row)}</b></td></tr>'
    )


def _status(row: Evidence) -> str:
    if row.status == REPRODUCED and row.within is not None:
        return f"{REPRODUCED} within {100 * row.within:g}\u202f%"
    return f"{REPRODUCED}, cut off" if row.cut else row.status


def _model_row(each: Comparison) -> str:
    about = (
        f'{escape(each.name)}<p class="x-quiet">{escape(each.model)}. Told beforehand: {escape(each.told)}.</p>'
        f'<p>{escape(each.note)}</p><p class="x-quiet">{escape(each.table)}.</p>'
    )
    low, high = float(each.errors.min()), float(each.errors.max())
    return (
        f'<tr><th scope="row"><div>{about}</div></th><td>{len(each.measured)}</td>'
        f"<td><b>{_percent(each.mean, signed=False)}</b></td><td>{_percent(low)}</td><td>{_percent(high)}</td></tr>"
    )


def _name(formula: Callable) -> str:
    return f"{formula.__module__.rpartition('.')[2]}.{formula.__name__}"


def _percent(error: float, signed: bool = True) -> str:
    """Two significant digits or whole percents, a true sign; 0 where nothing differs."""
    percents = abs(100 * error)
    if percents < 1e-4:
        return "0"
    sign = ("+" if error > 0 else "−") if signed else ""
    return f"{sign}{percents:.{max(0, 1 - floor(log10(percents)))}f}\u202f%"
