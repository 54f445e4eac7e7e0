"""A figure's numbers and words at its parameters' defaults: what is painted before any script runs."""

import math
from dataclasses import dataclass

from explainer.page.figure import Case, ComputedTable, Figure
from explainer.page.parameters import PARAMETERS
from explainer.page.trace import Traced, evaluate, name
from explainer.page.units import Unit


@dataclass(frozen=True)
class Column:
    """One column of a figure's table: its head, the field of the data it shows, its unit and meaning; traced where a formula fills it."""

    head: str
    field: str
    unit: Unit
    meaning: str
    traced: Traced | None = None
    shown: bool = False  # the field already holds the number that the reader sees
    bare: bool = False


def table_columns(figure: Figure) -> list[Column]:
    """The columns of a figure's table, the one that heads its rows first."""
    if isinstance(figure.table, ComputedTable):
        return [Column(head, field, unit, meaning) for head, (field, unit, meaning) in figure.table.columns.items()]
    over = PARAMETERS[figure.table.over]
    filled = figure.table.columns(name("datum.x", times=over.unit.times, over=over.unit.over, symbol=over.symbol))
    first = Column(over.unit.spoken, "x", over.unit, "ink", shown=True, bare=True)
    return [
        first,
        *(
            Column(head, f"c{index}", each.unit, each.meaning, each.traced)
            for index, (head, each) in enumerate(filled.items())
        ),
    ]


class Defaults:
    """Values in SI, units and texts by name, for the parameters and quantities of one figure."""

    def __init__(self, figure: Figure):
        self.figure = figure
        self.shown = {each.name: each.default for each in figure.parameters}
        self.units = {each.name: each.unit for each in figure.parameters} | {
            key: each.unit for key, each in figure.quantities.items()
        }
        self.values = {each.name: each.unit.si(each.default) for each in figure.parameters if not each.options}
        self.computed = self._computed() if figure.computation else {"rows": {}, "values": {}}
        for key, each in figure.quantities.items():  # a quantity may name those before it
            found = self.computed["values"][key] if each.traced is None else evaluate(each.traced, self.shown)
            self.values[key] = self.shown[key] = math.nan if found is None else float(found)

    def _computed(self) -> dict:
        computation = self.figure.computation
        found = computation.run({name: self.shown[name] for name in computation.grid})
        picked = computation.picked(found["rows"], self.shown[computation.at]) if computation.at else {}
        return found | {"values": found["values"] | picked}

    def text(self, key: str, bare: bool = False) -> str:
        """The words for one value, without its unit where bare."""
        unit = self.units[key]
        return unit.text_of_shown(self.shown[key]) if unit.options else unit.text(self.values[key], bare)

    def choice(self, cases: tuple[Case, ...]) -> int:
        """The index of the wording that holds."""
        return next(
            index for index, case in enumerate(cases) if case.condition is None or evaluate(case.condition, self.shown)
        )

    def rows(self) -> list[list[str]]:
        """The table's rows as text; for a table over a parameter, the row of the reader's own value last."""
        columns = table_columns(self.figure)
        if isinstance(self.figure.table, ComputedTable):
            data = self.computed["rows"][self.figure.table.data]
        else:
            data = [self._filled(x, columns) for x in (*self.figure.table.values, self.shown[self.figure.table.over])]
        return [[self._cell(column, row[column.field]) for column in columns] for row in data]

    def _filled(self, x: float, columns: list[Column]) -> dict[str, float]:
        return {"x": x} | {
            each.field: float(evaluate(each.traced, self.shown | {"datum.x": x}))
            for each in columns
            if each.traced is not None
        }

    @staticmethod
    def _cell(column: Column, value) -> str:
        if isinstance(value, str):
            return value
        value = math.nan if value is None else value
        return column.unit.text_of_shown(value, column.bare) if column.shown else column.unit.text(value, column.bare)
