"""Figure 7.2: prompts in pieces; the token budget of a pass trades the first wait against the gaps."""

from explainer.page.figure import Case, ComputedTable, Computation, Figure, otherwise, quantity
from explainer.page.parameters import BUDGETS, symbols
from explainer.page.trace import name
from explainer.page.units import UNITS

budget, steady_rate, long_prompt = symbols("budget steady_rate long_prompt")

ANSWER, REQUESTS = 256, 1500


def run(values: dict[str, float]) -> dict:
    """The example engine over token budgets, at one arrival rate."""
    from explainer.serving.examples import small_engine
    from explainer.serving.feeds import by_budget
    from explainer.serving.layout import OnePhase
    from explainer.serving.lengths import Lognormal

    found = by_budget(
        OnePhase(small_engine()),
        Lognormal(values["long_prompt"], ANSWER),
        values["steady_rate"],
        BUDGETS,
        count=REQUESTS,
    )
    columns = ("ttft_p95", "tpot_p95", "worst_gap_p50", "steady_rate")
    rows = [
        {"x": size, **{column: round(found[column][at], 5) for column in columns}} for at, size in enumerate(BUDGETS)
    ]
    return {"rows": {"budgets": rows}, "values": {}}


def chart():
    import altair as alt

    from explainer.page.drawing import framed, point, shade, signal

    x = alt.X(
        "x:Q",
        title="token budget of a pass",
        scale=alt.Scale(type="log", base=2, domain=[256, 16384], nice=False),
        axis=alt.Axis(values=list(BUDGETS), format=","),
    )

    def y(column):
        return alt.Y(
            f"{column}:Q",
            title="seconds",
            scale=alt.Scale(type="log", domain=[0.005, 1000], nice=False, clamp=True),
            axis=alt.Axis(values=[0.01, 0.1, 1, 10, 100, 1000], format="~g"),
        )

    curves = alt.Chart(alt.NamedData("budgets"))
    label = curves.transform_filter("datum.x == 4096")
    here = point(x=budget, ttft=signal("ttft"), gap=signal("gap"))
    return framed(
        here.mark_rule(strokeDash=[2, 4]).encode(x=x, color=shade("limit")),
        curves.mark_line(
            strokeWidth=2.8, clip=True, point={"size": 36, "filled": True, "color": "var(--x-waiting)"}
        ).encode(x=x, y=y("ttft_p95"), color=shade("waiting")),
        curves.mark_line(
            strokeWidth=2.8,
            clip=True,
            point={"size": 36, "filled": True, "color": "var(--x-decode)", "shape": "square"},
        ).encode(x=x, y=y("worst_gap_p50"), color=shade("decode")),
        here.mark_point(size=160, strokeWidth=2, filled=False, clip=True).encode(
            x=x, y=y("ttft"), color=shade("waiting")
        ),
        here.mark_point(size=160, strokeWidth=2, filled=False, clip=True).encode(
            x=x, y=y("gap"), color=shade("decode")
        ),
        label.mark_text(dy=-14, fontWeight="bold", text="first token, p95").encode(
            x=x, y=y("ttft_p95"), color=shade("waiting")
        ),
        label.mark_text(dy=18, fontWeight="bold", text="longest gap, median").encode(
            x=x, y=y("worst_gap_p50"), color=shade("decode")
        ),
    )


FIGURE = Figure(
    name="token-budget",
    number="7.2",
    controls={"The engine": ("budget",), "The load": ("steady_rate", "long_prompt")},
    quantities={
        "ttft": quantity(None, "wait", "waiting"),
        "gap": quantity(None, "ms", "decode"),
        "tpot": quantity(None, "ms", "decode"),
        "served": quantity(None, "req/s"),
    },
    claim=(
        Case(
            name("served") < 0.96 * steady_rate,
            "At this budget the engine cannot keep up: the budget moves the capacity itself",
        ),
        Case(budget <= 512, "Small pieces: the stream hardly stutters, and {ttft} to the first token"),
        otherwise("Large pieces: half of the answers stall for {gap} or more at least once"),
    ),
    sentence=(
        Case(
            name("served") < 0.96 * steady_rate,
            'With {budget} a pass, only {served} of {steady_rate} are served: the queue grows, and 95 % of <b class="x-waiting">first tokens</b> come within {ttft} for a run of 1,500.',
        ),
        otherwise(
            'With {budget} a pass, 95 % of <b class="x-waiting">first tokens</b> come within {ttft}. Half of the answers have a <b class="x-decode">gap</b> of {gap} or more between two tokens; TPOT is {tpot} or less for 95 %.'
        ),
    ),
    description="Two curves over the token budget, on logarithmic scales: the time to first token falls, then stays; the longest gap in an answer rises.",
    formula=None,
    worked=(),
    table=ComputedTable(
        "The example engine by its token budget (served: in the middle of a run of 1,500, where chance moves it by some percent)",
        "budgets",
        {
            "Budget": ("x", UNITS["tokens"], "ink"),
            "TTFT p95": ("ttft_p95", UNITS["wait"], "waiting"),
            "Longest gap, median": ("worst_gap_p50", UNITS["ms"], "decode"),
            "TPOT p95": ("tpot_p95", UNITS["ms"], "decode"),
            "Served": ("steady_rate", UNITS["req/s"], "ink"),
        },
    ),
    chart=chart,
    what_to_try="Raise the load to 14 a second. The smallest and the largest budgets both fail, and not for the same reason.",
    computation=Computation(
        run,
        {"steady_rate": (6, 8, 10, 12, 14), "long_prompt": (512, 1024, 2048, 4096)},
        at="budget",
        picks={
            "ttft": ("budgets", "ttft_p95"),
            "gap": ("budgets", "worst_gap_p50"),
            "tpot": ("budgets", "tpot_p95"),
            "served": ("budgets", "steady_rate"),
        },
    ),
    heights=(340, 280),
)
