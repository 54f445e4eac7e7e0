"""Figure 10.1: 400 requests under two limits; each 95th percentile passes and the pair does not."""

import numpy as np

from explainer.formulas.goodput import joint_bounds
from explainer.page.figure import Case, Figure, Table, otherwise, quantity
from explainer.page.parameters import symbols
from explainer.page.trace import name

limit_ttft, limit_tpot = symbols("limit_ttft limit_tpot")

REQUESTS, PROMISED = 400, 0.95
_generator = np.random.default_rng(2)  # an example: two lognormal waits that know nothing of each other
TTFT = np.round(np.exp(_generator.normal(np.log(0.210), 0.5, REQUESTS)), 3)
TPOT = np.round(np.exp(_generator.normal(np.log(0.025), 0.4, REQUESTS)), 4)


def share_of(conditions):
    """The share of traced conditions that hold, added in pairs so that the expression stays shallow."""
    terms = [np.where(each, 1, 0) for each in conditions]
    count = len(terms)
    while len(terms) > 1:
        terms = [sum(terms[at : at + 2]) for at in range(0, len(terms), 2)]
    return terms[0] / count


def within(limit, values):
    return share_of([float(value) <= limit for value in values])


def both(ttft_limit, tpot_limit):
    return share_of([(float(ttft) <= ttft_limit) & (float(tpot) <= tpot_limit) for ttft, tpot in zip(TTFT, TPOT)])


in_ttft, in_tpot, in_both = (
    name("in_ttft"),
    name("in_tpot"),
    name("in_both"),
)  # as quantities, so that 400 terms stand once and not in each use
X, Y = (50, 1000), (5, 100)  # the frame, ms


def chart():
    import altair as alt

    from explainer.page.drawing import framed, point, shade

    x = alt.X(
        "x:Q",
        title="time to first token, ms",
        scale=alt.Scale(type="log", domain=X, nice=False),
        axis=alt.Axis(values=[50, 100, 200, 500, 1000], format=","),
    )
    y = alt.Y(
        "y:Q",
        title="time per output token, ms",
        scale=alt.Scale(type="log", domain=Y, nice=False),
        axis=alt.Axis(values=[5, 10, 20, 50, 100]),
    )
    values = [{"x": float(ttft * 1000), "y": float(tpot * 1000)} for ttft, tpot in zip(TTFT, TPOT)]
    good = "datum.x <= limit_ttft && datum.y <= limit_tpot"
    requests = alt.Chart(alt.InlineData(values))
    edges = point(x=limit_ttft * 1000, y=limit_tpot * 1000)
    return framed(
        requests.transform_filter(good)
        .mark_point(filled=True, size=22, opacity=0.75, clip=True)
        .encode(x=x, y=y, color=shade("good")),
        requests.transform_filter(f"!({good})")
        .mark_point(shape="cross", filled=True, size=48, opacity=0.95, clip=True)
        .encode(x=x, y=y, color=shade("missed")),
        edges.mark_rule(strokeWidth=1.5).encode(x=x, color=shade("limit")),
        edges.mark_rule(strokeWidth=1.5).encode(y=y, color=shade("limit")),
    )


def _columns(limit):
    return {
        "TTFT in time": quantity(within(limit, TTFT), "share", decimals=1),
        "TPOT in time": quantity(in_tpot, "share", decimals=1),
        "Both": quantity(both(limit, limit_tpot), "share", "good", decimals=1),
    }


_both = (
    'TTFT is in time for {in_ttft} of 400 example requests, TPOT for {in_tpot}. <b class="x-good">Both</b> are in time for {in_both}; {missed} miss at least '
    "one limit. "
)
_passes = (in_ttft >= PROMISED) & (in_tpot >= PROMISED)

FIGURE = Figure(
    name="both-limits",
    number="10.1",
    controls={"Limits": ("limit_ttft", "limit_tpot")},
    quantities={
        "in_ttft": quantity(within(limit_ttft, TTFT), "share", decimals=1),
        "in_tpot": quantity(within(limit_tpot, TPOT), "share", decimals=1),
        "in_both": quantity(both(limit_ttft, limit_tpot), "share", "good", decimals=1),
        "missed": quantity((1 - in_both) * REQUESTS, "requests"),
        "least": quantity(joint_bounds(in_ttft, in_tpot)[0], "share", decimals=1, symbol="least"),
        "most": quantity(joint_bounds(in_ttft, in_tpot)[1], "share", decimals=1, symbol="most"),
    },
    claim=(
        Case(_passes & (in_both < PROMISED), "Each limit is met by 95 % and the pair is not"),
        Case(_passes, "Both limits, and the pair of them, are met by 95 %"),
        otherwise("At least one limit is missed by more than 5 %, so the pair is as well"),
    ),
    sentence=(
        Case(np.abs(name("most") - name("least")) < 0.001, _both + "Here the two shares alone leave no other possibility."),
        otherwise(_both + "The two shares alone would allow anything from {least} to {most}."),
    ),
    description="400 requests as points, time to first token against time per output token; two lines are the limits. Dots inside both are good, crosses outside are not.",
    formula=(joint_bounds, "least most"),
    worked=("least", "most"),
    table=Table(
        "Shares in time, by the limit on TTFT in ms, with the limit on TPOT set above",
        "limit_ttft",
        (200, 300, 400, 500, 700, 1000),
        _columns,
    ),
    chart=chart,
    what_to_try="Loosen one limit until its share is 100 %. The pair then is as good as the other limit alone, and no better. Then find limits for which the pair reaches 95 %.",
    heights=(360, 300),
)
