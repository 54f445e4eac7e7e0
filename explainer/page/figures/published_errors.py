"""Figure 12.1: how far every published value lies from ours, the misses by their reason."""

import numpy as np

from explainer.evidence import GROUPS, NOT_REPRODUCED, PUBLISHED_WRONG, REPRODUCED, evidence, group, relative_error
from explainer.page.figure import Case, Figure, Table, otherwise, quantity
from explainer.page.parameters import EVIDENCE_GROUPS, lookup, symbols
from explainer.page.trace import name

subject, accepted = symbols("evidence_group accepted_error")

ALL = len(GROUPS)  # the index of the last option: all of them
BY_SUBJECT = [group(each) for each in GROUPS] + [evidence()]
assert len(BY_SUBJECT) == len(EVIDENCE_GROUPS)
EXACT = 1e-6  # what lies nearer than this is drawn there
PROMISE = 10.0  # s: what a difference means, on a promise

MISSED, FOUND = (
    (0.36, 1.0),
    (0.0, 0.27),
)  # the two parts of the frame: what was missed, line by line, and what was found
LINES = 18
assert all(len({row.mistake for row in rows if row.mistake}) <= LINES for rows in BY_SUBJECT)


def counted(index, status):
    """Values of a subject with some status."""
    return lookup(index, [sum(row.status == status for row in rows) for rows in BY_SUBJECT])


def within(index, difference):
    """Values of a subject that lie within a difference of ours."""
    return lookup(
        index, [_steps(sorted(max(abs(row.error), 1e-12) for row in rows), 0, difference) for rows in BY_SUBJECT]
    )


def _steps(errors, fewer, difference):
    """How many of these errors, sorted, lie within a difference, and those that are fewer before them: a tree of comparisons, as shallow as can be."""
    if not errors:
        return fewer
    middle = len(errors) // 2
    return np.where(
        difference < errors[middle] * (1 - 1e-12),
        _steps(errors[:middle], fewer, difference),
        _steps(errors[middle + 1 :], fewer + middle + 1, difference),
    )


def _lines(rows):
    """The reasons of a subject's misses, the largest miss first: on which line of the upper part each lies."""
    reasons = {}
    for row in rows:
        if row.mistake:
            reasons.setdefault(row.mistake, []).append(abs(row.error))
    return {reason: index for index, reason in enumerate(sorted(reasons, key=lambda each: -max(reasons[each])))}


def _drawn():
    """A datum for each value and each subject it is shown under: g, the subject; e, its error; y, its place; kind; and at the first of a line its reason."""
    data = []
    for index, rows in enumerate(BY_SUBJECT):
        lines = _lines(rows)
        low, high = MISSED
        found = 0
        for row in sorted(rows, key=lambda each: abs(each.error)):
            error = max(abs(row.error), EXACT)
            datum = {"g": index, "kind": row.status[0]}
            if row.mistake:
                place = high - (lines[row.mistake] + 0.5) * (high - low) / LINES
                first = not any(each.get("at") == (index, row.mistake) for each in data)
                datum |= {"e": error, "y": place, "at": (index, row.mistake)} | ({"why": row.mistake} if first else {})
            else:
                found += 1
                spread = found * 0.6180339887 % 1
                datum |= {
                    "e": error * 10 ** (0.9 * (found * 0.7548776662 % 1)) if error == EXACT else error,
                    "y": FOUND[0] + (FOUND[1] - FOUND[0]) * spread,
                }
            data.append(datum)
    return [{key: value for key, value in each.items() if key != "at"} for each in data]


