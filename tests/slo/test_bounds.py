"""Totals and percentiles alone: the bounds must hold the true share, whatever the requests were."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explainer.results.source import Unreadable
from explainer.results.summary import Distribution, Summary
from explainer.results.table import RunFacts
from explainer.slo.rules import Limits
from explainer.slo.verdict import judge

PERCENTILES = (0, 25, 50, 90, 95, 99, 100)


def distribution(values: np.ndarray, method: str, kept: tuple[int, ...]) -> Distribution:
    return Distribution(
        len(values),
        float(values.mean()),
        {float(q): float(np.percentile(values, q, method=method)) for q in kept},
        unmeasured=0,
    )


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    values=st.lists(
        st.tuples(st.sampled_from([0.05, 0.1, 0.2, 0.3, 1.0]), st.floats(0.001, 0.05)), min_size=1, max_size=40
    ),
    failed=st.integers(0, 20),
    kept=st.sets(st.sampled_from(PERCENTILES)),
    method=st.sampled_from(["linear", "inverted_cdf", "lower", "higher"]),
)
def test_the_true_share_lies_within_the_bounds(values, failed, kept, method):
    ttft, tpot = (np.array(column) for column in zip(*values))
    run = Summary(
        RunFacts("any", "given"),
        attempted=len(values) + failed,
        completed=len(values),
        metrics={"ttft": distribution(ttft, method, tuple(kept)), "tpot": distribution(tpot, method, tuple(kept))},
    )
    verdict = judge(run, Limits(ttft=0.2, tpot=0.02))
    true = ((ttft <= 0.2) & (tpot <= 0.02)).sum() / (len(values) + failed)
    assert verdict.bounds[0] - 1e-12 <= true <= verdict.bounds[1] + 1e-12


def summary(
    attempted=1000.0, completed=1000.0, ttft=(0.1, 0.15), tpot=(0.01, 0.015), unmeasured=0.0, **other
) -> Summary:
    metrics = {
        name: Distribution(completed - unmeasured, np.nan, {95.0: p95, 99.0: p99}, unmeasured=unmeasured)
        for name, (p95, p99) in (("ttft", ttft), ("tpot", tpot))
    }
    return Summary(RunFacts("any", "given"), attempted=attempted, completed=completed, metrics=metrics, **other)


LIMITS = Limits(ttft=0.2, tpot=0.02)


def test_the_joint_share_of_two_that_each_hold_at_99_percent():
    """Frechet: at least 0.99 + 0.99 - 1, and the limit is no closer."""
    verdict = judge(summary(), LIMITS)
    assert verdict.bounds == (pytest.approx(0.98, abs=1e-3), 1.0)
    assert (verdict.verdict, verdict.good) == ("met", pytest.approx(math.nan, nan_ok=True))


def test_each_p95_passes_and_the_pair_cannot_be_told():
    assert judge(summary(ttft=(0.2, 0.3), tpot=(0.02, 0.03)), LIMITS).verdict == "not decidable"


def test_one_median_over_its_limit_decides():
    run = Summary(
        RunFacts("any", "given"),
        attempted=1000,
        completed=1000,
        metrics={"ttft": Distribution(1000, 0.5, {50.0: 0.5}, unmeasured=0)},
    )
    verdict = judge(run, LIMITS)
    assert verdict.verdict == "not met" and verdict.bounds[1] <= 0.5


def test_failures_shrink_both_bounds():
    assert judge(summary(attempted=2000.0), LIMITS).bounds == (pytest.approx(0.49, abs=1e-3), 0.5)


def test_a_run_that_answered_nothing_is_a_failed_run():
    """InferenceX's minimax file: 640 requests, completed 0, every latency 0.0."""
    verdict = judge(Summary(RunFacts("any", "given"), attempted=640, completed=0), LIMITS)
    assert (verdict.verdict, verdict.good, verdict.share) == ("not met", 0, 0)
    assert "None of 640 requests was answered" in " ".join(verdict.notes)


def test_unknown_attempts_can_never_be_met():
    verdict = judge(summary(attempted=np.nan), LIMITS)
    assert verdict.verdict == "not decidable" and "failures cannot be seen" in " ".join(verdict.notes)


def test_answers_outside_the_percentiles_may_lie_on_either_side():
    assert judge(summary(unmeasured=500.0), LIMITS).bounds == (0.0, 1.0)
    low, high = judge(summary(unmeasured=10.0), LIMITS).bounds
    assert low == pytest.approx(0.96, abs=2e-3) and high == 1.0


def test_token_weighted_percentiles_say_nothing_of_requests():
    run = Summary(
        RunFacts("any", "given"),
        attempted=100,
        completed=100,
        metrics={"tpot": Distribution(5000, 0.01, {99.0: 0.01}, pooled=True)},
    )
    assert judge(run, Limits(tpot=0.02)).bounds == (0.0, 1.0)


def test_a_tools_own_share_of_one_limit_is_used_where_the_limit_is_the_same():
    run = summary(shares={"ttft": (0.2, 0.6)})
    assert judge(run, Limits(ttft=0.2)).bounds == (0.6, 0.6)
    assert judge(run, Limits(ttft=0.3)).bounds != (0.6, 0.6)


def test_counts_that_contradict_each_other_are_refused():
    with pytest.raises(Unreadable, match="one of the two is wrong"):
        judge(summary(attempted=10.0), LIMITS)
    with pytest.raises(Unreadable, match="one of the two is wrong"):
        judge(summary(completed=-1.0), LIMITS)
