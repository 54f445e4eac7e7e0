"""Figure 4.1: prefill and decode of one model on one accelerator, as two points under one roof."""

import numpy as np

from explainer.catalog import accelerator, model
from explainer.formulas.decode import decode_flops_per_token, decode_step_bytes
from explainer.formulas.memory import weight_bytes
from explainer.formulas.prefill import prefill_flops
from explainer.formulas.roofline import arithmetic_intensity, operation_time, ridge_intensity
from explainer.page.figure import Case, Figure, Table, otherwise, quantity
from explainer.page.parameters import ACCELERATORS, MODELS, lookup, symbols
from explainer.page.trace import name

chosen_accelerator, chosen_model, prompt_tokens, batch, context_tokens = symbols(
    "accelerator model prompt_tokens batch context_tokens"
)

BYTES = 2  # a weight and a cached value at 16 bits
hardware = [accelerator(each) for each in ACCELERATORS]
shapes = [model(each) for each in MODELS]


def of_model(attribute):
    return lookup(chosen_model, [float(attribute(each)) for each in shapes])


flop_rate = lookup(chosen_accelerator, [each.bf16_flop_per_s for each in hardware])
bandwidth = lookup(chosen_accelerator, [each.memory_bytes_per_s for each in hardware])
capacity = lookup(chosen_accelerator, [each.memory_bytes for each in hardware])
weights = weight_bytes(of_model(lambda each: each.active_parameters), BYTES)
shape = (
    of_model(lambda each: each.layers),
    of_model(lambda each: each.heads),
    of_model(lambda each: each.attention_head_dim),
)

P, B, W = (
    name("flop_rate"),
    name("bandwidth"),
    name("weights"),
)  # as quantities of the figure, so that no expression repeats the look-up
F_prefill, F_decode, D_decode = name("flops_prefill"), name("flops_decode"), name("bytes_decode")
prefill_work = prefill_flops(
    prompt_tokens,
    0,
    of_model(lambda each: each.linear_parameters),
    of_model(lambda each: each.output_parameters),
    *shape,
)
step_work = batch * decode_flops_per_token(of_model(lambda each: each.active_parameters), context_tokens, *shape)


def step_bytes(requests):
    return decode_step_bytes(requests, context_tokens, W, of_model(lambda each: each.kv_bytes_per_token(BYTES)))


X, Y = (0.5, 30_000), (0.5, 5_000)  # the frame: FLOP per byte, TFLOP/s
POINTS = {"prefill": (F_prefill, W), "decode": (F_decode, D_decode)}


def chart():
    import altair as alt

    from explainer.page.drawing import curve, field, framed, point, shade, signal

    x = alt.X(
        "x:Q",
        title="operations for each byte read (FLOP/B)",
        scale=alt.Scale(type="log", domain=X, nice=False),
        axis=alt.Axis(values=[1, 10, 100, 1000, 10000], format=","),
    )
    y = alt.Y(
        "y:Q",
        title="TFLOP/s reached at best",
        scale=alt.Scale(type="log", domain=Y, nice=False),
        axis=alt.Axis(values=[1, 10, 100, 1000], format=","),
    )
    decades = np.log10(X[1] / X[0])
    roof = curve(60, x=X[0] * 10.0 ** (field("i") / 60 * decades), y=np.minimum(P, B * field("x")) / 1e12)
    layers = [roof.mark_line(strokeWidth=2, clip=True).encode(x=x, y=y, color=shade("ink"))]
    prefill_is_above = "flops_prefill / time_prefill >= flops_decode / time_decode"
    side = {"prefill": "-14 : 14", "decode": "14 : -14"}  # so that the words of two near points stand apart
    for meaning, (flops, moved) in POINTS.items():
        at = point(x=arithmetic_intensity(flops, moved), y=flops / signal(f"time_{meaning}") / 1e12)
        drop = curve(
            1,
            x=arithmetic_intensity(flops, moved),
            y=np.where(field("i") == 0, Y[0], flops / signal(f"time_{meaning}") / 1e12),
        )
        words = at.transform_calculate(label=f"'{meaning}: ' + format(time_{meaning} * 1000, ',.3~r') + ' ms'")
        layers += [
            drop.mark_line(strokeWidth=1.5, strokeDash=[3, 3], clip=True).encode(x=x, y=y, color=shade(meaning)),
            at.mark_point(
                filled=True, size=120, opacity=1, clip=True, shape="circle" if meaning == "prefill" else "square"
            ).encode(x=x, y=y, color=shade(meaning)),
            words.mark_text(
                align=alt.ExprRef("datum.x > 400 ? 'right' : 'left'"),
                dx=alt.ExprRef("datum.x > 400 ? -10 : 10"),
                dy=alt.ExprRef(f"{prefill_is_above} ? {side[meaning]}"),
                fontWeight="bold",
            ).encode(x=x, y=y, text="label:N", color=shade(meaning)),
        ]
    return framed(*layers)


