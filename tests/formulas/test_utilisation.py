"""No result may claim a machine that beats its own peak: MFU and MBU of every model on every accelerator, alone and
in batches."""

import numpy as np
import pytest

from explainer.catalog import accelerators, linear_layer_times, models
from explainer.formulas.decode import (
    decode_flops_per_token,
    decode_step_bytes,
    decode_step_time,
    decode_step_time_in_turn,
)
from explainer.formulas.memory import kv_bytes_of_request, weight_bytes
from explainer.formulas.prefill import prefill_flops, prefill_time
from explainer.formulas.roofline import mbu, mfu, operation_time

BATCHES = np.array([1, 2, 8, 32, 128, 512, 4096])[:, None]
CONTEXTS = np.array([1, 512, 8192, 131_072, 1_000_000])
REACHED = [(1, 1), (0.5, 0.7)]
WITH_ARITHMETIC = [machine for machine in accelerators() if machine.bf16_flop_per_s or machine.fp8_flop_per_s]


def peak(machine):
    return machine.bf16_flop_per_s or machine.fp8_flop_per_s


@pytest.mark.parametrize("machine", WITH_ARITHMETIC, ids=lambda machine: machine.name)
@pytest.mark.parametrize("mfu_reached, mbu_reached", REACHED)
def test_no_step_and_no_prefill_beats_the_machine(machine, mfu_reached, mbu_reached):
    bandwidth, flop_rate = machine.memory_bytes_per_s, peak(machine)
    for shape in models():
        heads = dict(layers=shape.layers, heads=shape.heads, head_dim=shape.attention_head_dim)
        weights = weight_bytes(shape.active_parameters, 2)
        cache = kv_bytes_of_request(
            CONTEXTS, shape.kv_bytes_per_token(2), shape.sliding_kv_bytes_per_token(2), shape.window or 0
        )
        flops = decode_flops_per_token(shape.active_parameters, CONTEXTS, **heads)
        for step_time in (decode_step_time, decode_step_time_in_turn):
            step = step_time(
                BATCHES, CONTEXTS, weights, cache / CONTEXTS, flops, flop_rate, bandwidth, mfu_reached, mbu_reached
            )
            read = decode_step_bytes(BATCHES, CONTEXTS, weights, cache / CONTEXTS)
            assert (mfu(BATCHES * flops, step, flop_rate) <= mfu_reached * (1 + 1e-12)).all()
            assert (mbu(read, step, bandwidth) <= mbu_reached * (1 + 1e-12)).all()
        work = prefill_flops(CONTEXTS, BATCHES, shape.linear_parameters, shape.output_parameters, **heads)
        first = prefill_time(work, weights, flop_rate, bandwidth, mfu_reached, mbu_reached)
        assert (mfu(work, first, flop_rate) <= mfu_reached * (1 + 1e-12)).all()
        assert (mbu(weights, first, bandwidth) <= mbu_reached * (1 + 1e-12)).all()


def test_no_measured_layer_beats_the_machine():
    """vidur's medians reach at most 93 % of the bandwidth and 78 % of the arithmetic, and are never twice their
    roofline."""
    machines = {machine.name: machine for machine in accelerators()}
    for row in linear_layer_times():
        machine = machines[row.accelerator]
        bound = operation_time(row.flops, machine.bf16_flop_per_s, row.bytes_moved, machine.memory_bytes_per_s)
        assert mbu(row.bytes_moved, row.time_seconds, machine.memory_bytes_per_s) < 0.93
        assert mfu(row.flops, row.time_seconds, machine.bf16_flop_per_s) < 0.78
        assert bound < row.time_seconds < 2 * bound, (row.accelerator, row.layer, row.tokens)
