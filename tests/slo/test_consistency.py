"""Each check on a run that it must catch, and on one that it must leave alone."""

import json

import pytest

from explainer.results.load import read_source
from explainer.results.source import Source
from explainer.slo.consistency import request_notes
from explainer.slo.explain import explain
from explainer.slo.load_shape import load_notes
from explainer.slo.rules import Limits, Rules
from explainer.slo.traffic import measure
from explainer.slo.verdict import judge

LIMITS = Limits(ttft=0.2, tpot=0.02)


def runs(text: str):
    return read_source(Source(None, text.encode(), "given"))


def said(run) -> str:
    verdict = judge(run, LIMITS)
    return "\n".join(
        [*run.facts.notes, *request_notes(run, verdict, 0.95), *load_notes(run, measure(run, verdict.good))]
    )


def plain(*rows: dict) -> str:
    return said(runs("\n".join(map(json.dumps, rows)))[0])


def steady(k: int, **other) -> dict:
    """One of many requests, ten a second, each a second long and scheduled as it was sent."""
    return {
        "sched_s": 0.1 * k,
        "start_s": 0.1 * k,
        "ttft_s": 0.1,
        "e2e_s": 1.0,
        "out_tok": 91,
        "max_tok": 200,
        "ok": True,
    } | other


def vllm(n: int = 30, **other) -> str:
    record = {
        "num_prompts": n,
        "completed": n,
        "duration": 3.0,
        "request_rate": "inf",
        "max_concurrency": 10,
        "request_throughput": n / 3.0,
        "output_throughput": 11 * n / 3.0,
        "input_lens": [5] * n,
        "output_lens": [11] * n,
        "ttfts": [0.1] * n,
        "itls": [[0.09] * 10] * n,
        "errors": [""] * n,
    }
    return json.dumps(record | other)


def test_a_steady_run_is_left_alone():
    assert plain(*(steady(k) for k in range(200))) == ""


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"ttft_s": 0.0, "e2e_s": 0.0}, "Every latency in the file is 0, over 200 requests"),
        ({"tpot_s": 0.02}, "200 answers: TTFT + (N - 1) TPOT and the end-to-end time differ by 900 ms"),
        ({"max_tok": 91}, "200 answers: every length is exactly the 91 tokens asked for"),
        ({"e2e_s": 0.1}, "200 answers: all the tokens came at one moment"),
        ({"retok": 90}, "differ on 200 of 200 requests, worst 91 against 90"),
        ({"sched_s": 0.0, "start_s": 0.0}, "All 200 requests were sent within"),
        (
            {"events": [[0.1, 31, "text"], [0.5, 30, "text"], [1.0, 30, "text"]]},
            "200 answers came with 30 tokens a chunk",
        ),
    ],
)
def test_what_each_request_shows(change, note):
    assert note in plain(*(steady(k, **change) for k in range(200)))


def test_a_clock_that_is_no_date():
    assert "200 requests: the start times are seconds of a clock that is no date" in plain(
        *(steady(k, sched_s=5e4 + 0.1 * k, start_s=5e4 + 0.1 * k) for k in range(200))
    )
    assert "no date" not in plain(
        *(steady(k, sched_s=1.796e9 + 0.1 * k, start_s=1.796e9 + 0.1 * k) for k in range(200))
    )


def test_achieved_far_below_offered_and_the_wait_it_means():
    found = plain(*(steady(k, start_s=0.5 * k) for k in range(200)))
    assert (
        "Offered 10 requests/s, achieved 2" in found
        and "200 requests waited 39.8 s on the mean inside the load generator" in found
    )


def test_no_schedule_no_view_of_the_queue():
    assert "No scheduled times for 200 requests" in plain(*(steady(k, sched_s=None) for k in range(200)))


def test_ramp_up_and_drain():
    assert "Only 5% of the run lies between the first end and the last send" in plain(*(steady(k) for k in range(12)))


@pytest.mark.parametrize(
    ("count", "note"), [(19, "The 95th percentile of 19 answers"), (99, "The 99th percentile of 99 answers"), (100, "")]
)
def test_too_few_for_the_percentile(count, note):
    found = plain(*(steady(k) for k in range(count)))
    assert note in found if note else "percentile" not in found


def test_too_few_for_any_verdict():
    assert "40 requests are too few: even if all were good, the 95% interval would begin at 91.2%" in plain(
        *(steady(k, out_tok=181) for k in range(40))
    )


def test_a_first_token_at_the_role_event():
    late = said(runs(vllm(itls=[[0.5] + [0.05] * 9] * 30))[0])
    assert "30 answers: the first gap (500 ms at the median) dwarfs the later ones (50.0 ms)" in late
    assert "dwarfs" not in said(runs(vllm())[0])


