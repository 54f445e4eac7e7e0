"""Figure 12.2: a measured sweep of one server, and three laws held against its throughput."""

from functools import reduce

import numpy as np

from explainer.evidence import relative_error
from explainer.evidence.models import SWEEP
from explainer.formulas.closed_loop import throughput_bound
from explainer.formulas.concurrency import aggregate_rate, output_rate
from explainer.formulas.timing import completion_time
from explainer.page.figure import Case, Figure, Table, otherwise, quantity
from explainer.page.parameters import SWEEP_CLIENTS, symbols
from explainer.page.trace import name

law, clients = symbols("sweep_law sweep_clients")

TOKENS = SWEEP[0].output_tokens
assert tuple(row.concurrency for row in SWEEP) == SWEEP_CLIENTS
ALONE = float(completion_time(SWEEP[0].ttft_seconds, SWEEP[0].itl_seconds, TOKENS))
PEAK = max(row.output_tokens_per_s for row in SWEEP) / TOKENS


def of_row(count, attribute):
    """A column of the table at a number of clients; nan where there is no such row."""
    return reduce(lambda found, row: np.where(count == row.concurrency, getattr(row, attribute), found), SWEEP, np.nan)


def by_law(index, count, ttft, tpot):
    """Tokens a second for all, by one of three laws."""
    bound = throughput_bound(count, ALONE, 0, PEAK) * TOKENS
    return np.where(
        index == 0, output_rate(count, ttft, tpot, TOKENS), np.where(index == 1, aggregate_rate(count, tpot), bound)
    )


def errors(index):
    return [
        relative_error(by_law(index, row.concurrency, row.ttft_seconds, row.itl_seconds), row.output_tokens_per_s)
        for row in SWEEP
    ]


LOW, HIGH = (reduce(extreme, errors(law)) for extreme in (np.minimum, np.maximum))
Y = (40, 4000)


def clients_axis():
    """The horizontal axis of both figures of the sweep."""
    import altair as alt

    return alt.X(
        "c:Q",
        title="clients, each waiting for its answer",
        scale=alt.Scale(type="log", domain=(0.85, 320), nice=False),
        axis=alt.Axis(values=[1, 5, 25, 50, 100, 250], format=","),
    )


def chart():
    import altair as alt

    from explainer.page.drawing import field, framed, live, point, shade, signal
    from explainer.page.vega import expression

    x = clients_axis()
    y = alt.Y(
        "v:Q",
        title="tokens a second for all",
        scale=alt.Scale(type="log", domain=Y, nice=False),
        axis=alt.Axis(values=[50, 100, 200, 500, 1000, 2000], format=","),
    )
    rows = alt.Chart(
        alt.InlineData(
            [
                {"c": row.concurrency, "w": row.ttft_seconds, "t": row.itl_seconds, "v": row.output_tokens_per_s}
                for row in SWEEP
            ]
        )
    )
    layers = [point(c=clients).mark_rule(strokeDash=[2, 4], clip=True).encode(x=x, color=shade("limit"))]
    for index in (1, 2, 0):
        line = rows.transform_calculate(v=expression(by_law(index, field("c"), field("w"), field("t"))))
        chosen = law == index
        layers.append(
            line.mark_line(strokeWidth=live(chosen, "2.6", "1.2"), opacity=live(chosen, "1", "0.45"), clip=True).encode(
                x=x, y=y, color=shade("decode")
            )
        )
    layers.append(rows.mark_point(filled=True, size=64, opacity=1, clip=True).encode(x=x, y=y, color=shade("ink")))
    layers.append(
        point(c=clients, v=signal("computed"))
        .mark_point(size=170, strokeWidth=2, opacity=1, clip=True)
        .encode(x=x, y=y, color=shade("decode"))
    )
    words = (
        {"c": 150, "v": 2300, "s": "streams alone", "of": 1},
        {"c": 19, "v": 1150, "s": "bound", "of": 2},
        {"c": 11, "v": 210, "s": "Little’s law", "of": 0},
    )
    for each in words:
        label = alt.Chart(alt.InlineData([each])).mark_text(
            align="left" if each["of"] == 0 else "right",
            fontSize=13,
            fontWeight="bold",
            opacity=live(law == each["of"], "1", "0.75"),
        )
        layers.append(label.encode(x=x, y=y, text="s:N", color=shade("decode")))
    layers.append(
        point(c=250.0, v=640.0)
        .mark_text(align="right", fontSize=13, fontWeight="bold", text="measured")
        .encode(x=x, y=y, color=shade("ink"))
    )
    return framed(*layers)


def _columns(count):
    ttft, tpot, measured = (of_row(count, each) for each in ("ttft_seconds", "itl_seconds", "output_tokens_per_s"))
    computed = by_law(law, count, ttft, tpot)
    return {
        "To first token": quantity(ttft, "s", "waiting"),
        "Per token": quantity(tpot, "ms", "streaming"),
        "Measured": quantity(measured, "tok/s"),
        "Computed": quantity(computed, "tok/s", "decode"),
        "Off by": quantity(relative_error(computed, measured), "percent"),
    }


_here = np.isfinite(name("measured"))
_ROW = 'With {sweep_clients}, <b>{measured}</b> were measured. The chosen <b class="x-decode">law</b> gives {computed}: off by {off}. Over all eight rows it is off by {low} to {high}.'

FIGURE = Figure(
    name="sweep-law",
    number="12.2",
    controls={"The law": ("sweep_law",), "Measured": ("sweep_clients",)},
    quantities={
        "ttft": quantity(of_row(clients, "ttft_seconds"), "s", "waiting"),
        "tpot": quantity(of_row(clients, "itl_seconds"), "ms", "streaming"),
        "measured": quantity(of_row(clients, "output_tokens_per_s"), "tok/s"),
        "computed": quantity(by_law(law, clients, name("ttft"), name("tpot")), "tok/s", "decode"),
        "off": quantity(relative_error(name("computed"), name("measured")), "percent"),
        "little": quantity(output_rate(clients, name("ttft"), name("tpot"), TOKENS), "tok/s", "decode", "X"),
        "low": quantity(LOW, "percent"),
        "high": quantity(HIGH, "percent"),
    },
    claim=(
        Case(law == 0, "Two latencies and Little’s law give eight measured throughputs within {high}"),
        Case(law == 1, "Leave out the wait, and 250 clients seem to get three times what they got"),
        otherwise("A bound is not a forecast: near its knee the server stays a third below"),
    ),
    sentence=(
        Case(_here & (law > 0), _ROW + " (The equation is Little’s law, for comparison.)"),
        Case(_here, _ROW),
        otherwise(
            "At {sweep_clients} nothing was measured, and nothing is drawn between the dots as if it were: the rows are 1, 5, 25, 50, 100, 150, 200 and 250."
        ),
    ),
    description="Measured tokens a second against clients, both on logarithmic scales: dots rise and then lie flat. Three lines: one through the dots, one that goes on rising, one that bends too late.",
    formula=(output_rate, "X"),
    worked=("little",),
    table=Table("The sweep, measured and computed by the chosen law", "sweep_clients", SWEEP_CLIENTS, _columns),
    chart=chart,
    what_to_try=(
        "Take the second law. Up to 50 clients it looks right; from there on the clients that wait are counted as if they streamed. Then type 75 clients: there is no such row, and the figure says so."
    ),
    heights=(340, 280),
    margin=52,
)
