"""Figure 7.3: two machines, shared or split into prefill and decode; better at some loads and worse at others."""

from functools import lru_cache, partial

import numpy as np

from explainer.formulas.offload import transfer_time
from explainer.page.figure import Case, ComputedTable, Computation, Figure, otherwise, quantity
from explainer.page.parameters import PAIR_RATES, symbols
from explainer.page.trace import name
from explainer.page.units import UNITS
from explainer.serving.examples import small_engine, small_engine_kv_bytes

pair_rate, long_prompt, link_rate, pace_limit = symbols("pair_rate long_prompt link_rate pace_limit")

ANSWER, REQUESTS, TTFT_LIMIT = 256, 1200, 1.0
LATENCY = 1e-4  # s to set a transfer up

cache = long_prompt * small_engine_kv_bytes()  # of a mean prompt


@lru_cache(maxsize=2)  # one of each layout
def _played(layout, long_prompt: float) -> list:
    """A layout's runs, one a rate: kept, since another limit judges the same runs, and another link plays only one layout
    anew."""
    from explainer.serving.lengths import Lognormal
    from explainer.serving.simulate import simulate
    from explainer.serving.workload import Poisson, Traffic

    workload = Traffic(Poisson(1), Lognormal(long_prompt, ANSWER), REQUESTS).draw()
    return [simulate(workload.faster(rate), layout) for rate in PAIR_RATES]


def run(values: dict[str, float]) -> dict:
    """The same two example machines in both layouts, over arrival rates, under both limits on the same request."""
    from explainer.serving.layout import OnePhase, Separated
    from explainer.slo.simulated import share_good

    layouts = {
        "shared": OnePhase(small_engine(), 2),
        "split": Separated(
            small_engine(8192), small_engine(), small_engine_kv_bytes(), values["link_rate"] * 1e9, LATENCY
        ),
    }
    good = partial(share_good, ttft=TTFT_LIMIT, tpot=values["pace_limit"] / 1000)
    rows = [{"x": rate} for rate in PAIR_RATES]
    for name, layout in layouts.items():
        for row, each in zip(rows, _played(layout, values["long_prompt"])):
            row[f"{name}_good"] = round(good(each), 4)
            row[f"{name}_ttft"] = round(float(np.median(each.requests.ttft)), 4)  # all are served, sooner or later
            row[f"{name}_gap"] = round(each.gaps.percentile(99), 4)
            if name == "split":
                row["split_second"] = round(each.gaps.percentile(50, "hand-over"), 4)
    return {"rows": {"pairs": rows}, "values": {}}


def chart():
    import altair as alt

    from explainer.page.drawing import framed, point, shade, signal

    x = alt.X("x:Q", title="requests a second", scale=alt.Scale(domain=[0, 30], nice=False), axis=alt.Axis(tickCount=6))

    def y(column):
        return alt.Y(
            f"{column}:Q",
            title="good requests",
            scale=alt.Scale(domain=[0, 1], nice=False),
            axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".0%"),
        )

    curves = alt.Chart(alt.NamedData("pairs"))
    here = point(x=pair_rate, shared=signal("shared_good"), split=signal("split_good"))
    layers = [here.mark_rule(strokeDash=[2, 4]).encode(x=x, color=shade("limit"))]
    for layout, meaning, shape, side in (("shared", "a", "circle", "right"), ("split", "b", "square", "left")):
        label = curves.transform_filter("datum.x == 14")
        layers += [
            curves.mark_line(
                strokeWidth=2.8,
                clip=True,
                point={"size": 34, "filled": True, "color": f"var(--x-{meaning})", "shape": shape},
            ).encode(x=x, y=y(f"{layout}_good"), color=shade(meaning)),
            here.mark_point(size=160, strokeWidth=2, filled=False).encode(x=x, y=y(layout), color=shade(meaning)),
            label.mark_text(
                align=side,
                dx=10 if side == "left" else -10,
                dy=0 if side == "left" else 8,
                fontWeight="bold",
                text=layout,
            ).encode(x=x, y=y(f"{layout}_good"), color=shade(meaning)),
        ]
    return framed(*layers)


