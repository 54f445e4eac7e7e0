"""Figure 4.2: every token reads all the weights once; the floor that no arithmetic lowers."""

import numpy as np

from explainer.formulas.roofline import critical_batch, operation_time
from explainer.page.figure import Case, Figure, Table, otherwise, quantity
from explainer.page.parameters import symbols
from explainer.page.trace import name

weight_size, bandwidth, flop_rate, batch = symbols("weight_size bandwidth flop_rate batch")

BYTES_PER_WEIGHT = 1


def operations(requests):
    """Two operations a weight for each request."""
    return 2 * (weight_size / BYTES_PER_WEIGHT) * requests


def step(requests):
    return operation_time(operations(requests), flop_rate, weight_size, bandwidth)


reading = operation_time(0, flop_rate, weight_size, bandwidth)
counting = operation_time(operations(batch), flop_rate, 0, bandwidth)
FRAME = 100  # ms


def chart():
    import altair as alt

    from explainer.page.drawing import framed, point, shade, signal

    x = alt.X(
        "end:Q",
        title="milliseconds for one step",
        scale=alt.Scale(domain=[0, FRAME], nice=False, clamp=True),
        axis=alt.Axis(tickCount=5, grid=True),
    )
    y = alt.Y(
        "row:N",
        title=None,
        scale=alt.Scale(domain=["read", "calculate"], paddingInner=0.45, paddingOuter=0.3),
        axis=alt.Axis(labelFontSize=13),
    )
    layers = []
    for row, key, meaning in (("read", "reading", "decode"), ("calculate", "counting", "prefill")):
        bar = point(end=signal(key) * 1000).transform_calculate(
            row=f"'{row}'",
            label=f"format({key} * 1000, ',.3~r') + ' ms' + ({key} * 1000 > {FRAME} ? ' →' : '')",
            zero="0",
        )
        beyond = f"{key} * 1000 > {FRAME * 0.86}"
        layers += [
            bar.mark_bar(cornerRadius=2, opacity=0.9).encode(x=alt.X("zero:Q"), x2="end:Q", y=y, color=shade(meaning)),
            bar.mark_text(
                align=alt.ExprRef(f"{beyond} ? 'right' : 'left'"),
                dx=alt.ExprRef(f"{beyond} ? -8 : 8"),
                fontWeight="bold",
                fontSize=15,
                fill=alt.ExprRef(f"{beyond} ? 'var(--x-paper)' : 'var(--x-ink)'"),
            ).encode(x=x, y=y, text="label:N"),
        ]
    floor = point(end=signal("step") * 1000)
    layers.append(floor.mark_rule(strokeDash=[4, 4], strokeWidth=1.5).encode(x=x, color=shade("ink")))
    return framed(*layers)


_reads = reading > counting * 1.005
_level = np.abs(counting - reading) <= reading * 0.005

FIGURE = Figure(
    name="weights-read",
    number="4.2",
    controls={"Model": ("weight_size",), "Hardware": ("bandwidth", "flop_rate"), "Work": ("batch",)},
    quantities={
        "reading": quantity(reading, "ms", "decode"),
        "counting": quantity(counting, "ms", "prefill"),
        "work": quantity(operations(batch), "TFLOP", "prefill"),
        "step": quantity(operation_time(name("work"), flop_rate, weight_size, bandwidth), "ms", "ink", "T"),
        "rate": quantity(batch / step(batch), "tok/s"),
        "turning": quantity(critical_batch(flop_rate, bandwidth, BYTES_PER_WEIGHT), "requests"),
    },
    claim=(
        Case(_reads, "{step} before anything else: faster arithmetic changes nothing here"),
        Case(_level, "{step} for both: here the arithmetic catches up with the reading"),
        Case(name("turning") < 1, "{step}, and it is the arithmetic, from the first request on"),
        otherwise("{step}, and it is the arithmetic: beyond {turning} it takes longer than the reading"),
    ),
    sentence=(
        Case(
            _reads,
            'To write one token, all <b class="x-decode">{weight_size}</b> of weights are read once: {reading} at {bandwidth}. The arithmetic for {batch} needs {counting} meanwhile and is not noticed.',
        ),
        Case(
            _level,
            'For {batch} at once the <b class="x-prefill">arithmetic</b> takes {counting}, as long as <b class="x-decode">reading</b> the weights. With fewer, faster memory helps; with more, faster arithmetic.',
        ),
        otherwise(
            'For {batch} at once the <b class="x-prefill">arithmetic</b> takes {counting}, longer than the {reading} of reading the weights. Here, and only here, faster arithmetic helps.'
        ),
    ),
    description="Two bars of milliseconds: reading the weights, and calculating with them. The longer one is the time of the step.",
    formula=(operation_time, "T"),
    worked=("step",),
    table=Table(
        "One step, by the number of requests in it",
        "batch",
        (1, 4, 16, 64, 256, 1024),
        lambda b: {"Step": quantity(step(b), "ms"), "All together": quantity(b / step(b), "tok/s")},
    ),
    chart=chart,
    what_to_try=(
        'Give the machine <a href="?flop_rate=800#weights-read">twice the arithmetic</a>: nothing. Give it <a href="?flop_rate=400&bandwidth=4#weights-read">twice the '
        "bandwidth</a> instead: half the time. Then add requests until the second bar catches up with the first."
    ),
    heights=(240, 220),
    margin=72,
)
