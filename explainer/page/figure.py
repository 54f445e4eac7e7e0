"""What a figure is, before it is compiled: a claim, controls, quantities, a chart, a sentence, an equation and a table."""

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape

from explainer.page.parameters import PARAMETERS, Parameter
from explainer.page.trace import Traced
from explainer.page.units import UNITS, Unit


@dataclass(frozen=True)
class Quantity:
    """A result in SI, the unit it is shown in, and the meaning that gives it its colour. traced: None where it is computed, a number where
    nothing moves it."""

    traced: Traced | float | None
    unit: Unit
    meaning: str = "ink"
    symbol: str = ""


def quantity(
    traced: Traced | float | None, unit: str, meaning: str = "ink", symbol: str = "", decimals: int | None = None
) -> Quantity:
    """A Quantity by the name of its unit."""
    chosen = UNITS[unit]
    return Quantity(traced, chosen if decimals is None else chosen.with_decimals(decimals), meaning, symbol)


@dataclass(frozen=True)
class Case:
    """One wording of a sentence, used where its condition holds (None: always). {name} is a live value, {name:bare} without its unit."""

    condition: Traced | None
    words: str


def otherwise(words: str) -> Case:
    """The wording where no condition before it held."""
    return Case(None, words)


@dataclass(frozen=True)
class Table:
    """The figure's numbers: a row for each value of one parameter, a column for each quantity of it."""

    caption: str
    over: str
    values: tuple[float, ...]
    columns: Callable[[Traced], dict[str, Quantity]]


@dataclass(frozen=True)
class ComputedTable:
    """The rows of a computed data set, as a table: a column for each field, with its unit and meaning; the first column heads the rows."""

    caption: str
    data: str
    columns: dict[str, tuple[str, Unit, str]]


@dataclass(frozen=True)
class Computation:
    """Numbers that no formula gives: run works out one setting, in a kernel as the reader moves, or beforehand over a grid for the static page.

    run takes the shown values of the grid's parameters by name and returns {"rows": {data set: rows}, "values": {quantity: SI value}}; grid
    holds the stops of each parameter for the static page. A curve over a further parameter `at` is computed once: picks reads quantities
    off it, {quantity: (data set, field)}, in the row whose x is nearest to that parameter's shown value.
    """

    run: Callable[[dict[str, float]], dict]
    grid: dict[str, tuple[float, ...]]
    at: str = ""
    picks: dict[str, tuple[str, str]] = field(default_factory=dict)

    def picked(self, rows: dict[str, list[dict]], shown: float) -> dict[str, float | None]:
        """The quantities read off the curves at one value of `at`."""
        nearest = {
            data: min(each, key=lambda row: abs(row["x"] - shown))
            for data, each in rows.items()
            if any(data == of for of, _ in self.picks.values())
        }
        return {key: nearest[data][column] for key, (data, column) in self.picks.items()}


@dataclass(frozen=True)
class Figure:
    """One figure. chart is called at compile time only and returns an Altair chart without data of its own making."""

    name: str
    number: str
    controls: dict[str, tuple[str, ...]]
    quantities: dict[str, Quantity]
    claim: tuple[Case, ...]
    sentence: tuple[Case, ...]
    description: str
    formula: tuple[Callable, str] | None
    worked: tuple[str, ...]
    table: Table | ComputedTable
    chart: Callable
    what_to_try: str
    heights: tuple[int, int] = (330, 250)  # of the picture, wide and narrow, in CSS pixels
    computation: Computation | None = None
    margin: int = 46  # left of the plot, for the labels of the vertical axis

    @property
    def parameters(self) -> list[Parameter]:
        return [PARAMETERS[each] for group in self.controls.values() for each in group]

    @property
    def title(self) -> str:
        return f"Figure {escape(self.number)}"
