"""Figure 2.2: who finishes first, over the length of the answer and the difference in TTFT."""

import numpy as np

from explainer.formulas.timing import completion_time
from explainer.page.figure import Case, Figure, Table, otherwise, quantity
from explainer.page.parameters import symbols

tpot_a, tpot_b, tokens, start_gap, longest = symbols("tpot_a tpot_b tokens start_gap longest")

WIDEST = 5  # the frame: seconds either way


def lead(length):
    """Seconds by which A may start sooner and still end with B: what B gains in writing an answer of this length."""
    return completion_time(0, tpot_a, length) - completion_time(0, tpot_b, length)


border = lead(tokens)
margin = np.abs(start_gap - border)
level = margin < 0.005
b_first = start_gap < border


def chart():
    import altair as alt

    from explainer.page.drawing import curve, field, framed, live, point, shade

    x = alt.X(
        "x:Q",
        title="tokens in the answer",
        scale=alt.Scale(domain=[0, live(longest)], nice=False),
        axis=alt.Axis(tickCount=5),
    )

    def y(column):
        return alt.Y(
            f"{column}:Q",
            title="A starts sooner by (below 0: later)",
            scale=alt.Scale(domain=[-WIDEST, WIDEST], nice=False),
            axis=alt.Axis(values=[-4, -2, 0, 2, 4], labelExpr="datum.label + ' s'"),
        )

    edge = curve(
        40,
        x=1 + field("i") / 40 * (longest - 1),
        d=lead(field("x")),
        low=-WIDEST + 0 * field("i"),
        high=WIDEST + 0 * field("i"),
    )
    here = point(x=np.minimum(tokens, longest), d=start_gap)
    # Each side's words stand in the corner that its region reaches last: the faster writer's on the right, the other's on the left.
    left, right = 0.03 * longest, 0.97 * longest
    b_faster = tpot_b < tpot_a
    words = {
        "a": point(x=np.where(b_faster, left, right), d=0.78 * WIDEST + 0 * field("i")),
        "b": point(x=np.where(b_faster, right, left), d=-0.78 * WIDEST + 0 * field("i")),
    }
    side = {"a": live(b_faster, "'left'", "'right'"), "b": live(b_faster, "'right'", "'left'")}
    return framed(
        edge.mark_area(opacity=0.16, clip=True).encode(x=x, y=y("d"), y2="high:Q", color=shade("a")),
        edge.mark_area(opacity=0.16, clip=True).encode(x=x, y=y("low"), y2="d:Q", color=shade("b")),
        edge.mark_line(strokeWidth=2, clip=True).encode(x=x, y=y("d"), color=shade("ink")),
        *(
            words[each]
            .mark_text(align=side[each], fontWeight="bold", fontSize=14, text=f"{each.upper()} is done first")
            .encode(x=x, y=y("d"), color=shade(each))
            for each in "ab"
        ),
        here.mark_point(size=110, filled=True, fill="var(--x-paper)", strokeWidth=2.5, opacity=1).encode(
            x=x, y=y("d"), stroke=shade("ink")
        ),
        here.transform_calculate(label="tokens > longest ? 'you are further on →' : 'you are here'")
        .mark_text(
            align=live(tokens > longest * 0.6, "'right'", "'left'"),
            dx=live(tokens > longest * 0.6, "-11", "11"),
            dy=live(start_gap > 0.8 * WIDEST, "14", "-11"),
        )
        .encode(x=x, y=y("d"), text="label:N"),
    )


_A, _B = '<b class="x-a">A</b>', '<b class="x-b">B</b>'

FIGURE = Figure(
    name="who-wins",
    number="2.2",
    controls={"A": ("tpot_a",), "B": ("tpot_b",), "You": ("tokens", "start_gap"), "The picture": ("longest",)},
    quantities={
        "border": quantity(border, "s", symbol="gain_B"),
        "margin": quantity(margin, "s"),
        "per_token": quantity(np.abs(tpot_a - tpot_b), "ms", decimals=0),
    },
    claim=(
        Case((tpot_b < tpot_a) & (start_gap > 0), "Every further token pays B back {per_token} of A’s head start"),
        Case((tpot_a < tpot_b) & (start_gap < 0), "Every further token pays A back {per_token} of B’s head start"),
        Case(tpot_b < tpot_a, "Every further token puts B another {per_token} ahead"),
        Case(tpot_a < tpot_b, "Every further token puts A another {per_token} ahead"),
        otherwise("At the same pace, whoever starts first ends first"),
    ),
    sentence=(
        Case(level & (start_gap > 0), f"At {{tokens}}, with A starting {{start_gap}} sooner, {_A} and {_B} are done together."),
        Case(level & (start_gap < 0), f"At {{tokens}}, although B starts sooner, {_A} and {_B} are done together."),
        Case(level, f"At {{tokens}}, with both starting together, {_A} and {_B} are done together."),
        Case(b_first & (start_gap == 0), f"At {{tokens}}, with both starting together, {_B} is done first, by {{margin}}."),
        Case(start_gap == 0, f"At {{tokens}}, with both starting together, {_A} is done first, by {{margin}}."),
        Case(
            b_first & (start_gap >= 0),
            f"At {{tokens}}, with A starting {{start_gap}} sooner, {_B} is done first, by {{margin}}.",
        ),
        Case(b_first, f"At {{tokens}}, with B starting sooner too, {_B} is done first, by {{margin}}."),
        Case(
            start_gap >= 0, f"At {{tokens}}, with A starting {{start_gap}} sooner, {_A} is done first, by {{margin}}."
        ),
        otherwise(f"At {{tokens}}, although B starts sooner, {_A} is done first, by {{margin}}."),
    ),
    description="A map over answer length and head start: above the border A is done first, below it B. A ring marks the reader's own point.",
    formula=(completion_time, "T"),
    worked=("border",),
    table=Table(
        "The head start of A that B makes good, by length",
        "tokens",
        (1, 11, 31, 51, 101, 201, 401, 1001),
        lambda length: {"B makes good": quantity(lead(length), "s")},
    ),
    chart=chart,
    what_to_try="Set both paces to 20 ms: the border lies flat at zero, and length no longer matters. Then find the head start at which your own answer length changes hands.",
)
