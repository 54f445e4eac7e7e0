"""One published value beside what a formula makes of the same inputs, compared at the digits that were printed."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import floor, log10

import numpy as np

REPRODUCED, PUBLISHED_WRONG, NOT_REPRODUCED = "reproduced", "published wrong", "not reproduced"
STATUSES = (REPRODUCED, PUBLISHED_WRONG, NOT_REPRODUCED)
PRINTED, MEASURED, BY_HAND = (
    "printed",
    "measured",
    "by hand",
)  # a calculation, a measurement; or worked out for this project

UNITS = {  # what a value of 1 in each is in SI
    "": 1,
    "×": 1,
    "%": 1e-2,
    "s": 1,
    "ms": 1e-3,
    "µs": 1e-6,
    "service times": 1,
    "tokens": 1,
    "tok/s": 1,
    "requests": 1,
    "requests/s": 1,
    "caches": 1,
    "B": 1,
    "kB": 1e3,
    "GB": 1e9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "GB/s": 1e9,
    "Gb/s": 1e9 / 8,
    "FLOP": 1,
    "GFLOP": 1e9,
    "FLOP/B": 1,
    "billion weights": 1e9,
    "weights": 1,
    "accelerators": 1,
    "machines": 1,
    "experts": 1,
}


def relative_error(computed, published):
    """How far a computed value lies from a published one: e = computed / published - 1.

    computed, published: in the same unit, scalars or arrays. Returns a ratio, positive where the computed
    value is the larger. nan where published is 0: nothing is relative to that.
    Source: the definition.
    """
    return computed / np.where(published != 0, published, np.nan) - 1


@dataclass(frozen=True)
class Evidence:
    """One row. computed is always the formula called on the arguments (SI); printed is the source's number, in unit.

    place: the last decimal place that was printed, where trailing zeros are not digits. cut: the source cut the rest
    off instead of rounding. rounded_inputs: the last places of the arguments, as printed, where these leave the result
    open. within: the relative error up to which a measurement counts as reproduced. part: which of a formula's two
    results. uses: the formulas behind the formula.
    mistake: in few words, why the value is not reproduced; note: in whole sentences, how we know.
    """

    name: str
    says: str
    formula: Callable
    arguments: tuple
    printed: str
    unit: str
    inputs: str
    source: str
    scope: str
    status: str = REPRODUCED
    kind: str = PRINTED
    note: str = ""
    mistake: str = ""
    place: float | None = None
    cut: bool = False
    rounded_inputs: tuple[float, ...] = ()
    within: float | None = None
    part: int | None = None
    uses: tuple[Callable, ...] = ()

    @property
    def formulas(self) -> tuple[Callable, ...]:
        """The public formulas that this row speaks for."""
        return self.uses or (self.formula,)

    @property
    def published(self) -> float:
        """The printed value in SI."""
        return self._number * UNITS[self.unit]

    @property
    def computed(self) -> float:
        """What the formula gives, in SI."""
        return self._called(self.arguments)

    @property
    def error(self) -> float:
        """Relative error of the computed value against the published one."""
        return float(relative_error(self.computed, self.published))

    @property
    def agrees(self) -> bool:
        """Whether the formula gives the printed digits, or comes within the error stated for a measurement."""
        if self.within is not None:
            return abs(self.error) <= self.within
        values = [each / UNITS[self.unit] for each in self._open_values()]
        slack = 1e-9 * abs(self._number)
        if self.cut:
            return (
                floor(values[0] / self.last_place + 1e-9) * self.last_place >= self._number - slack
                and values[0] < self._number + self.last_place
            )
        half = self.last_place / 2 + slack
        return min(values) <= self._number + half and max(values) >= self._number - half

    @property
    def last_place(self) -> float:
        """The decimal place of the last printed digit, in the printed unit."""
        if self.place is not None:
            return self.place
        _, _, decimals = self.printed.partition(".")
        return 10.0 ** -len(decimals)

    @property
    def computed_text(self) -> str:
        """The computed value in the printed unit: a digit more than was printed, three at least; whole where it is."""
        value = self.computed / UNITS[self.unit]
        if abs(value - round(value)) < 1e-9 * abs(value) and self.last_place >= 1:
            return f"{value:,.0f}"
        printed = len(self.printed.partition(".")[2]) + 1 if self.last_place <= 1 else 0
        return f"{value:,.{max(printed, 2 - floor(log10(abs(value))))}f}"

    @property
    def _number(self) -> float:
        return float(self.printed.replace(",", ""))

    def _called(self, arguments: tuple) -> float:
        result = self.formula(*arguments)
        return float(result if self.part is None else result[self.part])

    def _open_values(self) -> list[float]:
        """The results at every corner of what rounded inputs leave open; else the computed value alone."""
        if not self.rounded_inputs:
            return [self.computed]
        corners = product(
            *(
                (value - place / 2, value + place / 2)
                for value, place in zip(self.arguments, self.rounded_inputs, strict=True)
            )
        )
        return [self._called(each) for each in corners]
