"""Figure 10.2: the same 48 requests through eight tools' files, under one rule of counting; the reader switches the rule."""

from functools import cache

from explainer.catalog.table import DATA
from explainer.page.figure import Case, ComputedTable, Computation, Figure, otherwise, quantity
from explainer.page.parameters import PARAMETERS, symbols
from explainer.page.units import UNITS, Unit

denominator, in_band_error, counted_length = symbols("denominator in_band_error counted_length")

RUNS = {  # as the figure names them: the folder of the run in data/runs/
    "AIPerf": "aiperf/failures",
    "GenAI-Perf": "genai-perf/failures",
    "GuideLLM": "guidellm/failures",
    "inference-perf": "inference-perf/failures",
    "vLLM 0.33": "vllm-0.33.0/failures",
    "SGLang": "sglang/failures_with_usage",
    "SGLang, no usage": "sglang/failures",
    "genai-bench": "genai-bench/failures",
}
LIMITS = {"ttft": 0.200, "tpot": 0.020}
_RULES = {
    "denominator": ("attempted", "served"),
    "in_band_error": ("failed", "answer"),
    "counted_length": ("measured", "requested"),
}


@cache
def _runs() -> dict:
    """Each run, read once from the tool's own file."""
    from explainer.results.load import load

    return {label: load([str(DATA / "runs" / folder)]).runs[0] for label, folder in RUNS.items()}


def run(values: dict[str, float]) -> dict:
    """Each run judged under one rule: its good requests, out of how many, and what the tool said itself."""
    from explainer.slo.rules import Limits, Rules
    from explainer.slo.verdict import judge

    chosen = {name: options[int(values[name])] for name, options in _RULES.items()}
    rules = Rules(
        denominator=chosen["denominator"], in_band_error=chosen["in_band_error"], length=chosen["counted_length"]
    )
    rows = []
    for label, table in _runs().items():
        verdict = judge(table, Limits(**LIMITS), rules)
        own = table.facts.report.share if table.facts.report else float("nan")
        rows.append(
            {
                "tool": label,
                "good": int(verdict.good),
                "of": int(verdict.attempted),
                "share": _known(verdict.share),
                "own": _known(own),
                "said": "nothing" if own != own else UNITS["share"].with_decimals(1).text(own),
            }
        )
    shares = [row["share"] for row in rows if row["share"] is not None]
    return {"rows": {"shares": rows}, "values": {"lowest": min(shares), "highest": max(shares)}}


def _known(value: float) -> float | None:
    return None if value != value else float(value)


def chart():
    import altair as alt

    from explainer.page.drawing import framed, shade

    def x(column):
        return alt.X(
            f"{column}:Q",
            title="good requests",
            scale=alt.Scale(domain=[0, 1], nice=False),
            axis=alt.Axis(values=[0, 0.5, 1], format=".0%", grid=True),
        )

    y = alt.Y(
        "tool:N",
        title=None,
        scale=alt.Scale(domain=list(RUNS), paddingInner=0.35),
        axis=alt.Axis(labelFontSize=12.5, labelLimit=200),
    )
    shares = alt.Chart(alt.NamedData("shares"))
    words = shares.transform_calculate(label="datum.good + ' of ' + datum.of")
    own = shares.transform_filter("isValid(datum.own)")
    return framed(
        shares.mark_bar(opacity=0.85, cornerRadius=2).encode(x=x("share"), y=y, color=shade("good")),
        own.mark_point(shape="diamond", size=75, filled=True, fill="var(--x-paper)", strokeWidth=2, opacity=1).encode(
            x=x("own"), y=y, stroke=shade("ink")
        ),
        words.mark_text(align="left", x=6, fontWeight="bold", fontSize=12).encode(
            y=y, text="label:N", color=shade("paper")
        ),
    )


_ours = (denominator == 0) & (in_band_error == 0) & (counted_length == 0)
_WORDS = Unit("", "")
_COUNTED = "Counted: out of {denominator}; an error inside a stream {in_band_error}; lengths {counted_length}."

FIGURE = Figure(
    name="five-shares",
    number="10.2",
    controls={"Counting": ("denominator", "in_band_error", "counted_length")},
    quantities={"lowest": quantity(None, "share", decimals=1), "highest": quantity(None, "share", decimals=1)},
    claim=(
        Case(_ours, "One server, one script, one rule: still {lowest} to {highest} good"),
        otherwise("Under this rule the same server is {lowest} to {highest} good"),
    ),
    sentence=(
        Case(
            _ours,
            f'Bars: <b class="x-good">good requests</b>. Diamonds: what the tool itself reports. The spread that is left is what the files do not hold, and noise. {_COUNTED}',
        ),
        Case(
            (denominator == 1) & (in_band_error == 1),
            f"The refused and the broken requests have left the denominator, and errors inside a stream have become answers: every share rises to {{lowest}} or more. {_COUNTED}",
        ),
        Case(
            denominator == 1,
            f"The refused and the broken requests have left the denominator. A server that turns half of its users away can reach 100 % like this. {_COUNTED}",
        ),
        Case(
            in_band_error == 1,
            f"An error event inside a stream that began with 200 is an answer now, where the file can tell. It is short, so it is fast, so it is good. {_COUNTED}",
        ),
        otherwise(
            f"TPOT is divided by the length that was asked for. Answers that stopped early look faster than they were, where the file holds both lengths. {_COUNTED}"
        ),
    ),
    description="Bars, one for each tool's result file of the same 48 requests: the share of good requests under the rule chosen. Diamonds mark the share that the tool itself reports, where it reports one.",
    formula=None,
    worked=(),
    table=ComputedTable(
        "Good requests under the rule chosen, and the tool's own share",
        "shares",
        {
            "Run": ("tool", _WORDS, "ink"),
            "Good": ("good", UNITS["requests"], "good"),
            "Of": ("of", UNITS["requests"], "ink"),
            "Share": ("share", UNITS["share"].with_decimals(1), "good"),
            "The tool says": ("said", _WORDS, "ink"),
        },
    ),
    chart=chart,
    what_to_try="Find the rule under which inference-perf's file gives the 75 % that the tool reports. Then ask your supplier which rule is behind the number in the offer.",
    computation=Computation(run, {name: tuple(range(len(PARAMETERS[name].options))) for name in _RULES}),
    heights=(330, 320),
    margin=128,
)
