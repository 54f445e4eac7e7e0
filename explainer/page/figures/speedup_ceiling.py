"""Figure 3.2: overall speedup against stage speedup, with the ceiling that the rest of the time sets."""

import numpy as np

from explainer.formulas.speedup import overall_speedup
from explainer.page.figure import Case, Figure, Table, otherwise, quantity
from explainer.page.parameters import symbols

stage_share, stage_speedup = symbols("stage_share stage_speedup")


def speedup(k):
    """Overall speedup where the stage takes a share of a whole of one second."""
    return overall_speedup(1 - stage_share, stage_share, k)


gain = speedup(stage_speedup)
ceiling = speedup(np.inf)
FASTEST, HIGHEST = 20, 10  # the frame


def chart():
    import altair as alt

    from explainer.page.drawing import curve, field, framed, point, shade, signal

    x = alt.X(
        "x:Q",
        title="the stage runs faster by",
        scale=alt.Scale(domain=[1, FASTEST], nice=False),
        axis=alt.Axis(values=[1, 5, 10, 15, 20], labelExpr="datum.label + '×'"),
    )
    times = {
        "scale": alt.Scale(domain=[1, HIGHEST], nice=False),
        "axis": alt.Axis(values=[1, 2, 4, 6, 8, 10], labelExpr="datum.label + '×'"),
    }
    y = alt.Y("s:Q", title="the whole runs faster by", **times)
    line = curve(60, x=1 + field("i") / 60 * (FASTEST - 1), s=speedup(field("x")), ideal=field("x"))
    here = point(x=stage_speedup, s=signal("gain"))
    top = curve(1, x=1 + field("i") * (FASTEST - 1), s=signal("ceiling"))
    label = point(x=FASTEST + 0 * field("i"), s=signal("ceiling")).transform_calculate(
        label="'ceiling ' + format(datum.s, '.2f') + '×'"
    )
    return framed(
        line.mark_line(strokeWidth=1.2, clip=True).encode(
            x=x, y=alt.Y("ideal:Q", title="the whole runs faster by", **times), color=shade("rule")
        ),
        top.mark_line(strokeWidth=1.5, strokeDash=[5, 4], clip=True).encode(x=x, y=y, color=shade("limit")),
        label.mark_text(align="right", dy=alt.ExprRef("datum.s > 9 ? 14 : -9"))
        .encode(x=x, y=y, text="label:N", color=shade("limit")),
        line.mark_line(strokeWidth=2.8, clip=True).encode(x=x, y=y, color=shade("streaming")),
        here.mark_point(filled=True, size=90, opacity=1, clip=True).encode(x=x, y=y, color=shade("streaming")),
    )


FIGURE = Figure(
    name="speedup-ceiling",
    number="3.2",
    controls={"": ("stage_share", "stage_speedup")},
    quantities={
        "gain": quantity(gain, "ratio", "streaming", "S"),
        "ceiling": quantity(ceiling, "ratio", "limit"),
        "reached": quantity(
            np.where(ceiling > 1, (gain - 1) / np.where(ceiling > 1, ceiling - 1, np.nan), np.nan), "share"
        ),
        "rest": quantity(1 - stage_share, "share"),
    },
    claim=(
        Case(stage_share == 0, "A stage that takes no time cannot be worth accelerating"),
        otherwise("A stage that is {stage_share} of the time can never make the whole more than {ceiling} faster"),
    ),
    sentence=(
        Case(stage_share == 0, "The stage is 0 % of the time: at any speed of it, the whole stays as it was, {gain}."),
        Case(
            stage_speedup == 1,
            'A stage that takes <b class="x-streaming">{stage_share}</b> of the time, run no faster, changes nothing. The other {rest} set a ceiling for later: {ceiling}.',
        ),
        otherwise(
            'A stage that takes <b class="x-streaming">{stage_share}</b> of the time, run {stage_speedup} faster, makes the whole {gain} faster. '
            "The other {rest} set the ceiling: {ceiling}, of whose gain {reached} is reached."
        ),
    ),
    description="Overall speedup against the speedup of one stage: a curve that bends under its ceiling, beside the straight line of an ideal.",
    formula=(overall_speedup, "S"),
    worked=("gain",),
    table=Table(
        "The whole, by how much faster the stage runs",
        "stage_speedup",
        (1, 2, 4, 8, 20),
        lambda k: {"Overall": quantity(speedup(k), "ratio", "streaming")},
    ),
    chart=chart,
    what_to_try="Leave the stage at 4× and move its share from 50 % to 90 %. Then ask what you would rather have: a stage twice as fast, or a stage with a larger share.",
)
