"""Figure 2.1: two systems, one answer; the one that starts sooner may finish later."""

import numpy as np

from explainer.formulas.timing import completion_time, crossover_tokens, tokens_within
from explainer.page.figure import Case, Figure, Table, otherwise, quantity
from explainer.page.parameters import symbols

ttft_a, tpot_a, ttft_b, tpot_b, tokens, longest = symbols("ttft_a tpot_a ttft_b tpot_b tokens longest")

done_a = completion_time(ttft_a, tpot_a, tokens)
done_b = completion_time(ttft_b, tpot_b, tokens)
tie = crossover_tokens(ttft_a, tpot_a, ttft_b, tpot_b)
tie_time = completion_time(ttft_a, tpot_a, tie)
# seconds: the frame's height follows its width alone, so that no other control moves the axes; every first token is inside
ceiling = np.maximum(longest * 0.04, 6)

ties_here = np.abs(done_a - done_b) < 0.005
has_tie = np.isfinite(tie)
a_starts = ttft_a < ttft_b
b_starts = ttft_b < ttft_a


def chart():
    import altair as alt

    from explainer.page.drawing import curve, field, framed, live, point, shade, signal
    from explainer.page.vega import expression

    x = alt.X(
        "x:Q",
        title="tokens in the answer",
        scale=alt.Scale(domain=[0, live(longest)], nice=False, zero=False),
        axis=alt.Axis(tickCount=5),
    )
    frame = alt.Scale(domain=[0, live(ceiling)], nice=False)

    def y(column):
        return alt.Y(
            f"{column}:Q",
            title="seconds from sending to the last token",
            scale=frame,
            axis=alt.Axis(tickCount=4, labelExpr="datum.label + ' s'"),
        )

    lines = curve(
        60,
        x=1 + field("i") / 60 * (longest - 1),
        a=completion_time(ttft_a, tpot_a, field("x")),
        b=completion_time(ttft_b, tpot_b, field("x")),
    )
    here = point(x=tokens, a=signal("done_a"), b=signal("done_b"))
    crossing = point(x=signal("tie"), t=signal("tie_time"))
    ends = {
        system: point(
            x=np.minimum(longest, tokens_within(ceiling, ttft, tpot)),
            t=np.minimum(completion_time(ttft, tpot, longest), ceiling),
        )
        for system, ttft, tpot in (("a", ttft_a, tpot_a), ("b", ttft_b, tpot_b))
    }
    inside = f"datum.x <= longest && datum.t <= {expression(ceiling)}"
    return framed(
        here.mark_rule(strokeDash=[2, 4], clip=True).encode(x=x, color=shade("limit")),
        *(lines.mark_line(strokeWidth=2.5, clip=True).encode(x=x, y=y(each), color=shade(each)) for each in "ab"),
        *(
            here.mark_point(filled=True, size=70, opacity=1, clip=True, shape=shape).encode(
                x=x, y=y(each), color=shade(each)
            )
            for each, shape in (("a", "circle"), ("b", "square"))
        ),
        *(
            ends[each]
            .mark_text(align="left", dx=8, fontWeight="bold", fontSize=14, text=each.upper())
            .encode(x=x, y=y("t"), color=shade(each))
            for each in "ab"
        ),
        crossing.transform_filter(inside)
        .mark_point(size=90, filled=True, fill="var(--x-paper)", strokeWidth=2, opacity=1)
        .encode(x=x, y=y("t"), stroke=shade("ink")),
        crossing.transform_filter(inside)
        .transform_calculate(label="'tie: ' + format(datum.x, ',.1~f') + (datum.x == 1 ? ' token, ' : ' tokens, ') + format(datum.t, '.2~f') + ' s'")
        .mark_text(align=alt.ExprRef("datum.x > longest * 0.55 ? 'right' : 'left'"), baseline="top", dx=alt.ExprRef("datum.x > longest * 0.55 ? -10 : 12"), dy=5)
        .encode(x=x, y=y("t"), text="label:N"),
    )


def _columns(length):
    a, b = completion_time(ttft_a, tpot_a, length), completion_time(ttft_b, tpot_b, length)
    return {
        "A is done": quantity(a, "s", "a"),
        "B is done": quantity(b, "s", "b"),
        "B is sooner by": quantity(a - b, "s"),
    }


_A, _B = '<b class="x-a">A</b>', '<b class="x-b">B</b>'

FIGURE = Figure(
    name="start-or-finish",
    number="2.1",
    controls={
        "A": ("ttft_a", "tpot_a"),
        "B": ("ttft_b", "tpot_b"),
        "The answer": ("tokens",),
        "The picture": ("longest",),
    },
    quantities={
        "done_a": quantity(done_a, "s", "a", "T_A"),
        "done_b": quantity(done_b, "s", "b", "T_B"),
        "gap": quantity(np.abs(done_a - done_b), "s"),
        "head_start": quantity(np.abs(ttft_a - ttft_b), "s"),
        "tie": quantity(tie, "tokens"),
        "helps_until": quantity(np.floor(tie + 1e-9), "tokens"),  # the longest answer that the other does not win
        "tie_time": quantity(tie_time, "s"),
    },
    claim=(
        Case(has_tie & a_starts & (tpot_b < tpot_a), "After {helps_until}, starting sooner stops helping"),
        Case(has_tie & b_starts & (tpot_a < tpot_b), "After {helps_until}, starting sooner stops helping"),
        Case(
            (ttft_a <= ttft_b) & (tpot_a <= tpot_b) & ((ttft_a < ttft_b) | (tpot_a < tpot_b)),
            "A starts no later and writes no slower: at no length does B win",
        ),
        Case(
            (ttft_b <= ttft_a) & (tpot_b <= tpot_a) & ((ttft_b < ttft_a) | (tpot_b < tpot_a)),
            "B starts no later and writes no slower: at no length does A win",
        ),
        otherwise("The same two clocks: no length tells these systems apart"),
    ),
    sentence=(
        Case(ties_here, f"At {{tokens}}, {_A} and {_B} are done together, after {{done_a}}."),
        Case(
            (done_b < done_a) & a_starts,
            f"At {{tokens}}, {_A} is done after {{done_a}} and {_B} after {{done_b}}: B finishes {{gap}} sooner though it starts {{head_start}} later.",
        ),
        Case(
            (done_a < done_b) & b_starts,
            f"At {{tokens}}, {_A} is done after {{done_a}} and {_B} after {{done_b}}: A finishes {{gap}} sooner though it starts {{head_start}} later.",
        ),
        Case(
            done_b < done_a,
            f"At {{tokens}}, {_A} is done after {{done_a}} and {_B} after {{done_b}}: B finishes {{gap}} sooner.",
        ),
        otherwise(
            f"At {{tokens}}, {_A} is done after {{done_a}} and {_B} after {{done_b}}: A finishes {{gap}} sooner."
        ),
    ),
    description="Completion time against answer length for two systems, as two straight lines; where they cross, both are done together.",
    formula=(completion_time, "T"),
    worked=("done_a", "done_b"),
    table=Table("When each answer is done, by its length", "tokens", (1, 11, 31, 51, 101, 201, 401, 1001), _columns),
    chart=chart,
    what_to_try=(
        "Make the answer 20 tokens long. Then give B the 0.4 s start that A has. Then ask which of the two a reader, who takes in about "
        "five tokens a second, would notice."
    ),
)
