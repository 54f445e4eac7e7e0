"""The corners of each tool's format (LOAD_TEST_TOOLS section 5), in a few records with numbers of our own."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from explainer.results.load import load, read_source
from explainer.results.source import Source, Unreadable
from explainer.results.summary import Summary
from explainer.slo.rules import Limits, Rules
from explainer.slo.verdict import judge

FIXTURES = Path(__file__).resolve().parents[2] / "data" / "runs"
LIMITS = Limits(ttft=0.2, tpot=0.02)


def runs(value) -> list:
    text = value if isinstance(value, str) else json.dumps(value)
    return read_source(Source(None, text.encode(), "given"))


def fixture(name: str):
    path = next((FIXTURES / name).parent.glob(Path(name).name + "*"))
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def without_rows(name: str, *keys: str) -> dict:
    return {key: value for key, value in fixture(name).items() if key not in keys}


ROWS = (
    "ttfts",
    "itls",
    "input_lens",
    "output_lens",
    "errors",
    "generated_texts",
    "latencies",
    "start_times",
    "queue_times",
)
# The same run without its rows, and the good of attempted that the rows gave under the tool's own success flag.
TOTALS_ONLY = {
    "aiperf": (lambda: fixture("aiperf/failures/profile_export_aiperf.json"), 20, 48),
    "inference-perf": (lambda: fixture("inference-perf/failures/summary_lifecycle_metrics.json"), 24, 48),
    "genai-perf": (lambda: fixture("genai-perf/failures/result.json"), 20, 48),
    "vllm 0.33": (lambda: without_rows("vllm-0.33.0/failures/result.json", *ROWS), 24, 48),
    "vllm 0.11": (lambda: without_rows("vllm-0.11.0/failures/result.json", *ROWS), 24, 48),
    "sglang": (lambda: without_rows("sglang/failures_with_usage/result.jsonl", *ROWS), 24, None),
}


@pytest.mark.parametrize("tool", TOTALS_ONLY)
def test_totals_alone_give_bounds_that_hold_what_the_rows_say(tool):
    make, good, attempted = TOTALS_ONLY[tool]
    (run,) = runs(make())
    assert isinstance(run, Summary)
    verdict = judge(run, LIMITS)
    assert verdict.bounds[0] <= good / 48 <= verdict.bounds[1] < 1
    assert np.isnan(run.attempted) if attempted is None else run.attempted == attempted
    assert verdict.verdict == "not met"


def test_guidellm_whose_rows_were_sampled_away_gives_bounds():
    value = fixture("guidellm/failures/benchmarks.json")
    value["benchmarks"][0]["requests"] = {"successful": [], "errored": [], "incomplete": []}
    (run,) = runs(value)
    assert isinstance(run, Summary) and (run.attempted, run.completed) == (48, 28)
    # Its ITL is weighted by tokens, so that only TTFT and the failures bound the share: at most 28 of 48.
    assert judge(run, LIMITS).bounds[1] <= 28 / 48


def test_guidellm_requests_cut_by_the_end_of_the_run_are_cancelled():
    value = fixture("guidellm/worked/benchmarks.json")
    requests = value["benchmarks"][0]["requests"]
    requests["incomplete"] = [requests["successful"].pop()]
    (run,) = runs(value)
    assert (judge(run, LIMITS).attempted, judge(run, LIMITS, Rules(cancelled="fail")).attempted) == (5, 6)


def test_guidellm_waits_are_its_own_dispatch_delays():
    value = fixture("guidellm/failures/benchmarks.json")
    (run,) = runs(value)
    requests = value["benchmarks"][0]["requests"]
    delays = [row["request_dispatch_delay"] for kind in ("successful", "errored") for row in requests[kind]]
    assert run.start - run.scheduled == pytest.approx(delays, abs=1e-6)


def test_guidellm_totals_over_a_window_are_said():
    value = fixture("guidellm/worked/benchmarks.json")
    value["benchmarks"][0]["metrics"]["request_totals"]["successful"] = 4
    assert "over 4 of the 6 requests in the file" in " ".join(runs(value)[0].facts.notes)


def test_an_older_guidellm_with_other_time_stamps():
    row = {
        "start_time": 100.0,
        "first_token_time": 100.15,
        "last_token_time": 101.15,
        "end_time": 101.2,
        "request_latency": 1.2,
        "output_tokens": 101,
        "prompt_tokens": 7,
        "time_to_first_token_ms": 150.0,
        "inter_token_latency_ms": 10.0,
    }
    (run,) = runs(
        {
            "benchmarks": [
                {"type_": "generative_benchmark", "requests": {"successful": [row], "errored": [], "incomplete": []}}
            ]
        }
    )
    assert (run.ttft[0], run.tpot[0], run.e2e[0]) == (pytest.approx(0.15), pytest.approx(0.01), 1.2)


def test_two_benchmarks_are_two_runs():
    value = fixture("guidellm/worked/benchmarks.json")
    value["benchmarks"] *= 2
    assert [run.facts.source for run in runs(value)] == ["given, run 1 of 2", "given, run 2 of 2"]


def test_vllm_runs_appended_line_by_line():
    record = json.dumps(fixture("vllm-0.33.0/worked/result.json"))
    assert [len(run) for run in runs(record + "\n" + record + "\n")] == [6, 6]


def test_a_vllm_stream_that_was_dropped_is_a_failure_though_it_has_a_first_token():
    (run,) = runs(fixture("vllm-0.33.0/failures/result.json"))
    dropped = (run.outcome == 1) & (run.ttft > 0)
    assert dropped.sum() == 4


def test_a_vllm_without_error_texts_counts_empty_answers_as_failures():
    (run,) = runs(without_rows("vllm-0.33.0/failures/result.json", "errors"))
    assert (judge(run, LIMITS).good, judge(run, LIMITS).failed) == (24, 16)
    assert "without an end-to-end time" not in " ".join(run.facts.notes)


LLMPERF = [
    {
        "error_code": None,
        "error_msg": "",
        "inter_token_latency_s": 0.02,
        "ttft_s": 0.1,
        "end_to_end_latency_s": 2.1,
        "number_output_tokens": 101,
        "number_input_tokens": 9,
    },
    {
        "error_code": 429,
        "error_msg": "",
        "inter_token_latency_s": 0.0,
        "ttft_s": 0,
        "end_to_end_latency_s": 0,
        "number_output_tokens": 1,
    },
    {
        "error_code": -100,
        "error_msg": "Output too few tokens 7",
        "inter_token_latency_s": 0.1,
        "ttft_s": 0.1,
        "end_to_end_latency_s": 0.2,
        "number_output_tokens": 7,
    },
]


def test_llmperf_rows():
    (run,) = runs(LLMPERF)
    verdict = judge(run, LIMITS)
    assert (verdict.good, verdict.attempted, verdict.failed) == (1, 3, 2) and run.tpot[0] == pytest.approx(0.02)
    assert run.reasons[run.reason[1]] == "429" and "1 answer marked as an error by LLMPerf itself" in " ".join(
        run.facts.notes
    )


def test_a_llmperf_summary_alone():
    (run,) = runs(
        {
            "results_num_requests_started": 150,
            "results_number_errors": 130,
            "results_num_completed_requests": 20,
            "results_ttft_s_quantiles_p50": 0.3,
            "results_ttft_s_mean": 0.3,
            "results_num_completed_requests_per_min": 20,
        }
    )
    assert (run.attempted, run.completed, run.facts.duration) == (150, 20, 60)
    # Half of twenty at most can have kept 200 ms.
    assert judge(run, LIMITS).bounds[1] <= 10 / 150


INFERENCEX = (
    "start_time_ms,relative_time_sec,ttft_ms,tpot_ms,latency_ms,"
    "input_num_turns,input_num_tokens,output_num_tokens,output_num_chunks\n"
    "3248805800.4,0.000,150.0,10.0,1150.0,1,615,101,100\n3248805801.4,0.001,250.0,10.0,1250.0,2,615,101,100\n"
)


def test_inferencex_rows():
    (run,) = runs(INFERENCEX)
    assert (judge(run, LIMITS).good, len(run), run.tpot[0]) == (1, 2, pytest.approx(0.01))
    assert run.groups == ("turn 1", "turn 2") and run.facts.hidden == "failures"
    assert runs(INFERENCEX + "3248805")[0].facts.unread == 1


def test_genai_bench_in_milliseconds_and_in_a_unit_nobody_knows():
    row = {"ttft": 150.0, "e2e_latency": 1150.0, "num_output_tokens": 101, "error_code": None}
    value = {
        "aggregated_metrics": {"num_concurrency": 1, "scenario": "D(100,101)"},
        "individual_request_metrics": [row],
        "_time_unit": "ms",
    }
    (run,) = runs(value)
    assert (run.ttft[0], run.tpot[0], run.requested_tokens[0]) == (0.15, pytest.approx(0.01), 101)
    assert runs({key: value[key] for key in ("aggregated_metrics", "individual_request_metrics")})[0].ttft[0] == 150
    with pytest.raises(Unreadable, match="the time unit 'h' is not known"):
        runs(value | {"_time_unit": "h"})


def stream(*pieces: tuple[int, str]) -> dict:
    return {
        "timestamp": 10**18,
        "response_timestamps": [10**18 + at * 10**6 for at, _ in pieces],
        "response_outputs": [{"response": f"data: {text}\n\n"} for _, text in pieces],
    }


def delta(**content) -> str:
    return json.dumps({"choices": [{"delta": content}]})


@pytest.mark.parametrize(
    ("pieces", "ttft", "tokens"),
    [
        (
            [
                (50, delta(role="assistant", content="")),
                (100, delta(content="a")),
                (110, delta(content="b")),
                (120, "[DONE]"),
            ],
            0.1,
            2,
        ),
        ([(100, delta(reasoning_content="hm")), (110, delta(content="b")), (120, delta())], 0.1, 2),
        ([(100, delta(content="a b c")), (110, delta(content="d e f"))], 0.1, None),
        (
            [
                (100, delta(content="a b c")),
                (110, delta(content="d e f")),
                (120, json.dumps({"choices": [], "usage": {"completion_tokens": 6}})),
            ],
            0.1,
            6,
        ),
    ],
)
def test_genai_perf_streams(pieces, ttft, tokens):
    (run,) = runs({"experiments": [{"experiment": {"mode": "concurrency", "value": 1}, "requests": [stream(*pieces)]}]})
    assert run.ttft[0] == pytest.approx(ttft)
    assert np.isnan(run.output_tokens[0]) if tokens is None else run.output_tokens[0] == tokens


def test_an_error_event_in_a_genai_perf_stream_is_a_failure():
    broken = stream((100, delta(content="a")), (110, json.dumps({"error": {"message": "no"}})))
    (run,) = runs({"experiments": [{"requests": [broken]}]})
    assert run.outcome[0] == 1 and run.in_band_error[0]


def test_a_question_about_errors_is_no_error_event():
    """The word error inside the text of an answer must not make it one."""
    row = fixture("inference-perf/worked/per_request_lifecycle_metrics.json")[0]
    row["response"] = "data: " + delta(content='{"error": "is what you asked about"}') + "\n\n" + row["response"]
    (run,) = runs([row])
    assert run.outcome[0] == 0


def test_a_folder_with_only_stage_files_is_one_run_each(tmp_path):
    value = fixture("inference-perf/failures/summary_lifecycle_metrics.json")
    for name in ("stage_0_lifecycle_metrics.json", "stage_1_lifecycle_metrics.json"):
        (tmp_path / name).write_text(json.dumps(value), encoding="utf-8")
    loaded = load([str(tmp_path)])
    assert len(loaded.runs) == 2 and not loaded.problems
