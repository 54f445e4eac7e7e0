"""Figure 10.3: answers of one token have no TPOT; three rules for them, three shares of the same run."""

from functools import cache

from explainer.catalog.table import DATA
from explainer.page.figure import Case, ComputedTable, Computation, Figure, otherwise, quantity
from explainer.page.parameters import symbols
from explainer.page.units import UNITS, Unit

(one_token,) = symbols("one_token")

LIMITS = {"ttft": 0.200, "tpot": 0.020}
RULES = {"pass": "passes", "fail": "fails", "exclude": "is left out"}


@cache
def _table():
    from explainer.results.load import load

    return load([str(DATA / "runs" / "one-token.jsonl")]).runs[0]


def run(values: dict[str, float]) -> dict:
    """The example run judged under each rule; the chosen one marked."""
    from explainer.slo.rules import Limits, Rules
    from explainer.slo.verdict import judge

    verdicts = [judge(_table(), Limits(**LIMITS), Rules(one_token=rule)) for rule in RULES]
    rows = [
        {
            "rule": words,
            "good": int(each.good),
            "of": int(each.attempted),
            "share": float(each.share),
            "chosen": index == int(values["one_token"]),
            "mark": "this rule" if index == int(values["one_token"]) else "",
        }
        for index, (words, each) in enumerate(zip(RULES.values(), verdicts))
    ]
    chosen = rows[int(values["one_token"])]
    return {"rows": {"rules": rows}, "values": {"share": chosen["share"], "good": chosen["good"], "of": chosen["of"]}}


def chart():
    import altair as alt

    from explainer.page.drawing import framed, shade

    x = alt.X(
        "share:Q",
        title="good requests",
        scale=alt.Scale(domain=[0, 1], nice=False),
        axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".0%", grid=True),
    )
    y = alt.Y(
        "rule:N",
        title=None,
        scale=alt.Scale(domain=list(RULES.values()), paddingInner=0.4),
        axis=alt.Axis(labelFontSize=13),
    )
    rows = alt.Chart(alt.NamedData("rules"))
    words = rows.transform_calculate(label="datum.good + ' of ' + datum.of")
    return framed(
        rows.transform_filter("!datum.chosen")
        .mark_bar(opacity=0.2, cornerRadius=2)
        .encode(x=x, y=y, color=shade("good")),
        rows.transform_filter("datum.chosen")
        .mark_bar(opacity=0.6, cornerRadius=2)
        .encode(x=x, y=y, color=shade("good")),
        words.mark_text(align="left", x=8, fontWeight="bold").encode(y=y, text="label:N", color=shade("ink")),
    )


FIGURE = Figure(
    name="one-token-rule",
    number="10.3",
    controls={"Counting": ("one_token",)},
    quantities={
        "share": quantity(None, "share", "good", decimals=1),
        "good": quantity(None, "requests"),
        "of": quantity(None, "requests"),
    },
    claim=(otherwise("A rule nobody prints moves the same run to {share}"),),
    sentence=(
        Case(
            one_token == 0,
            'If an answer of one token <b class="x-good">passes</b> the TPOT limit, as it has no second token to wait for, {good:bare} of {of} are good: {share}. This is our rule, and vLLM’s.',
        ),
        Case(
            one_token == 1,
            'If an answer of one token fails, as it has no TPOT to show, {good:bare} of {of} are <b class="x-good">good</b>: {share}.',
        ),
        otherwise(
            'If answers of one token are left out, {good:bare} of the remaining {of} are <b class="x-good">good</b>: {share}.'
        ),
    ),
    description="Three bars: the share of good requests in one run if answers of one token pass, fail, or are left out.",
    formula=None,
    worked=(),
    table=ComputedTable(
        "The same 40 example requests under three rules",
        "rules",
        {
            "An answer of one token": ("rule", Unit("", ""), "ink"),
            "Good": ("good", UNITS["requests"], "good"),
            "Of": ("of", UNITS["requests"], "ink"),
            "Share": ("share", UNITS["share"].with_decimals(1), "good"),
            "Shown above": ("mark", Unit("", ""), "ink"),
        },
    ),
    chart=chart,
    what_to_try="Go through the three rules. Then find out which one your contract means; it may not say.",
    computation=Computation(run, {"one_token": (0, 1, 2)}),
    heights=(230, 210),
    margin=92,
)
