"""Figure 7.1: the first wait against the load, twice: requests that come as they please, and clients that wait their turn."""

from explainer.page.figure import Case, ComputedTable, Computation, Figure, otherwise, quantity
from explainer.page.parameters import RATES, symbols
from explainer.page.trace import name
from explainer.page.units import UNITS

arrival_rate, mean_prompt, mean_answer = symbols("arrival_rate mean_prompt mean_answer")

CLIENTS = (1, 4, 16, 32, 64, 128, 192, 256)
REQUESTS = 1500  # of a point; above the capacity the wait grows with it


def run(values: dict[str, float]) -> dict:
    """Both experiments on the example engine: open over arrival rates, closed over numbers of clients."""
    from explainer.serving.examples import small_engine
    from explainer.serving.feeds import by_clients, by_rate
    from explainer.serving.layout import OnePhase
    from explainer.serving.lengths import Lognormal

    layout, lengths = OnePhase(small_engine()), Lognormal(values["mean_prompt"], values["mean_answer"])
    opened = by_rate(layout, lengths, RATES, count=REQUESTS)
    closed = by_clients(layout, lengths, CLIENTS, count=REQUESTS)
    rows = [
        {"x": rate, "p50": round(p50, 4), "p95": round(p95, 4), "tpot": round(tpot, 5)}
        for rate, p50, p95, tpot in zip(RATES, opened["ttft_p50"], opened["ttft_p95"], opened["tpot_p50"])
    ]
    loop = [
        {"x": round(rate, 3), "p95": round(p95, 4), "clients": clients}
        for rate, p95, clients in zip(closed["steady_rate"], closed["ttft_p95"], CLIENTS)
    ]
    return {
        "rows": {"opened": rows, "closed": loop},
        "values": {"capacity": max(opened["steady_rate"]), "worst_closed": max(closed["ttft_p95"])},
    }


def chart():
    import altair as alt

    from explainer.page.drawing import framed, point, shade, signal

    x = alt.X(
        "x:Q",
        title="requests a second: offered (open), served (closed)",
        scale=alt.Scale(type="log", domain=[1, 200], nice=False),
        axis=alt.Axis(values=[1, 2, 5, 10, 20, 50, 100]),
    )

    def y(column):
        return alt.Y(
            f"{column}:Q",
            title="time to first token, seconds",
            scale=alt.Scale(type="log", domain=[0.01, 1000], nice=False, clamp=True),
            axis=alt.Axis(values=[0.01, 0.1, 1, 10, 100, 1000], format="~g"),
        )

    opened, closed = alt.Chart(alt.NamedData("opened")), alt.Chart(alt.NamedData("closed"))
    here = point(x=arrival_rate, p50=signal("p50"), p95=signal("p95"))
    edge = point(x=signal("capacity"))
    last = opened.transform_filter("datum.x == 150")
    return framed(
        edge.mark_rule(strokeDash=[5, 4], strokeWidth=1.5, clip=True).encode(x=x, color=shade("limit")),
        opened.mark_line(strokeWidth=1.6, interpolate="monotone", clip=True).encode(
            x=x, y=y("p50"), color=shade("waiting")
        ),
        opened.mark_line(strokeWidth=2.8, interpolate="monotone", clip=True).encode(
            x=x, y=y("p95"), color=shade("waiting")
        ),
        closed.mark_line(strokeWidth=2.2, strokeDash=[6, 4], clip=True).encode(
            x=x, y=y("p95"), order="clients:Q", color=shade("b")
        ),
        closed.mark_point(shape="square", filled=True, size=26, opacity=1, clip=True).encode(
            x=x, y=y("p95"), color=shade("b")
        ),
        here.mark_rule(strokeDash=[2, 4]).encode(x=x, color=shade("limit")),
        here.mark_point(filled=True, size=85, opacity=1, clip=True).encode(x=x, y=y("p95"), color=shade("waiting")),
        here.mark_point(filled=True, size=50, opacity=1, clip=True).encode(x=x, y=y("p50"), color=shade("waiting")),
        last.mark_text(align="right", dy=-9, fontWeight="bold", text="p95").encode(
            x=x, y=y("p95"), color=shade("waiting")
        ),
        last.mark_text(align="right", dy=14, text="p50").encode(x=x, y=y("p50"), color=shade("waiting")),
        closed.transform_filter("datum.clients == 128")
        .mark_text(align="right", dx=-8, dy=-4, fontWeight="bold", text="closed, p95")
        .encode(x=x, y=y("p95"), color=shade("b")),
    )


p50, p95, capacity = name("p50"), name("p95"), name("capacity")

FIGURE = Figure(
    name="knee",
    number="7.1",
    controls={"The load": ("arrival_rate",), "The requests": ("mean_prompt", "mean_answer")},
    quantities={
        "p50": quantity(None, "wait", "waiting"),
        "p95": quantity(None, "wait", "waiting"),
        "tpot": quantity(None, "ms"),
        "capacity": quantity(None, "req/s"),
        "worst_closed": quantity(None, "wait", "b"),
    },
    claim=(
        Case(arrival_rate > capacity * 1.02, "Beyond {capacity} the queue only grows, and so does every wait"),
        Case(arrival_rate > capacity * 0.9, "Near {capacity} a little more load is a lot more wait"),
        otherwise("Far below {capacity} nobody waits in line"),
    ),
    sentence=(
        Case(
            arrival_rate > capacity * 1.02,
            'At {arrival_rate} offered, half the <b class="x-waiting">first tokens</b> come within {p50} and 95 % within {p95}, for a run of 1,500; a longer run waits longer. TPOT is {tpot}, and no further load moves it. '
            '<b class="x-b">Closed</b> clients wait no more than {worst_closed}, 95 % of the time, as there are never more than '
            f"{CLIENTS[-1]} of them.",
        ),
        otherwise(
            'At {arrival_rate} offered, half the <b class="x-waiting">first tokens</b> come within {p50} and 95 % within {p95}; TPOT is {tpot}. A fixed number of <b class="x-b">closed</b> clients slows its own '
            f"arrivals: it never asks for more than {{capacity}}, and with up to {CLIENTS[-1]} of them 95 % never wait more than {{worst_closed}}."
        ),
    ),
    description="Time to first token on a logarithmic scale against requests a second. Open arrivals: two curves that shoot up past the capacity. Closed clients: a dashed curve that reaches the capacity and stops there.",
    formula=None,
    worked=(),
    table=ComputedTable(
        "Open arrivals on the example engine: time to first token and per output token",
        "opened",
        {
            "Requests a second": ("x", UNITS["req/s"], "ink"),
            "TTFT p50": ("p50", UNITS["wait"], "waiting"),
            "TTFT p95": ("p95", UNITS["wait"], "waiting"),
            "TPOT p50": ("tpot", UNITS["ms"], "ink"),
        },
    ),
    chart=chart,
    what_to_try="Move the load through the dashed line and watch what TPOT says beyond it: nothing more. Then double the prompts, and find the line again.",
    computation=Computation(
        run,
        {"mean_prompt": (256, 512, 1024, 2048, 4096), "mean_answer": (64, 128, 256, 512)},
        at="arrival_rate",
        picks={"p50": ("opened", "p50"), "p95": ("opened", "p95"), "tpot": ("opened", "tpot")},
    ),
    heights=(350, 280),
)