_prefill_counts = name("time_prefill") * B > W * 1.000001
_decode_reads = name("time_decode") * P > F_decode * 1.000001
_PREFILL, _DECODE = '<b class="x-prefill">Prefill</b>', '<b class="x-decode">decode</b>'
_head = f"{_PREFILL} of {{prompt_tokens}} takes at least {{time_prefill}}; a {_DECODE} step for {{batch}} at least {{time_decode}}. "
_caches_too_big = "Weights and caches together are {bytes_decode} against {capacity} of memory: so many requests do not fit one {accelerator}."
_cache_too_big = "Weights and one cache together are {bytes_decode} against {capacity} of memory: this does not fit one {accelerator}."
_too_big = "The weights alone are {weights} against {capacity} of memory: this does not fit one {accelerator}."

FIGURE = Figure(
    name="roofline",
    number="4.1",
    controls={"Hardware": ("accelerator",), "Model": ("model",), "Work": ("prompt_tokens", "batch", "context_tokens")},
    quantities={
        "flop_rate": quantity(flop_rate, "TFLOP/s", "prefill"),
        "bandwidth": quantity(bandwidth, "TB/s", "decode"),
        "capacity": quantity(capacity, "GB"),
        "weights": quantity(weights, "GB"),
        "flops_prefill": quantity(prefill_work, "TFLOP", "prefill"),
        "flops_decode": quantity(step_work, "TFLOP", "decode"),
        "bytes_decode": quantity(step_bytes(batch), "GB", "decode"),
        "time_prefill": quantity(operation_time(F_prefill, P, W, B), "ms", "prefill", "T_prefill"),
        "time_decode": quantity(operation_time(F_decode, P, D_decode, B), "ms", "decode", "T_decode"),
        "ridge": quantity(ridge_intensity(P, B), "FLOP/B"),
        "per_token": quantity(name("time_decode") / batch, "ms", "decode"),
    },
    claim=(
        Case(_prefill_counts & _decode_reads, "Reading the prompt waits for arithmetic, writing waits for memory"),
        Case(_prefill_counts, "With {batch} together, writing waits for arithmetic too"),
        Case(_decode_reads, "A prompt this short waits for memory, as writing does"),
        otherwise("A short prompt waits for memory, a large batch for arithmetic"),
    ),
    sentence=(
        Case(W > name("capacity"), _head + _too_big),
        Case((D_decode > name("capacity")) & (batch == 1), _head + _cache_too_big),
        Case(D_decode > name("capacity"), _head + _caches_too_big),
        Case(
            _prefill_counts & _decode_reads,
            _head
            + "The first is limited by arithmetic, the second by reading {bytes_decode} from memory: they lie on two sides of {ridge}.",
        ),
        Case(_prefill_counts, _head + "Both are limited by arithmetic: right of {ridge}."),
        Case(_decode_reads, _head + "Both are limited by memory: left of {ridge}."),
        otherwise(_head + "The prompt is limited by memory, the batch by arithmetic."),
    ),
    description="A roofline: speed reached against operations per byte. The roof rises with memory bandwidth and then lies flat at the arithmetic peak; prefill and decode are two points under it.",
    formula=(operation_time, "T"),
    worked=("time_prefill", "time_decode"),
    table=Table(
        "One decode step, by the number of requests in it",
        "batch",
        (1, 4, 16, 64, 256, 1024),
        lambda b: {
            "Step": quantity(operation_time(F_decode / batch * b, P, step_bytes(b), B), "ms", "decode"),
            "For each token": quantity(operation_time(F_decode / batch * b, P, step_bytes(b), B) / b, "ms"),
            "Operations per byte": quantity(arithmetic_intensity(F_decode / batch * b, step_bytes(b)), "FLOP/B"),
        },
    ),
    chart=chart,
    what_to_try=(
        "Raise the number of requests decoded together and watch the square climb the slope: the step hardly takes longer, and each token costs less. Then "
        "lengthen their context: every request brings its own cache to read, and the square slides back."
    ),
    heights=(360, 280),
)
