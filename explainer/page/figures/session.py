"""Figure 10.5: a session is many requests; how often all of them are good."""

from explainer.formulas.agents import all_within, any_beyond, share_needed
from explainer.page.figure import Figure, Table, otherwise, quantity
from explainer.page.parameters import symbols

call_share, calls = symbols("call_share calls")

all_good = all_within(call_share, calls)
LONGEST = 100


def chart():
    import altair as alt

    from explainer.page.drawing import curve, field, framed, point, shade, signal

    x = alt.X(
        "x:Q",
        title="requests in a session",
        scale=alt.Scale(domain=[0, LONGEST], nice=False),
        axis=alt.Axis(tickCount=5),
    )
    y = alt.Y(
        "s:Q",
        title="sessions in which every request was good",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".0%"),
    )
    line = curve(99, x=1 + field("i"), s=all_within(call_share, field("x")))
    here = point(x=calls, s=signal("all_good"))
    words = here.transform_calculate(label="format(datum.s, '.1%')")
    return framed(
        line.mark_line(strokeWidth=2.8).encode(x=x, y=y, color=shade("good")),
        here.mark_rule(strokeDash=[2, 4]).encode(x=x, color=shade("limit")),
        here.mark_point(filled=True, size=90, opacity=1).encode(x=x, y=y, color=shade("good")),
        words.mark_text(
            align=alt.ExprRef("datum.x > 75 ? 'right' : 'left'"),
            dx=alt.ExprRef("datum.x > 75 ? -10 : 10"),
            dy=-10,
            fontWeight="bold",
        ).encode(x=x, y=y, text="label:N", color=shade("good")),
    )


FIGURE = Figure(
    name="session",
    number="10.5",
    controls={"Each request": ("call_share",), "The session": ("calls",)},
    quantities={
        "all_good": quantity(all_good, "share", "good", "Q", decimals=1),
        "spoiled": quantity(any_beyond(1 - call_share, calls), "share", "missed", "P", decimals=1),
        "needed": quantity(share_needed(0.95, calls), "share", decimals=2),
    },
    claim=(otherwise("{call_share} good requests make {all_good} good sessions of {calls}"),),
    sentence=(
        otherwise(
            'If {call_share} of requests are good, <b class="x-good">{all_good}</b> of sessions of {calls} meet no bad one, and {spoiled} meet at '
            "least one. For 95 % good sessions, {needed} of requests would have to be."
        ),
    ),
    description="The share of sessions in which every request was good, falling as sessions get longer.",
    formula=(all_within, "Q"),
    worked=("all_good",),
    table=Table(
        "Sessions, by the number of requests in one",
        "calls",
        (1, 2, 5, 10, 20, 30, 50, 100),
        lambda k: {
            "All good": quantity(all_within(call_share, k), "share", "good", decimals=1),
            "At least one bad": quantity(any_beyond(1 - call_share, k), "share", "missed", decimals=1),
        },
    ),
    chart=chart,
    what_to_try='A page that asks 30 services at once is as slow as the slowest: with <a href="?call_share=99&calls=30#session">1 % slow calls, 26.0 % of pages</a> wait for one.',
)
