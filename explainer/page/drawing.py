"""The few words with which figures draw in Altair. Imported only where a figure is compiled: altair is heavy."""

import altair as alt

from explainer.page.theme import chart_config, colour
from explainer.page.trace import Traced, name
from explainer.page.vega import expression


def field(column: str) -> Traced:
    """A column of the current data, as formulas take it (already in SI)."""
    return name(f"datum.{column}")


def signal(key: str) -> Traced:
    """A quantity of the figure by its key, as the browser already holds it (in SI)."""
    return name(key)


def live(traced: Traced, *words: str) -> alt.ExprRef:
    """A traced value where Altair takes an expression (a domain's end, a mark's text); with two words, a choice between them."""
    return alt.ExprRef(expression(traced) if not words else f"{expression(traced)} ? {words[0]} : {words[1]}")


def curve(steps: int, **columns: Traced) -> alt.Chart:
    """A chart over i = 0 … steps, with columns calculated from field("i") and from each other, in the order given."""
    chart = alt.Chart(alt.SequenceGenerator(sequence=alt.SequenceParams(start=0, stop=steps + 1, **{"as": "i"})))
    return chart.transform_calculate(**{column: expression(traced) for column, traced in columns.items()})


def point(**columns: Traced | str) -> alt.Chart:
    """A chart of a single row, with calculated columns."""
    return curve(0, **columns)


def shade(meaning: str):
    """A fixed colour for a mark."""
    return alt.value(colour(meaning))


def framed(*layers: alt.Chart) -> alt.LayerChart:
    """Layers in a frame that never moves: the size is the page's, the padding is fixed, nothing is fitted."""
    return (
        alt.layer(*layers).properties(width=1, height=1).configure(**chart_config())
    )  # a size at all: bands divide it
