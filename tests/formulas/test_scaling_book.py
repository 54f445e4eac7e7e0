"""Worked examples of "How to Scale Your Model" (github jax-ml/scaling-book, inference.md and applied-inference.md).

Where the printed value is wrong or rounded oddly, the test says so and shows why.
"""

import numpy as np
import pytest

from explainer.formulas.decode import decode_step_time, decode_step_time_in_turn
from explainer.formulas.disaggregation import prefill_decode_ratio
from explainer.formulas.memory import kv_bytes_per_token, requests_that_fit, tokens_freed_per_step, weight_bytes
from explainer.formulas.parallel import all_reduce_time
from explainer.formulas.parameters import attention_parameters, embedding_parameters, feed_forward_parameters
from explainer.formulas.prefill import prefill_flops, prefill_time
from explainer.formulas.roofline import critical_batch, operation_time

V5E_BANDWIDTH, V5E_FLOPS = 8.1e11, 1.97e14  # as the book's inference chapter prints them
CONTEXT = 8192
LINEAR_ONLY = dict(layers=0, heads=0, head_dim=0)  # the book's simple estimates leave attention arithmetic out


def test_pop_quiz_of_a_30b_model_on_sixteen_v5e():
    """C1: printed 2.5 ms and 21 ms. The first is 2.57 and was cut, not rounded."""
    step = decode_step_time_in_turn(
        np.array([4, 256]), CONTEXT, 30e9, 100e3, 2 * 30e9, 16 * V5E_FLOPS, 16 * V5E_BANDWIDTH
    )
    assert step == pytest.approx([0.00257, 0.02105], abs=5e-6)


def test_question_1_parameters_and_cache_of_the_invented_model():
    """C2: L64 D4096 F16384 N32 K8 H256 V32128 with one embedding: printed 18.4e9; the cache is not printed."""
    layer = attention_parameters(4096, 32, 8, 256) + feed_forward_parameters(4096, 16384)
    total = 64 * layer + embedding_parameters(32128, 4096)
    assert total == 18_385_207_296
    assert kv_bytes_per_token(64, 8, 256, 1) == 262_144


BATCHES = [1, 8, 16, 32, 64, 240]
STEPS_MHA, RATES_MHA = [4.98, 12.13, 20.30, 36.65, 69.33, 249.09], [200.61, 659.30, 787.99, 873.21, 923.13, 963.53]
STEPS_GQA, RATES_GQA = [4.17, 5.60, 7.23, 10.50, 17.04, 52.99], [239.94, 1429.19, 2212.48, 3047.62, 3756.62, 4529.34]


@pytest.mark.parametrize("cache, steps, rates", [(6.7e9, STEPS_MHA, RATES_MHA), (1.34e9, STEPS_GQA, RATES_GQA)])
def test_llama_2_13b_tables(cache, steps, rates):
    """C3: 26 GB of weights, 6.7 (or 1.34) GB of cache a sequence, 8 x 0.82 TB/s; what the table heads "GiB" are GB."""
    batch = np.array(BATCHES)
    step = decode_step_time(batch, CONTEXT, 26e9, cache / CONTEXT, 2 * 13e9, 8 * V5E_FLOPS, 8 * 0.82e12)
    assert step * 1e3 == pytest.approx(steps, abs=0.0051), "printed to hundredths of a millisecond, one of them cut"
    assert batch / step == pytest.approx(rates, abs=0.0051)


def test_llama_2_13b_tables_would_be_seven_percent_slower_in_true_gib():
    """C3: only reading "GiB" as GB and "6.5 TiB/s" as 6.56 TB/s gives the printed times."""
    printed = decode_step_time(1, CONTEXT, 26e9, 6.7e9 / CONTEXT, 0, 8 * V5E_FLOPS, 8 * 0.82e12)
    in_gib = decode_step_time(1, CONTEXT, 26 * 2**30, 6.7 * 2**30 / CONTEXT, 0, 8 * V5E_FLOPS, 8 * 0.82e12)
    assert in_gib / printed == pytest.approx(1.07, abs=0.005)
    cache = kv_bytes_per_token(40, 40, 128, 2) * CONTEXT
    assert cache == pytest.approx(6.7e9, rel=2e-3) and cache / 2**30 == 6.25


