"""The closed forms against plain addition, and a pass's cost against the formulas it comes from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.formulas.decode import decode_flops_per_token, decode_step_bytes, decode_step_time
from explainer.formulas.prefill import prefill_flops, prefill_time
from explainer.formulas.roofline import operation_time
from explainer.serving import passes, server, state
from explainer.serving.costs import PassCosts
from explainer.serving.layout import Engine

seconds = st.floats(1e-6, 1e-1)
growths = st.floats(0, 1e-3)
lines = st.tuples(seconds, seconds, growths, seconds, growths)

SHAPE = {"layers": 32, "heads": 32, "head_dim": 128}
MACHINE = {"flop_rate": 989e12, "bandwidth": 3.35e12, "mfu": 0.6, "mbu": 0.8}
LINEAR, OUTPUT, WEIGHT_BYTES, KV_BYTES = 6.98e9, 5.25e8, 15e9, 131_072
COSTS = PassCosts.from_roofline(
    linear_parameters=LINEAR,
    output_parameters=OUTPUT,
    weight_bytes=WEIGHT_BYTES,
    kv_bytes_per_token=KV_BYTES,
    **SHAPE,
    **MACHINE,
    layer_overhead=20e-6,
    step_overhead=0.3e-3,
)


@given(lines, st.integers(1, 400))
def test_a_stretch_lasts_as_long_as_its_passes(line, count):
    added = sum(passes.pass_time(*line, index) for index in range(count))
    assert passes.stretch_time(*line, count) == pytest.approx(added, rel=1e-9)


@given(lines, st.integers(1, 400), st.floats(0, 1.2))
def test_passes_until_is_the_first_end_at_or_after_a_moment(line, count, share):
    elapsed = share * passes.stretch_time(*line, count)
    ends = [passes.stretch_time(*line, number) for number in range(1, count + 1)]
    expected = next((number for number, end in enumerate(ends, 1) if end >= elapsed), count)
    assert passes.passes_until(*line, count, elapsed) == expected


@given(lines, st.integers(1, 300), st.integers(1, 50))
def test_gaps_are_counted_pass_by_pass(line, count, tokens):
    bins = [0.0] * passes.GAP_BINS
    passes.count_gaps(bins, 0, tokens, *line, count)
    expected = [0.0] * passes.GAP_BINS
    for index in range(count):
        expected[passes.gap_bin(passes.pass_time(*line, index))] += tokens
    assert bins == expected


def one_pass(decodes, context, prompts, cached=0, budget=100_000):
    """Duration in s of the loop's next pass with so many decodes (context tokens in all) and prompts of these
    lengths."""
    rows = state.request_table(
        np.zeros(len(prompts)),
        np.array(prompts, int) + cached,
        np.full(len(prompts), 2),
        np.zeros(len(prompts)),
        np.full(len(prompts), state.UNFINISHED),
    )
    rows["prefilled"] = cached
    requests = state.as_objects(rows)
    [machine] = state.as_objects(state.server_table([Engine(COSTS, seats=min(1000, budget), budget=budget)], 1))
    machine.decodes, machine.context = decodes, context
    for number in range(len(prompts)):
        server.enqueue(requests, machine, number)
    server.open_stretch(requests, machine, 0.0, [(1, 0)], state.empty_gaps().tolist(), False)
    return machine.ends


@pytest.mark.parametrize("batch", [1, 64, 256, 900])
@pytest.mark.parametrize("context", [1, 2_000, 30_000])
def test_a_decode_pass_is_the_formulas_decode_step(batch, context):
    per_token = decode_flops_per_token(LINEAR + OUTPUT, context, **SHAPE)
    expected = decode_step_time(
        batch,
        context,
        WEIGHT_BYTES,
        KV_BYTES,
        per_token,
        **MACHINE,
        layers=32,
        layer_overhead=20e-6,
        step_overhead=0.3e-3,
    )
    assert one_pass(batch, batch * context, []) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("tokens", [1, 100, 5_000, 60_000])
def test_a_pass_with_one_prompt_is_the_formulas_prefill(tokens):
    flops = prefill_flops(tokens, 0, LINEAR, OUTPUT, **SHAPE)
    assert one_pass(0, 0, [tokens]) == pytest.approx(
        float(prefill_time(flops, WEIGHT_BYTES, **MACHINE, overhead=32 * 20e-6 + 0.3e-3)), rel=1e-12
    )


@pytest.mark.parametrize(
    "batch, context, tokens, cached", [(200, 1_000, 48, 0), (100, 900, 1_500, 3_000), (8, 100_000, 64, 512)]
)
def test_a_mixed_pass_adds_work_and_reading_on_one_roofline(batch, context, tokens, cached):
    flops = batch * decode_flops_per_token(LINEAR + OUTPUT, context, **SHAPE) + prefill_flops(
        tokens, cached, LINEAR, OUTPUT, **SHAPE
    )
    read = decode_step_bytes(batch, context, WEIGHT_BYTES, KV_BYTES) + cached * KV_BYTES
    expected = operation_time(flops, 989e12 * 0.6, read, 3.35e12 * 0.8) + 32 * 20e-6 + 0.3e-3
    assert one_pass(batch, batch * context, [tokens], cached) == pytest.approx(float(expected), rel=1e-12)


def test_the_budget_is_shared_by_decodes_and_prompts_in_order():
    """300 decodes leave 212 of 512 tokens: one prompt of 200 and 12 tokens of the next; an unfinished prompt puts out
    no token."""
    expected = COSTS.step + max(
        COSTS.weights + COSTS.kv_read * 30_000,
        COSTS.token * 512 + COSTS.emit * 301 + COSTS.pair * (30_000 + 200**2 / 2 + 12**2 / 2),
    )
    assert one_pass(300, 30_000, [200, 500, 700], budget=512) == pytest.approx(expected, rel=1e-12)
