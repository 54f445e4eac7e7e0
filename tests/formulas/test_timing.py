"""The clocks of one answer, against the worked numbers of the articles and of public threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.formulas.timing import (
    completion_time,
    crossover_tokens,
    generation_rate,
    tokens_within,
    tpot,
    tpot_for_deadline,
)

ARTICLE = '"Why the fastest GPU does not necessarily deliver the fastest response" (2026-09-12)'
A = {"ttft": 0.4, "tpot": 0.040}
B = {"ttft": 1.0, "tpot": 0.020}
times = st.floats(1e-4, 100)
lengths = st.integers(2, 100_000)


@pytest.mark.parametrize("tokens, a, b", [(101, 4.4, 3.0), (1001, 40.4, 21.0), (31, 1.6, 1.6)])
def test_completion_of_the_two_systems_of_the_article(tokens, a, b):
    assert completion_time(**A, output_tokens=tokens) == pytest.approx(a), ARTICLE
    assert completion_time(**B, output_tokens=tokens) == pytest.approx(b), ARTICLE


def test_rates_and_crossover_of_the_two_systems_of_the_article():
    assert generation_rate(A["tpot"]) == pytest.approx(25) and generation_rate(B["tpot"]) == pytest.approx(50)
    assert crossover_tokens(0.4, 0.040, 1.0, 0.020) == pytest.approx(31)
    assert crossover_tokens(1.0, 0.020, 0.4, 0.040) == pytest.approx(31), "which one is called A does not matter"


@pytest.mark.parametrize("tokens, a, b", [(200, 3.99, 4.08), (191, 3.90, 3.90), (50, 2.49, 1.08), (1000, 11.99, 20.08)])
def test_the_faster_headline_that_feels_slower(tokens, a, b):
    """infe.io, "tokens vs time": 2 s then 100 tokens/s against 0.1 s then 50 tokens/s."""
    assert completion_time(2.0, 0.010, tokens) == pytest.approx(a)
    assert completion_time(0.1, 0.020, tokens) == pytest.approx(b)
    assert crossover_tokens(2.0, 0.010, 0.1, 0.020) == pytest.approx(191)


def test_one_token_answers_have_no_tpot():
    """CentML/flexible-inference-bench PR #68: the tool divided by N - 1 = 0."""
    values = tpot(np.array([0.025, 0.030, 0.040]), np.array([0.025, 0.030, 0.440]), np.array([1, 1, 11]))
    assert np.isnan(values[:2]).all() and values[2] == pytest.approx(0.040)


def test_three_limits_that_cannot_all_hold():
    """luzbetak.github.io, "200 concurrent, p95 < 4 s": TTFT 600 ms, TPOT 40 ms, 200 tokens, E2E 4 s."""
    assert completion_time(0.6, 0.040, 200) == pytest.approx(8.56)
    assert tpot_for_deadline(4.0, 0.6, 200) == pytest.approx(0.0171, abs=5e-5)
    assert tokens_within(4.0, 0.6, 0.040) == pytest.approx(86)


def test_speculative_chunks_do_not_change_tpot():
    """sgl-project/sglang PR #12064, as a trace: 11 tokens in 5 chunks 9 ms apart."""
    assert tpot(0.100, 0.136, 11) == pytest.approx(0.0036)
    assert generation_rate(tpot(0.100, 0.136, 11)) == pytest.approx(277.8, abs=0.05)


@pytest.mark.parametrize(
    "ttft, token, tokens, identity, measured",
    [(0.3771, 0.05477, 128, 7.3329, 7.3364), (0.1580, 0.03739, 128, 4.9061, 4.9101)],
)
def test_splitwise_measurements_satisfy_the_identity(ttft, token, tokens, identity, measured):
    """Splitwise, data/perf_model.csv: llama2-70b, 1,024 in, 128 out, batch 1, TP2 on A100 and on H100."""
    computed = completion_time(ttft, token, tokens)
    assert computed == pytest.approx(identity, abs=2e-3), "the printed token time is rounded to 10 us"
    assert computed == pytest.approx(measured, rel=1e-3)


def test_aiconfigurator_composes_its_completion_time_likewise():
    """AIConfigurator 0.12.0, Qwen3-32B-FP8, h200 x 4, 4000 in, 1000 out: 242.6 ms, 6.227 ms, 6,463.75 ms."""
    half_a_digit = 0.00005 + 999 * 0.0000005
    assert completion_time(0.2426, 0.006227, 1000) == pytest.approx(6.46375, abs=half_a_digit)
    assert generation_rate(0.01977) == pytest.approx(50.59, abs=0.03), "its disaggregated run: 19.77 ms, 50.59 tok/s"


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