def test_concurrency_against_rate_and_time():
    """30 answers in 3 s of 1 s each are 10 under way."""
    assert "Little" not in said(runs(vllm())[0]) and "under way, measured" not in said(runs(vllm())[0])
    assert "more than the 4 allowed" in said(runs(vllm(max_concurrency=4))[0])
    assert "Asked for 100 requests under way, measured" in said(
        runs(vllm(n=300, max_concurrency=100, duration=300.0))[0]
    )


def test_the_tools_own_totals_against_its_rows():
    assert "The tool states 5 answers/s, and 30 answers over 3.00 s give 10" in said(
        runs(vllm(request_throughput=5.0))[0]
    )
    assert "The tool states 999 output tokens/s; the lengths of 30 answers over 3.00 s give 110" in said(
        runs(vllm(output_throughput=999.0))[0]
    )


def test_rows_that_were_never_written_are_counted():
    run = runs(vllm(num_prompts=50))[0]
    assert run.facts.unread == 20 and "20 requests of the 50 sent have no row" in said(run)


def test_lists_of_different_lengths_are_refused():
    from explainer.results.source import Unreadable

    with pytest.raises(Unreadable, match="a row's parts cannot be told apart"):
        runs(vllm(output_lens=[11] * 29))


def test_the_key_of_inferencexs_fork_is_known():
    """LOAD_TEST_TOOLS section 5: the fork writes the key as "request_goodput:"; 8 a second over 3 s are 24."""
    assert runs(vllm(**{"request_goodput:": 8.0}))[0].facts.report.good == 24


def test_a_summary_of_zeros_is_no_fast_server():
    run = runs(
        '{"num_prompts": 640, "completed": 0, "duration": 0.7, "mean_ttft_ms": 0.0, "median_ttft_ms": 0.0,'
        ' "p99_ttft_ms": 0.0, "mean_tpot_ms": 0.0}'
    )[0]
    assert "Every latency in the file is 0" in said(run) and judge(run, LIMITS).verdict == "not met"


SGLANG = {
    "completed": 30,
    "duration": 3.0,
    "random_output_len": 64,
    "random_range_ratio": 1.0,
    "total_output_tokens": 330,
    "total_output_tokens_retokenized": 330,
    "slo_attainment": 1.0,
    "goodput_slos_ms": {"ttft": 500.0, "tpot": 200.0},
    "ttfts": [0.1] * 30,
    "input_lens": [5] * 30,
    "output_lens": [11] * 30,
    "itls": [[0.09] * 10] * 30,
    "errors": [""] * 30,
}


def test_a_tool_that_judged_under_other_limits():
    run = runs(json.dumps(SGLANG))[0]
    told = " ".join(explain(run, LIMITS, Rules(), judge(run, LIMITS)))
    assert (
        "sglang judged its 30 requests under other limits (ttft 500 ms, tpot 200 ms)" in told
        and "agree: 30 good of 30" in told
    )


def test_a_tools_number_that_its_own_rows_do_not_give_is_not_explained_away():
    run = runs(json.dumps(SGLANG | {"slo_attainment": 0.5}))[0]
    assert "the rest is not in the file" in " ".join(explain(run, LIMITS, Rules(), judge(run, LIMITS)))


AIPERF = [
    {
        "metadata": {"benchmark_phase": "profiling", "was_cancelled": False, "request_start_ns": 10**18 + k},
        "error": None,
        "metrics": {
            "time_to_first_token": {"value": 100, "unit": "ms"},
            "request_latency": {"value": 100, "unit": "ms"},
            "output_sequence_length": {"value": 1, "unit": "tokens"},
            "good_request_count": {"value": 0, "unit": "requests"},
        },
    }
    for k in range(10)
]


def test_one_token_answers_explain_aiperf():
    """LOAD_TEST_TOOLS section 0.3: aiperf counts a one-token reply under a TPOT limit as bad."""
    run = runs("\n".join(map(json.dumps, AIPERF)))[0]
    told = " ".join(explain(run, LIMITS, Rules(), judge(run, LIMITS)))
    assert (
        "aiperf counts as not good the 10 answers of one token" in told
        and "0 of 10, where the project's definition gives 10 of 10" in told
    )


def test_aiperfs_warm_up_is_left_out():
    rows = [*AIPERF, AIPERF[0] | {"metadata": {"benchmark_phase": "warmup"}}]
    run = runs("\n".join(map(json.dumps, rows)))[0]
    assert len(run) == 10 and "1 request of the warm-up" in " ".join(run.facts.notes)


def test_error_rows_of_aiperf_carry_their_reason():
    cancelled = AIPERF[0] | {"metrics": {}, "error": {"code": 499, "type": "RequestCancellationError"}}
    refused = AIPERF[0] | {"metrics": {}, "error": {"code": 429, "type": "Too Many Requests"}}
    run = runs("\n".join(map(json.dumps, [*AIPERF, cancelled, refused])))[0]
    assert (judge(run, LIMITS).attempted, judge(run, LIMITS, Rules(cancelled="fail")).attempted) == (11, 12)
    assert "429 Too Many Requests" in run.reasons