shared, split = name("shared_good"), name("split_good")
_SHARED, _SPLIT = '<b class="x-a">shared</b>', '<b class="x-b">split</b>'

FIGURE = Figure(
    name="two-machines",
    number="7.3",
    controls={"The load": ("pair_rate", "long_prompt"), "The machines": ("link_rate",), "The limits": ("pace_limit",)},
    quantities={
        "shared_good": quantity(None, "share", "a", decimals=1),
        "split_good": quantity(None, "share", "b", decimals=1),
        "shared_ttft": quantity(None, "wait", "a"),
        "split_ttft": quantity(None, "wait", "b"),
        "shared_gap": quantity(None, "ms", "a"),
        "split_gap": quantity(None, "ms", "b"),
        "split_second": quantity(None, "wait", "b"),
        "cache": quantity(cache, "GB", "b"),
        "setup": quantity(LATENCY, "ms", "b"),
        "transfer": quantity(transfer_time(name("setup"), name("cache"), link_rate), "ms", "b", "T"),
        "crossing": quantity(1 / transfer_time(LATENCY, cache, link_rate), "req/s", "b"),
    },
    claim=(
        Case((shared < 0.5) & (split < 0.5), "Beyond what two machines can do: neither layout keeps the limits"),
        Case(split > shared + 0.02, "At this load, splitting the two machines is better"),
        Case(shared > split + 0.02, "At this load, sharing the two machines is better"),
        otherwise("At this load, it makes little difference how the two machines are used"),
    ),
    sentence=(
        otherwise(
            f"At {{pair_rate}}, {_SHARED} machines serve {{shared_good}} within both limits (1 s to the first token, {{pace_limit}} a token) and {_SPLIT} ones {{split_good}}. The median first token takes {{shared_ttft}} against {{split_ttft}}; "
            "one gap in a hundred is longer than {shared_gap} against {split_gap}. "
            "The cache of a mean prompt, {cache}, crosses the link in {transfer}, so that no more than {crossing} get across; half the second tokens come {split_second} or more after the first, and that counts in TPOT."
        ),
    ),
    description="The share of good requests against the load, for two machines that share all work and for the same two split into prefill and decode. The curves cross.",
    formula=(transfer_time, "T"),
    worked=("transfer",),
    table=ComputedTable(
        "Two example machines under both limits, shared and split",
        "pairs",
        {
            "Requests a second": ("x", UNITS["req/s"], "ink"),
            "Shared: good": ("shared_good", UNITS["share"].with_decimals(1), "a"),
            "Split: good": ("split_good", UNITS["share"].with_decimals(1), "b"),
            "Shared: TTFT p50": ("shared_ttft", UNITS["wait"], "a"),
            "Split: TTFT p50": ("split_ttft", UNITS["wait"], "b"),
            "Shared: gap p99": ("shared_gap", UNITS["ms"], "a"),
            "Split: gap p99": ("split_gap", UNITS["ms"], "b"),
            "Split: second token after": ("split_second", UNITS["wait"], "b"),
        },
    ),
    chart=chart,
    what_to_try="Slow the link to 3 GB/s: fewer caches get across than requests come, and splitting fails at once. Then loosen the limit on TPOT to 50 ms: the reason to split is gone.",
    computation=Computation(
        run,
        {
            "long_prompt": (512, 1024, 2048, 4096),
            "link_rate": (3, 6, 12, 50, 400),
            "pace_limit": (10, 15, 20, 30, 50),
        },
        at="pair_rate",
        picks={
            f"{layout}_{short}": ("pairs", f"{layout}_{short}")
            for layout in ("shared", "split")
            for short in ("good", "ttft", "gap")
        }
        | {"split_second": ("pairs", "split_second")},
    ),
    heights=(330, 270),
)
