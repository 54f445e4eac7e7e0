"""The clocks of one answer: edges and properties. Published values are rows of explainer.evidence, held in tests/evidence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.evidence import published
from explainer.formulas.timing import (
    completion_time,
    crossover_tokens,
    generation_rate,
    tokens_within,
    tpot,
    tpot_for_deadline,
)

times = st.floats(1e-4, 100)
lengths = st.integers(2, 100_000)


def test_which_system_is_called_a_does_not_matter():
    assert crossover_tokens(1.0, 0.020, 0.4, 0.040) == pytest.approx(crossover_tokens(0.4, 0.040, 1.0, 0.020)) == pytest.approx(published("article-tie"))


def test_one_token_answers_have_no_tpot():
    """CentML/flexible-inference-bench PR #68: the tool divided by N - 1 = 0."""
    values = tpot(np.array([0.025, 0.030, 0.040]), np.array([0.025, 0.030, 0.440]), np.array([1, 1, 11]))
    assert np.isnan(values[:2]).all() and values[2] == pytest.approx(0.040)


def test_speculative_chunks_do_not_change_tpot():
    """sgl-project/sglang PR #12064, as a trace: 11 tokens in 5 chunks 9 ms apart."""
    assert tpot(0.100, 0.136, 11) == pytest.approx(0.0036)
    assert generation_rate(tpot(0.100, 0.136, 11)) == pytest.approx(277.8, abs=0.05)


@given(times, times, lengths)
def test_each_formula_inverts_the_others(ttft, token, tokens):
    total = completion_time(ttft, token, tokens)
    assert tpot(ttft, total, tokens) == pytest.approx(token, rel=1e-6)
    assert tokens_within(total, ttft, token) == pytest.approx(tokens, rel=1e-6)
    assert tpot_for_deadline(total, ttft, tokens) == pytest.approx(token, rel=1e-6)


@given(times, times, times, times)
def test_at_the_crossover_both_answers_end_together(ttft_a, tpot_a, ttft_b, tpot_b):
    length = crossover_tokens(ttft_a, tpot_a, ttft_b, tpot_b)
    crosses_later = (ttft_a - ttft_b) * (tpot_b - tpot_a) >= 0 and tpot_a != tpot_b
    assert np.isnan(length) != crosses_later
    if crosses_later:
        ends = completion_time(ttft_a, tpot_a, length), completion_time(ttft_b, tpot_b, length)
        assert ends[0] == pytest.approx(ends[1], rel=1e-6)
