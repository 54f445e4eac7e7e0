"""Figure 10.4: how many requests support a claim; the interval around a share, by the size of the run."""

from functools import partial

import numpy as np

from explainer.formulas.goodput import requests_needed, wilson_interval
from explainer.page.figure import Case, Figure, Table, otherwise, quantity
from explainer.page.parameters import symbols

observed, promised, run = symbols("observed_share target_share requests_run")

CONFIDENCE = 0.95


def ends(requests):
    return wilson_interval(observed * requests, requests, CONFIDENCE)


low, high = ends(run)
SMALLEST, LARGEST = 10, 100_000


def chart():
    import altair as alt

    from explainer.page.drawing import curve, field, framed, point, shade, signal

    x = alt.X(
        "x:Q",
        title="requests in the run",
        scale=alt.Scale(type="log", domain=[SMALLEST, LARGEST], nice=False),
        axis=alt.Axis(values=[10, 100, 1000, 10000, 100000], format=","),
    )

    def y(column):
        return alt.Y(
            f"{column}:Q",
            title="good requests",
            scale=alt.Scale(domain=[0.5, 1], nice=False, clamp=True),
            axis=alt.Axis(values=[0.5, 0.6, 0.7, 0.8, 0.9, 1], format=".0%"),
        )

    sizes = SMALLEST * 10.0 ** (field("i") / 60 * np.log10(LARGEST / SMALLEST))
    band = curve(60, x=sizes, low=ends(field("x"))[0], high=ends(field("x"))[1])
    goal = point(t=promised).transform_calculate(label="'promised'")
    here = point(x=run, low=signal("low"), high=signal("high"), p=observed)
    return framed(
        band.mark_area(opacity=0.2, clip=True).encode(x=x, y=y("low"), y2="high:Q", color=shade("good")),
        goal.mark_rule(strokeWidth=1.8, strokeDash=[5, 4]).encode(y=y("t"), color=shade("limit")),
        here.mark_rule(strokeWidth=3, clip=True).encode(x=x, y=y("low"), y2="high:Q", color=shade("good")),
        here.mark_point(filled=True, size=90, opacity=1, clip=True).encode(x=x, y=y("p"), color=shade("good")),
        goal.mark_text(align="left", dx=6, dy=12).encode(
            x=alt.datum(SMALLEST), y=y("t"), text="label:N", color=shade("limit")
        ),
    )


_met, _failed = low >= promised, high < promised

FIGURE = Figure(
    name="sample-size",
    number="10.4",
    controls={"The run": ("observed_share", "requests_run"), "The promise": ("target_share",)},
    quantities={
        "low": quantity(low, "share", "good", "low", decimals=1),
        "high": quantity(high, "share", "good", "high", decimals=1),
        "needed": quantity(np.ceil(requests_needed(observed, promised, CONFIDENCE)), "requests"),
    },
    claim=(
        Case(_met, "{requests_run} are enough to say: met"),
        Case(_failed, "{requests_run} are enough to say: not met"),
        otherwise("{requests_run} cannot say whether {target_share} is met"),
    ),
    sentence=(
        Case(
            observed == promised,
            "Seen: {observed_share} of {requests_run}, exactly what was promised. No number of requests decides that.",
        ),
        Case(
            _met | _failed,
            'Seen: <b class="x-good">{observed_share}</b> of {requests_run}. The true share lies between {low} and {high} with 95 % confidence, all of it on one side of {target_share}.',
        ),
        otherwise(
            'Seen: <b class="x-good">{observed_share}</b> of {requests_run}. The true share may be anything from {low} to {high}: not decidable. It would take {needed}.'
        ),
    ),
    description="The 95 % interval around a share of good requests, narrowing as the run grows, beside the promised share.",
    formula=(partial(wilson_interval, confidence=CONFIDENCE), "low high"),
    worked=(),
    table=Table(
        "The interval around the share seen, by the size of the run",
        "requests_run",
        (10, 50, 100, 200, 500, 1000, 10000),
        lambda n: {
            "At least": quantity(ends(n)[0], "share", "good", decimals=1),
            "At most": quantity(ends(n)[1], "share", "good", decimals=1),
        },
    ),
    chart=chart,
    what_to_try='Find the smallest run that can confirm 95 % if 97 % were seen. Then ask for <a href="?observed_share=99.5&target_share=99#sample-size">99 % when 99.5 % were seen</a>.',
)