def chart():
    import altair as alt

    from explainer.page.drawing import framed, live, point, shade

    scale = alt.Scale(type="log", domain=[EXACT, 4], nice=False)
    ticks = [EXACT * 3, 1e-4, 1e-3, 1e-2, 1e-1, 1]
    axis = alt.Axis(
        values=ticks,
        labelExpr="datum.value < 1e-5 ? 'exact' : format(datum.value * 100, '~r') + ' %'",
        labelOverlap=False,
        grid=True,
    )
    x = alt.X("e:Q", title="difference from ours", scale=scale, axis=axis)
    y = alt.Y("y:Q", title=None, scale=alt.Scale(domain=[0, 1], nice=False), axis=None)
    dots = alt.Chart(alt.InlineData(_drawn())).transform_filter("datum.g == evidence_group")
    reasons = dots.transform_filter("isValid(datum.why)").transform_calculate(label="datum.why")
    here = point(e=accepted)
    parts = point(e=EXACT * 1.15, top=1.045, bottom=0.31)
    layers = [here.mark_rule(strokeDash=[4, 4], strokeWidth=1.5).encode(x=x, color=shade("limit"))]
    for kind, meaning, shape, size in (
        ("r", "good", "circle", 34),
        ("p", "missed", "diamond", 62),
        ("n", "limit", "square", 46),
    ):
        layers.append(
            dots.transform_filter(f"datum.kind == '{kind}'")
            .mark_point(filled=True, size=size, opacity=0.6 if kind == "r" else 1, shape=shape)
            .encode(x=x, y=y, color=shade(meaning))
        )
    for kind, meaning in (("p", "missed"), ("n", "limit")):
        words = {"align": "right", "dx": -9, "fontSize": live(name("width") > 420, "12", "11")}
        of_kind = reasons.transform_filter(f"datum.kind == '{kind}'")
        layers.append(
            of_kind.mark_text(**words, stroke="var(--x-paper)", strokeWidth=4).encode(x=x, y=y, text="label:N")
        )  # no line runs through the words
        layers.append(of_kind.mark_text(**words).encode(x=x, y=y, text="label:N", color=shade(meaning)))
    for place, words in (("top", "not as printed, and why"), ("bottom", "as printed")):
        height = alt.Y(f"{place}:Q", scale=alt.Scale(domain=[0, 1], nice=False), axis=None)
        head = {"align": "left", "baseline": "middle", "fontSize": 12, "fontWeight": "bold", "text": words}
        layers += [
            parts.mark_text(**head, stroke="var(--x-paper)", strokeWidth=4).encode(x=x, y=height),
            parts.mark_text(**head).encode(x=x, y=height, color=shade("quiet")),
        ]
    return framed(*layers)


FIGURE = Figure(
    name="published-errors",
    number="12.1",
    controls={"Published values": ("evidence_group",), "You": ("accepted_error",)},
    quantities={
        "values": quantity(lookup(subject, [len(rows) for rows in BY_SUBJECT]), "count"),
        "found": quantity(counted(subject, REPRODUCED), "count", "good"),
        "wrong": quantity(counted(subject, PUBLISHED_WRONG), "count", "missed"),
        "missed": quantity(counted(subject, NOT_REPRODUCED), "count", "limit"),
        "within": quantity(within(subject, accepted), "count"),
        "share": quantity(name("within") / name("values"), "share"),
        "promise": quantity(PROMISE, "s", decimals=0),
        "late": quantity(name("promise") * (1 + accepted), "s", "limit", "T"),
    },
    claim=(
        Case(name("wrong") + name("missed") == 0, "All {values} values come out to the last printed digit"),
        Case(name("wrong") == 1, "{found} of {values} values come out as printed; one was published wrong"),
        Case(name("wrong") > 0, "{found} of {values} values come out as printed; {wrong} were published wrong"),
        otherwise("{found} of {values} values come out as printed; {missed} we do not reproduce"),
    ),
    sentence=(
        otherwise(
            'Of {values} values, <b class="x-good">{found} are reproduced</b>, <b class="x-missed">{wrong} published wrong</b> and '
            '<b class="x-limit">{missed} not reproduced</b>. {within} lie within {accepted_error} of ours ({share}). To accept that is to accept {late} where {promise} was promised.'
        ),
    ),
    description=(
        "Dots on a logarithmic axis of relative difference. Most lie at the left, reproduced to their printed digits; above them, line by line, those that are not, each line with its reason."
    ),
    formula=(relative_error, "e"),
    worked=("late",),
    table=Table(
        "Published values by subject",
        "evidence_group",
        tuple(range(ALL)),
        lambda index: {
            "Values": quantity(lookup(index, [len(rows) for rows in BY_SUBJECT]), "count"),
            "Reproduced": quantity(counted(index, REPRODUCED), "count", "good"),
            "Published wrong": quantity(counted(index, PUBLISHED_WRONG), "count", "missed"),
            "Not reproduced": quantity(counted(index, NOT_REPRODUCED), "count", "limit"),
            "Within your difference": quantity(within(index, accepted), "count"),
        },
    ),
    chart=chart,
    what_to_try=(
        "Choose a subject: most of the wrong values are sizes, and the commonest slip is a GiB that is called a GB. Then raise the difference that you would accept, and see how far it must go "
        "before a value that counts the key-value heads of the wrong model passes."
    ),
    heights=(500, 430),
    margin=16,
)
