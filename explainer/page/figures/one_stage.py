"""Figure 3.1: a wait that stays and a stage that gets faster; what the whole gains."""

from explainer.formulas.speedup import accelerated_time, overall_speedup
from explainer.page.figure import Case, Figure, Table, otherwise, quantity
from explainer.page.parameters import symbols

waiting, streaming, stage_speedup = symbols("waiting streaming stage_speedup")

before = accelerated_time(waiting, streaming, 1)
after = accelerated_time(waiting, streaming, stage_speedup)
stage_after = accelerated_time(0, streaming, stage_speedup)
gain = overall_speedup(waiting, streaming, stage_speedup)

FRAME = 58  # seconds: both stages at their longest


def chart():
    import altair as alt

    from explainer.page.drawing import framed, point, shade, signal

    x = alt.X(
        "start:Q",
        title="seconds",
        scale=alt.Scale(domain=[0, FRAME], nice=False),
        axis=alt.Axis(tickCount=5, grid=True),
    )
    rows = alt.Y(
        "row:N",
        title=None,
        scale=alt.Scale(domain=["before", "after"], paddingInner=0.45, paddingOuter=0.25),
        axis=alt.Axis(labelFontSize=13),
    )
    layers = []
    for row, stage, total in (("before", streaming, "before"), ("after", signal("stage_after"), "after")):
        parts = {"waiting": (0 * waiting, waiting), "streaming": (waiting, waiting + stage)}
        for meaning, (start, end) in parts.items():
            bar = point(start=start, end=end, middle=(start + end) / 2, long=end - start).transform_calculate(
                row=f"'{row}'"
            )
            layers.append(
                bar.mark_bar(opacity=0.9, cornerRadius=2).encode(x=x, x2="end:Q", y=rows, color=shade(meaning))
            )
            inside = bar.transform_filter("datum.long > 11").mark_text(fontWeight="bold", text=meaning)
            layers.append(inside.encode(x=alt.X("middle:Q"), y=rows, color=shade("paper")))
        end = point(start=signal(total)).transform_calculate(row=f"'{row}'", label="format(datum.start, '.1f') + ' s'")
        layers.append(
            end.mark_text(align="left", dx=8, fontWeight="bold", fontSize=15).encode(
                x=x, y=rows, text="label:N", color=shade("ink")
            )
        )
    return framed(*layers)


FIGURE = Figure(
    name="one-stage",
    number="3.1",
    controls={"": ("waiting", "streaming", "stage_speedup")},
    quantities={
        "before": quantity(before, "s"),
        "after": quantity(after, "s", symbol="T"),
        "stage_after": quantity(stage_after, "s", "streaming"),
        "gain": quantity(gain, "ratio", symbol="S"),
        "saved": quantity(before - after, "s"),
    },
    claim=(
        Case((stage_speedup == 1) | (streaming == 0), "Nothing made faster, nothing gained"),
        Case(
            (gain < stage_speedup - 0.005) & (waiting > 0),
            "{stage_speedup} faster streaming makes the answer {gain} faster",
        ),
        Case(before == 0, "No wait at all: nothing to make faster"),
        otherwise("With nothing to wait for first, the stage is the whole: {gain}"),
    ),
    sentence=(
        Case(before == 0, "There is nothing to wait for and nothing to make faster; the overall speedup is undefined."),
        Case(stage_speedup == 1, "The answer takes {before}, and nothing in it has been made faster."),
        Case(streaming == 0, "The answer takes {before}, all of it waiting. There is no stream to make faster."),
        Case(waiting == 0, "The answer took {before}, all of it streaming. With the stream {stage_speedup} faster it takes {after}: that is {gain}."),
        otherwise(
            'The answer took {before}. With the <b class="x-streaming">stream</b> {stage_speedup} faster it takes {after}: '
            'that is {gain}, because {waiting} of <b class="x-waiting">waiting</b> stay as they were.'
        ),
    ),
    description="Two bars of seconds, before and after: the waiting part stays the same length, the streaming part shrinks.",
    formula=(accelerated_time, "T"),
    worked=("after", "gain"),
    table=Table(
        "The whole answer, by how much faster the stream runs",
        "stage_speedup",
        (1, 2, 4, 8, 20),
        lambda k: {
            "Whole answer": quantity(accelerated_time(waiting, streaming, k), "s"),
            "Overall": quantity(overall_speedup(waiting, streaming, k), "ratio"),
        },
    ),
    chart=chart,
    what_to_try=(
        "Make the stream as fast as it goes: the answer never gets below the first wait. Then "
        '<a href="?waiting=10&streaming=2&stage_speedup=4#one-stage">shorten the stream to 2 s</a>: four times faster now takes 12 s to 10.5 s.'
    ),
    heights=(250, 220),
)
