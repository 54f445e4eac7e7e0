"""Figure 12.3: time per token of the same sweep, forecast from the model's shape and two shares, with and without the prompts of others."""

from functools import reduce

import numpy as np

from explainer.evidence import relative_error
from explainer.evidence.models import SWEEP, prompt_alone, requests_that_run, step_alone, step_among_prompts
from explainer.formulas.roofline import operation_time
from explainer.page.figure import Case, Figure, Table, otherwise, quantity
from explainer.page.figures.sweep_law import SWEEP_CLIENTS, clients_axis, of_row
from explainer.page.parameters import symbols
from explainer.page.trace import name

mfu, mbu, clients = symbols("sweep_mfu sweep_mbu sweep_clients")

SEATS = requests_that_run()
TOKENS = SWEEP[0].output_tokens
Y = (0, 125)


def errors(model):
    return [relative_error(model(row.concurrency, mfu, mbu), row.itl_seconds) for row in SWEEP]


ALONE, AMONG = errors(step_alone), errors(step_among_prompts)


def chart():
    import altair as alt

    from explainer.page.drawing import curve, field, framed, point, shade, signal

    x = clients_axis()
    y = alt.Y("t:Q", title="milliseconds per token", scale=alt.Scale(domain=Y, nice=False), axis=alt.Axis(tickCount=6))
    layers = [point(c=clients).mark_rule(strokeDash=[2, 4], clip=True).encode(x=x, color=shade("limit"))]
    at = 10.0 ** (field("i") / 80 * np.log10(300))
    words = {
        "decode": (step_alone, "decode step alone", [5, 4], 290.0, 32),
        "prefill": (step_among_prompts, "with the prompts of others", [1, 0], 57.0, 0),
    }
    for meaning, (model, label, dash, end, below) in words.items():
        line = curve(80, c=at, t=model(field("c"), mfu, mbu) * 1000)
        layers.append(
            line.mark_line(strokeWidth=2.4, strokeDash=dash, clip=True).encode(x=x, y=y, color=shade(meaning))
        )
        here = (
            point(c=end, t=model(end, mfu, mbu) * 1000)
            .transform_filter(f"datum.t < {Y[1]}")
            .transform_calculate(label=f"'{label}'")
        )
        layers.append(
            here.mark_text(align="right", dx=0 if below else -12, dy=below, fontWeight="bold").encode(
                x=x, y=y, text="label:N", color=shade(meaning)
            )
        )
    rows = alt.Chart(alt.InlineData([{"c": row.concurrency, "t": row.itl_seconds * 1000} for row in SWEEP]))
    layers.append(rows.mark_point(filled=True, size=64, opacity=1, clip=True).encode(x=x, y=y, color=shade("ink")))
    layers.append(
        point(c=clients, t=signal("here") * 1000)
        .mark_point(size=170, strokeWidth=2, opacity=1, clip=True)
        .encode(x=x, y=y, color=shade("prefill"))
    )
    return framed(*layers)


def _columns(count):
    measured = of_row(count, "itl_seconds")
    alone, among = (model(count, mfu, mbu) for model in (step_alone, step_among_prompts))
    return {
        "Measured": quantity(measured, "ms"),
        "Decode step alone": quantity(alone, "ms", "decode"),
        "Off by": quantity(relative_error(alone, measured), "percent"),
        "With others’ prompts": quantity(among, "ms", "prefill"),
        "Off by ": quantity(relative_error(among, measured), "percent"),
    }


_here = np.isfinite(name("measured"))
_whole = "Over the eight rows it is off by {low} to {high}, {mean} on average; the decode step alone by up to {alone}."

FIGURE = Figure(
    name="sweep-step",
    number="12.3",
    controls={"Model": ("sweep_mfu", "sweep_mbu"), "Measured": ("sweep_clients",)},
    quantities={
        "measured": quantity(of_row(clients, "itl_seconds"), "ms"),
        "step": quantity(step_alone(clients, mfu, mbu), "ms", "decode"),
        "prompt": quantity(prompt_alone(mfu, mbu), "ms", "prefill"),
        "others": quantity(np.minimum(clients, SEATS) - 1, "requests", decimals=1),
        "here": quantity(name("step") + name("others") / TOKENS * name("prompt"), "ms", "prefill", "TPOT"),
        "off": quantity(relative_error(name("here"), name("measured")), "percent"),
        "low": quantity(reduce(np.minimum, AMONG), "percent"),
        "high": quantity(reduce(np.maximum, AMONG), "percent"),
        "mean": quantity(sum(map(np.abs, AMONG)) / len(AMONG), "percent"),
        "worst": quantity(reduce(np.maximum, map(np.abs, AMONG)), "percent"),
        "alone": quantity(reduce(np.maximum, map(np.abs, ALONE)), "percent"),
    },
    claim=(
        Case(name("worst") < 0.1, "Count the prompts of the others, and the whole table comes out within {worst}"),
        otherwise("With these two shares the model misses a row by {worst}"),
    ),
    sentence=(
        Case(
            _here,
            'With {sweep_clients}, a token took <b>{measured}</b>; the model says <b class="x-prefill">{here}</b>, off by {off}. '
            + _whole,
        ),
        otherwise('At {sweep_clients} nothing was measured; the model says <b class="x-prefill">{here}</b>. ' + _whole),
    ),
    description="Milliseconds per token against clients on a logarithmic scale. Measured dots rise and then lie flat; one model line follows them, the other stays far below.",
    formula=(operation_time, "T"),
    worked=("here",),
    table=Table("Time per token, measured and modelled", "sweep_clients", SWEEP_CLIENTS, _columns),
    chart=chart,
    what_to_try=(
        "Set both shares to 100 %, as a data sheet does: the line falls to little more than half the measured times. Then find other pairs that fit as well. There are several, which is why a fit is no proof."
    ),
    heights=(340, 280),
    margin=46,
)
