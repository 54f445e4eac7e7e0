"""The evidence: published values that our formulas were held against, models beside measured tables, misses kept in.

A room of its own between the formulas and the page: it imports the formulas and the catalogue, and nothing else.
"""

from functools import cache

from .measured import Comparison, comparisons
from .row import NOT_REPRODUCED, PUBLISHED_WRONG, REPRODUCED, STATUSES, Evidence, relative_error
from .without import WITHOUT

__all__ = [
    "Comparison",
    "Evidence",
    "GROUPS",
    "NOT_REPRODUCED",
    "PUBLISHED_WRONG",
    "REPRODUCED",
    "STATUSES",
    "WITHOUT",
    "comparisons",
    "evidence",
    "group",
    "misses",
    "published",
    "relative_error",
]

GROUPS = {  # a module of rows each: its words on the page
    "clocks": "The clocks of one answer",
    "machine": "One machine",
    "sizes": "Sizes",
    "crowd": "Many at once",
    "distance": "Dividing the work",
    "chances": "Shares and chances",
}


@cache
def group(name: str) -> tuple[Evidence, ...]:
    """The rows of one group. Raises ValueError, naming what there is."""
    from . import (
        chances,
        clocks,
        crowd,
        distance,
        machine,
        sizes,
    )  # read when asked for, and named, so that a compiled figure knows them

    modules = dict(zip(GROUPS, (clocks, machine, sizes, crowd, distance, chances), strict=True))
    if name not in modules:
        raise ValueError(f"There is no group of evidence named {name!r}. There are: {', '.join(GROUPS)}.")
    return modules[name].ROWS


def evidence() -> tuple[Evidence, ...]:
    """All rows, group by group."""
    return tuple(row for name in GROUPS for row in group(name))


def misses() -> tuple[Evidence, ...]:
    """The rows that are not reproduced, or wrong as published."""
    return tuple(row for row in evidence() if row.status != REPRODUCED)


def published(name: str) -> float:
    """The published value of one row, in SI. Raises KeyError where no row has that name."""
    return {row.name: row for row in evidence()}[name].published
