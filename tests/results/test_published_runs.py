"""Files that others published: each is recognised and read, and where it cannot be judged, that is said."""

import numpy as np
import pytest

from explainer.results.load import load
from explainer.results.summary import Summary
from explainer.slo.rules import Limits
from explainer.slo.verdict import judge
from tests.shared import SHARED, needs_shared

LIMITS = Limits(ttft=0.200, tpot=0.020)
PUBLISHED = SHARED / "results" / "published" if SHARED else None

pytestmark = needs_shared


def runs(part: str):
    loaded = load([str(PUBLISHED / part)])
    assert not loaded.problems
    return loaded.runs


def test_every_folder_is_read_whole():
    loaded = load([str(PUBLISHED)])
    assert not loaded.problems
    assert {run.facts.tool for run in loaded.runs} == {
        "aiperf",
        "genai-bench",
        "inference-perf",
        "inferencex",
        "llmperf",
    }
    assert not [name for name in loaded.skipped if name.endswith((".json", ".jsonl")) and "validation" not in name]


def test_the_old_generation_of_aiperf():
    """SOURCES.md: 100 records, 11 of them cancelled by the tester, with reasoning tokens; tags ttft and
    credit_phase."""
    (run,) = runs("aiperf")
    assert len(run) == 100 and (run.outcome == 2).sum() == 11
    assert judge(run, LIMITS).attempted == 89
    # Its own summary's means, in ms: ttft 2343.219, inter_token_latency 27.763, request_latency 9059.655.
    assert [np.nanmean(values[run.served]) * 1e3 for values in (run.ttft, run.tpot, run.e2e)] == pytest.approx(
        [2343.219, 27.763, 9059.655], rel=1e-4
    )


def test_llmperf_counts_its_refused_requests():
    """LOAD_TEST_TOOLS section 0.7: of lepton_7b 130 of 150 were answered 429; section 5: of bedrock_70b 49 of 150 were
    'too short'."""
    found = {run.facts.source.rsplit("/", 1)[-1]: run for run in runs("llmperf/individual")}
    assert judge(found["lepton_7b.json"], LIMITS).failed == 130
    assert judge(found["bedrock_70b.json"], LIMITS).failed == 49
    assert "49 answers marked as an error by LLMPerf itself" in " ".join(found["bedrock_70b.json"].facts.notes)
    # The summary's own mean TTFT of the twenty that were answered.
    lepton = found["lepton_7b.json"]
    assert np.mean(lepton.ttft[lepton.served]) == pytest.approx(1.1107598410000066)


def test_llmperf_rows_lie_within_the_bounds_of_their_summaries():
    rows = {run.facts.source.rsplit("/", 1)[-1]: judge(run, LIMITS) for run in runs("llmperf/individual")}
    for summary in runs("llmperf/summary"):
        verdict, true = judge(summary, LIMITS), rows[summary.facts.source.rsplit("/", 1)[-1]]
        assert isinstance(summary, Summary) and verdict.attempted == true.attempted and verdict.ok == true.ok
        assert verdict.bounds[0] <= true.share <= verdict.bounds[1]


def test_inferencex_says_that_failures_cannot_be_seen():
    (run,) = runs("inferencex")
    assert len(run) == 651
    # LOAD_TEST_TOOLS section 5: its tpot is (latency - ttft) / (N - 1).
    assert run.tpot == pytest.approx(run.reported_tpot, abs=1e-6)
    assert judge(run, Limits(e2e=1e6)).verdict == "not decidable"


def test_inference_perf_totals_give_bounds_and_verdicts_where_they_decide():
    found = {tuple(run.facts.source.split("/")[-2:]): run for run in runs("inference-perf/kubecon-na-2025")}
    assert len(found) == 12 and all(isinstance(run, Summary) for run in found.values())
    summary = found["vllm", "summary_lifecycle_metrics.json"]
    # SOURCES.md names 47,002 requests in one of the summaries; this one has 38,717.
    assert summary.attempted == 38_717
    verdict = judge(summary, LIMITS)
    # Its own TTFT percentiles: p25 51 ms, median 2.89 s: between a quarter and a half keep 200 ms.
    assert verdict.verdict == "not met" and verdict.bounds == pytest.approx((0.25, 0.50), abs=0.002)
    assert "no closer answer" in " ".join(verdict.notes)
    assert found["vllm+batch_size", "summary_lifecycle_metrics.json"].attempted == 47_002


def test_inference_perf_before_goodput_has_rows():
    (run,) = runs("inference-perf/corpus_v0_5_0-clean-two-stage-run")
    assert len(run) == 6 and judge(run, LIMITS).ok == 5
    # Its summary's own means over the five.
    assert np.mean(run.e2e[run.served]) == pytest.approx(1.2)
    assert np.mean(run.ttft[run.served]) == pytest.approx(0.12600288600288598)


def test_genai_bench_from_a_fork():
    (run,) = runs("genai-bench")
    assert len(run) == 10 and np.mean(run.ttft) == pytest.approx(0.256500058299207)
    assert np.mean(run.tpot) == pytest.approx(0.00808820635454939)
