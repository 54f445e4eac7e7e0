"""Figure 7.4: an hour of production-like traffic on the example engine, at a part or a multiple of its volume."""

from functools import partial

from explainer.page.figure import Case, ComputedTable, Computation, Figure, otherwise, quantity
from explainer.page.parameters import symbols
from explainer.page.trace import name
from explainer.page.units import UNITS, Unit

(traffic,) = symbols("traffic")

LIMITS = {"ttft": 1.0, "tpot": 0.030}
MINUTES = 58


def run(values: dict[str, float]) -> dict:
    """The hour, minute by minute, and as a whole."""
    from explainer.serving.examples import small_engine
    from explainer.serving.feeds import hour
    from explainer.serving.layout import OnePhase
    from explainer.slo.simulated import share_good

    found = hour(OnePhase(small_engine()), float(values["traffic"]), share_good=partial(share_good, **LIMITS))
    minutes = found["minutes"]
    rows = [
        {"x": minute, "arrivals": arrivals, "p50": _rounded(p50), "p95": _rounded(p95)}
        for minute, arrivals, p50, p95 in zip(
            minutes["minute"], minutes["arrivals"], minutes["ttft_p50"], minutes["ttft_p95"]
        )
    ]
    whole = found["whole"]
    return {
        "rows": {"minutes": rows},
        "values": {
            "good": whole["good"],
            "p95": whole["ttft_p95"],
            "tpot": whole["tpot_p95"],
            "requests": whole["attempted"],
            "rate": whole["attempted"] / (60 * MINUTES),
        },
    }


def _rounded(value):
    return None if value is None else round(value, 3)


def chart():
    import altair as alt

    from explainer.page.drawing import framed, point, shade

    x = alt.X(
        "x:Q", title="minute of the hour", scale=alt.Scale(domain=[0, MINUTES], nice=False), axis=alt.Axis(tickCount=6)
    )

    def y(column):
        return alt.Y(
            f"{column}:Q",
            title="time to first token, seconds",
            scale=alt.Scale(type="log", domain=[0.01, 3000], nice=False, clamp=True),
            axis=alt.Axis(values=[0.01, 0.1, 1, 10, 100, 1000], format="~g"),
        )

    minutes = alt.Chart(alt.NamedData("minutes"))
    limit = point(t=LIMITS["ttft"] + 0 * traffic)
    return framed(
        limit.mark_rule(strokeDash=[5, 4], strokeWidth=1.5).encode(y=y("t"), color=shade("limit")),
        limit.mark_text(align="left", dx=4, dy=-8, text="limit: 1 s").encode(
            x=alt.datum(0), y=y("t"), color=shade("limit")
        ),
        minutes.mark_line(strokeWidth=1.6, clip=True).encode(x=x, y=y("p50"), color=shade("waiting")),
        minutes.mark_line(strokeWidth=2.8, clip=True).encode(x=x, y=y("p95"), color=shade("waiting")),
        minutes.transform_filter("datum.x == 50")
        .mark_text(dy=-12, fontWeight="bold", text="p95")
        .encode(x=x, y=y("p95"), color=shade("waiting")),
        minutes.transform_filter("datum.x == 50")
        .mark_text(dy=14, text="p50")
        .encode(x=x, y=y("p50"), color=shade("waiting")),
    )


good = name("good")
_TRAFFIC = f"{{requests}} in {MINUTES} minutes, {{rate}} on average: "
_LIMITS = "both limits, 1 s to the first token and 30 ms a token"

FIGURE = Figure(
    name="production-hour",
    number="7.4",
    controls={"The load": ("traffic",)},
    quantities={
        "good": quantity(None, "share", "good", decimals=1),
        "p95": quantity(None, "wait", "waiting"),
        "tpot": quantity(None, "ms"),
        "requests": quantity(None, "requests"),
        "rate": quantity(None, "req/s"),
    },
    claim=(otherwise("{traffic} the recorded traffic: {good} of the requests are good"),),
    sentence=(
        Case(
            (name("tpot") > LIMITS["tpot"]) & (name("p95") <= LIMITS["ttft"]),
            _TRAFFIC + '<b class="x-waiting">95 %</b> start within {p95}, but for one answer in twenty TPOT is {tpot} or more, beyond its limit of 30 ms. {good} keep ' + _LIMITS + ".",
        ),
        Case(
            name("tpot") > LIMITS["tpot"],
            _TRAFFIC + '95 % start within <b class="x-waiting">{p95}</b>. Even TPOT breaks its limit of 30 ms now: {tpot} or less for 95 %. {good} keep both limits. What one minute cannot serve waits in the next.',
        ),
        Case(
            good >= 0.95,
            _TRAFFIC + '<b class="x-waiting">95 %</b> start within {p95}, TPOT is {tpot} or less for 95 %, and {good} keep ' + _LIMITS + ".",
        ),
        otherwise(
            _TRAFFIC + '95 % start within <b class="x-waiting">{p95}</b>. TPOT is still {tpot} or less for 95 %; {good} keep ' + _LIMITS + '. What one minute cannot serve waits in the next.'
        ),
    ),
    description="Time to first token, median and 95th percentile, in each minute of an hour of traffic, on a logarithmic scale, with a limit at one second.",
    formula=None,
    worked=(),
    table=ComputedTable(
        "Each minute of the hour",
        "minutes",
        {
            "Minute": ("x", Unit("", "", decimals=0), "ink"),
            "Arrivals": ("arrivals", UNITS["requests"], "ink"),
            "TTFT p50": ("p50", UNITS["wait"], "waiting"),
            "TTFT p95": ("p95", UNITS["wait"], "waiting"),
        },
    ),
    chart=chart,
    what_to_try="Go from the recorded volume to its double and on to four times. Which multiple would you have promised after looking at the average rate alone?",
    computation=Computation(run, {"traffic": (0.5, 1, 1.5, 2, 2.5, 3, 4)}),
    heights=(330, 270),
)