@pytest.mark.parametrize(
    "bytes_each, chips, left, caches, qps, printed_left, printed_caches, printed_qps",
    [
        (2, 16, 116e9, 43, 0.27, 116e9, 43, 0.27),
        (1, 8, 58e9, 43, 0.54, 68e9, 52, 0.66),
        (0.5, 4, 29e9, 43, 1.08, 19e9, 67, 1.72),
    ],
)
def test_smallest_slice_table(bytes_each, chips, left, caches, qps, printed_left, printed_caches, printed_qps):
    """C5: the bf16 row is right; int8 leaves 128 - 70 = 58 GB, not 68; int4 weighs 35 GB, not 45, and leaves 29, not
    19.

    So all three hold 43 caches, and with one v5e's memory read a step (19.5 ms), 512 tokens long, only the number of
    chips changes the rate a chip: 0.27, 0.54, 1.08. The printed 0.66 and 1.72 follow from the wrong counts.
    """
    memory, weights = chips * 16e9, weight_bytes(70e9, bytes_each)
    fit = np.floor(requests_that_fit(memory, weights, kv_bytes_per_token(80, 8, 128, bytes_each), CONTEXT))
    step = operation_time(0, V5E_FLOPS, 16e9, 8.2e11)
    rate = fit / (step * 512 * chips)
    assert memory - weights == left and fit == caches and rate == pytest.approx(qps, abs=0.005)
    row_is_right = bytes_each == 2
    assert bool(left == printed_left and fit == printed_caches and abs(rate - printed_qps) < 0.005) == row_is_right
    assert printed_caches / (step * 512 * chips) == pytest.approx(printed_qps, rel=0.03)


@pytest.mark.parametrize("layers, seconds", [(0, 0.910), (80, 0.979)])
def test_prefill_of_8192_tokens_on_sixteen_v5e(layers, seconds):
    """C6: 70B at 40 % of peak, printed 0.91 s; causal attention, which the book leaves out, makes it 0.979 s."""
    flops = prefill_flops(CONTEXT, 0, 70e9, 0, layers, 64, 128)
    assert prefill_time(flops, 140e9, 16 * V5E_FLOPS, 16 * V5E_BANDWIDTH, mfu=0.4) == pytest.approx(seconds, abs=5e-4)


def test_prefill_machines_for_each_decode_machine_and_caches_given_back():
    """C7: P / 0.91 = 32 G / (0.019 x 512), printed P = 3 G; 32 requests of 8,192 + 4,096 tokens give back 96 a step."""
    assert prefill_decode_ratio(0.91, 32, 0.019, 512) == pytest.approx(2.99, abs=0.005)
    assert tokens_freed_per_step(32, 8192, 4096) == 96


def test_one_feed_forward_layer_on_a_4x8_slice():
    """C7: 11, 18 and 4 us of exchange, reading and arithmetic: cut from 11.65, 18.1 and 4.77 (batch 32, int8 weights,
    bf16 math)."""
    flops, weights = 4 * 32 * 8192 * 28672, 2 * 8192 * 28672
    exchange = all_reduce_time(1e9, 32 * 8192 * 2, 0, 9e10)  # the book drops (n - 1) / n: a ring without end
    reading = operation_time(0, 32 * V5E_FLOPS, weights, 32 * V5E_BANDWIDTH)
    arithmetic = operation_time(flops, 32 * V5E_FLOPS, 0, 32 * V5E_BANDWIDTH)
    assert np.array([exchange, reading, arithmetic]) * 1e6 == pytest.approx([11.65, 18.1, 4.77], abs=0.05)


@pytest.mark.parametrize(
    "flop_rate, bandwidth, bytes_each, batch",
    [
        (V5E_FLOPS, 8.2e11, 2, 240),
        (V5E_FLOPS, 8.2e11, 1, 120),
        (312e12, 2.039e12, 2, 153),
        (312e12, 1.5e12, 2, 208),
        (989e12, 3.35e12, 2, 295),
    ],
)
def test_critical_batches(flop_rate, bandwidth, bytes_each, batch):
    """The book: 240 on a v5e, 120 with int8 weights; kipply: 208 on an A100 of 40 GB; the others from vendors'
    figures."""
    assert critical_batch(flop_rate, bandwidth, bytes_each) == pytest.approx(batch, abs=0.5)
