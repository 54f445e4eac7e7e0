"""Figure 4.3: the measured time of one linear layer, and the roofline held against it with its error."""

from functools import reduce

import numpy as np

from explainer.catalog import accelerator, linear_layer_times
from explainer.formulas.roofline import critical_batch, operation_time
from explainer.page.figure import Case, Figure, Table, otherwise, quantity
from explainer.page.parameters import MEASURED, lookup, symbols
from explainer.page.trace import name

gpu, tokens_here, mfu, mbu = symbols("measured_gpu layer_tokens mfu mbu")

LAYER = "Llama 2 70B gate and up projection"
rows = {
    each: [row for row in linear_layer_times() if row.accelerator == each and row.layer == LAYER] for each in MEASURED
}
one = rows[MEASURED[0]][0]
flop_rate = lookup(gpu, [accelerator(each).bf16_flop_per_s for each in MEASURED])
bandwidth = lookup(gpu, [accelerator(each).memory_bytes_per_s for each in MEASURED])


def work(tokens):
    """Operations of the layer, and bytes that it reads and writes."""
    return 2 * one.weights * tokens, one.bytes_per_value * (one.weights + tokens * (one.inputs + one.outputs))


def modelled(tokens):
    """The roofline of this layer, with the shares of its two peaks that are reached."""
    flops, moved = work(tokens)
    return operation_time(flops, flop_rate * mfu, moved, bandwidth * mbu)


def measured(index):
    return lookup(gpu, [rows[each][index].time_seconds for each in MEASURED])


TOKENS = [row.tokens for row in rows[MEASURED[0]]]
assert all([row.tokens for row in each] == TOKENS for each in rows.values())
errors = [modelled(tokens) / measured(index) - 1 for index, tokens in enumerate(TOKENS)]
worst = reduce(np.maximum, map(np.abs, errors))
mean = sum(map(np.abs, errors)) / len(errors)
low, high = reduce(np.minimum, errors), reduce(np.maximum, errors)


def chart():
    import altair as alt

    from explainer.page.drawing import curve, field, framed, point, shade

    x = alt.X(
        "x:Q",
        title="tokens in one pass",
        scale=alt.Scale(type="log", domain=[1, 4096], nice=False),
        axis=alt.Axis(values=[1, 4, 16, 64, 256, 1024, 4096], format=","),
    )
    y = alt.Y(
        "t:Q",
        title="milliseconds for the layer",
        scale=alt.Scale(type="log", domain=[0.2, 20], nice=False),
        axis=alt.Axis(values=[0.2, 0.5, 1, 2, 5, 10, 20]),
    )
    line = curve(72, x=2.0 ** (field("i") / 6), t=modelled(field("x")) * 1000)
    times = [[row.time_seconds * 1000 for row in rows[each]] for each in MEASURED]
    dots = alt.Chart(
        alt.InlineData(
            [
                {"x": tokens, "g": index, "t": times[index][at]}
                for index in range(len(MEASURED))
                for at, tokens in enumerate(TOKENS)
            ]
        )
    ).transform_filter("datum.g == measured_gpu")
    here = point(x=tokens_here)
    return framed(
        here.mark_rule(strokeDash=[2, 4]).encode(x=x, color=shade("limit")),
        line.mark_line(strokeWidth=2.2, clip=True).encode(x=x, y=y, color=shade("decode")),
        dots.mark_point(filled=True, size=48, opacity=1, clip=True).encode(x=x, y=y, color=shade("ink")),
    )


def measured_at(tokens):
    """The measured time for a number of tokens; nan where it was not measured."""
    return reduce(lambda found, at: np.where(tokens == TOKENS[at], measured(at), found), range(len(TOKENS)), np.nan)


def _columns(tokens):
    return {
        "Measured": quantity(measured_at(tokens), "ms"),
        "Model": quantity(modelled(tokens), "ms", "decode"),
        "Model is off by": quantity(modelled(tokens) / measured_at(tokens) - 1, "share"),
    }


FIGURE = Figure(
    name="measured-layer",
    number="4.3",
    controls={"Measured": ("measured_gpu", "layer_tokens"), "Model": ("mfu", "mbu")},
    quantities={
        "worst": quantity(worst, "share"),
        "mean": quantity(mean, "share"),
        "low": quantity(low, "share"),
        "high": quantity(high, "share"),
        "bend": quantity(critical_batch(flop_rate * mfu, bandwidth * mbu, one.bytes_per_value), "tokens"),
        "floor": quantity(modelled(1), "ms", "decode", "T_1"),
        "flops": quantity(work(tokens_here)[0], "TFLOP", "prefill"),
        "moved": quantity(work(tokens_here)[1], "GB", "decode"),
        "arithmetic": quantity(flop_rate * mfu, "TFLOP/s", "prefill"),
        "memory": quantity(bandwidth * mbu, "TB/s", "decode"),
        "here": quantity(
            operation_time(name("flops"), name("arithmetic"), name("moved"), name("memory")), "ms", "decode", "T"
        ),
        "rise": quantity(
            np.where(gpu == 0, measured(TOKENS.index(128)), measured(TOKENS.index(64))) / measured(0) - 1, "share"
        ),
    },
    claim=(
        Case(gpu == 0, "On an H100, 128 tokens in one pass take only {rise} longer than one"),
        otherwise("On an A100, 64 tokens take only {rise} longer than one; then it bends"),
    ),
    sentence=(
        otherwise(
            'Dots: the time measured. Line: the <b class="x-decode">model</b>, flat at {floor} while the weights are read, bending near {bend}. Over the 21 points it '
            "is off by {mean} on average, from {low} to {high}."
        ),
    ),
    description="Time of one layer against tokens in the pass, both on logarithmic scales: measured dots lie flat, then rise; the model's line follows with an error.",
    formula=(operation_time, "T"),
    worked=("here",),
    table=Table("The layer's time, measured and modelled", "layer_tokens", tuple(TOKENS), _columns),
    chart=chart,
    what_to_try=(
        "Set both shares to 100 %, as a data sheet does, and read the error. Then switch to the A100 and find the shares that fit it: they are not the H100’s."
    ),
    heights=(340, 270),
)
