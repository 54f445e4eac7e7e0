"""Worked examples of "How to Scale Your Model" (github jax-ml/scaling-book, inference.md and applied-inference.md).

The printed values are rows of explainer.evidence, held to their digits in tests/evidence. Here is what lies behind them: exact sizes that the
book does not print, and how its wrong values came about.
"""

import pytest

from explainer.evidence import published
from explainer.formulas.decode import decode_step_time
from explainer.formulas.memory import kv_bytes_per_token
from explainer.formulas.parameters import attention_parameters, embedding_parameters, feed_forward_parameters
from explainer.formulas.prefill import prefill_flops, prefill_time
from explainer.formulas.roofline import critical_batch, operation_time

V5E_BANDWIDTH, V5E_FLOPS = 8.1e11, 1.97e14  # as the book's inference chapter prints them
CONTEXT = 8192


def test_question_1_parameters_and_cache_of_the_invented_model():
    """C2: L64 D4096 F16384 N32 K8 H256 V32128 with one embedding: printed 18.4e9; the cache is not printed."""
    layer = attention_parameters(4096, 32, 8, 256) + feed_forward_parameters(4096, 16384)
    total = 64 * layer + embedding_parameters(32128, 4096)
    assert total == 18_385_207_296
    assert kv_bytes_per_token(64, 8, 256, 1) == 262_144


def test_llama_2_13b_tables_would_be_seven_percent_slower_in_true_gib():
    """C3: only reading "GiB" as GB and "6.5 TiB/s" as 6.56 TB/s gives the printed times."""
    printed = decode_step_time(1, CONTEXT, 26e9, 6.7e9 / CONTEXT, 0, 8 * V5E_FLOPS, 8 * 0.82e12)
    in_gib = decode_step_time(1, CONTEXT, 26 * 2**30, 6.7 * 2**30 / CONTEXT, 0, 8 * V5E_FLOPS, 8 * 0.82e12)
    assert in_gib / printed == pytest.approx(1.07, abs=0.005)
    cache = kv_bytes_per_token(40, 40, 128, 2) * CONTEXT
    assert cache == pytest.approx(6.7e9, rel=2e-3) and cache / 2**30 == 6.25


@pytest.mark.parametrize("name, chips", [("16-bit", 16), ("8-bit", 8), ("4-bit", 4)])
def test_printed_rates_of_the_smallest_slices_follow_from_the_printed_counts(name, chips):
    """C5: the counts are wrong for 8 and 4 bits, and each rate is its count over a chip's 19.5 ms a step and 512 tokens."""
    step = operation_time(0, V5E_FLOPS, 16e9, 8.2e11)
    assert published(f"slice-caches-{name}") / (step * 512 * chips) == pytest.approx(published(f"slice-rate-{name}"), rel=0.03)


def test_causal_attention_makes_the_prefill_of_8192_tokens_longer():
    """C6: 70B on sixteen v5e at 40 % of peak, printed 0.91 s without attention: with it 0.979 s."""
    flops = prefill_flops(CONTEXT, 0, 70e9, 0, 80, 64, 128)
    assert prefill_time(flops, 140e9, 16 * V5E_FLOPS, 16 * V5E_BANDWIDTH, mfu=0.4) == pytest.approx(0.979, abs=5e-4)


@pytest.mark.parametrize("flop_rate, bandwidth, batch", [(312e12, 2.039e12, 153), (989e12, 3.35e12, 295)])
def test_critical_batches_of_two_cards(flop_rate, bandwidth, batch):
    """From vendors' figures, 16 bits: an A100 of 80 GB and an H100."""
    assert critical_batch(flop_rate, bandwidth, 2) == pytest.approx(batch, abs=0.5)
