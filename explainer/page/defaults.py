"""A figure's numbers and words at its parameters' defaults: what is painted before any script runs."""
from explainer.page.figure import Case, Figure, Quantity
from explainer.page.trace import evaluate, name


class Defaults:
    """Values in SI, units and texts by name, for the parameters and quantities of one figure."""

    def __init__(self, figure: Figure):
        self.figure = figure
        self.shown = {each.name: each.default for each in figure.parameters}
        self.units = {each.name: each.unit for each in figure.parameters} | {key: each.unit for key, each in figure.quantities.items()}
        self.values = {each.name: each.unit.si(each.default) for each in figure.parameters}
        for key, each in figure.quantities.items():  # a quantity may name those before it
            self.values[key] = self.shown[key] = float(evaluate(each.traced, self.shown))

    def text(self, key: str, bare: bool = False) -> str:
        """The words for one value, without its unit where bare."""
        return self.units[key].text(self.values[key], bare)

    def choice(self, cases: tuple[Case, ...]) -> int:
        """The index of the wording that holds."""
        return next(index for index, case in enumerate(cases) if case.condition is None or evaluate(case.condition, self.shown))

    def rows(self) -> list[list[str]]:
        """The table's rows as text, the row of the parameter's own value last."""
        over = varied(self.figure)
        return [
            [over.unit.text_of_shown(x, bare=True)]
            + [each.unit.text(float(evaluate(each.traced, self.shown | {"datum.x": x}))) for each in table_columns(self.figure).values()]
            for x in (*self.figure.table.values, over.default)
        ]


def varied(figure: Figure):
    """The parameter over which the figure's table runs."""
    return next(each for each in figure.parameters if each.name == figure.table.over)


def table_columns(figure: Figure) -> dict[str, Quantity]:
    """The table's columns, traced over datum.x in place of the varied parameter."""
    over = varied(figure)
    return figure.table.columns(name("datum.x", times=over.unit.times, over=over.unit.over, symbol=over.symbol))
