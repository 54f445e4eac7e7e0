"""Numbers that stand in prose, each worked out again by the formula that yields it: the sentence must hold what the formula says."""

import json

import numpy as np
import pytest

from explainer.catalog import accelerator, linear_layer_times
from explainer.formulas.agents import all_within, any_beyond, share_needed
from explainer.formulas.goodput import joint_bounds, requests_needed, wilson_interval
from explainer.formulas.roofline import critical_batch, operation_time
from explainer.formulas.speedup import accelerated_time, overall_speedup
from explainer.formulas.timing import completion_time, crossover_tokens
from explainer.page.figures import knee, token_budget, two_machines
from explainer.page.figures.both_limits import TPOT, TTFT
from explainer.page.figures.five_shares import run as judged
from explainer.page.publish import NOTEBOOKS
from explainer.serving.examples import small_engine
from explainer.serving.layout import OnePhase
from explainer.serving.lengths import Lognormal
from explainer.serving.simulate import simulate
from explainer.serving.summary import summarise
from explainer.serving.workload import Poisson, Traffic
from explainer.slo.simulated import share_good

A, B = (0.4, 0.04), (1.0, 0.02)
FAST_PACE, FAST_START = (2.0, 0.01), (0.1, 0.02)  # CASES 19: the published pair
WORDS_PER_MINUTE, TOKENS_PER_WORD = 238, 1.155  # Brysbaert (2019); English in cl100k, measured (data/)

STEP = operation_time(1.4e11, 4e14, 70e9, 2e12)
ROWS = [row for row in linear_layer_times() if row.accelerator == "H100 SXM" and row.layer.startswith("Llama 2 70B")]
LAYER = {row.tokens: row.time_seconds for row in ROWS}


def model_of_layer(tokens):
    row = next(row for row in ROWS if row.tokens == tokens)
    return operation_time(row.flops, 0.68 * 989e12, row.bytes_moved, 0.92 * 3.35e12)


EXAMPLE = ((TTFT <= 0.5).mean(), (TPOT <= 0.05).mean(), ((TTFT <= 0.5) & (TPOT <= 0.05)).mean())
PAIRS = {
    pace: {
        row["x"]: row
        for row in two_machines.run({"long_prompt": 2048, "link_rate": 50, "pace_limit": pace})["rows"]["pairs"]
    }
    for pace in (15, 50)
}
OVERLOAD = simulate(Traffic(Poisson(50.0), Lognormal(512, 256), 20_000), OnePhase(small_engine()))
CAPACITY = summarise(OVERLOAD)["steady_rate"]


def t(system, tokens):
    return completion_time(*system, tokens)


SENTENCES = {
    "02-start-or-finish": [
        ("they cross at {:.0f} tokens, {:.1f} s after sending", crossover_tokens(*A, *B), t(A, 31)),
        ("At 101 tokens the answers end after {:.1f} s and {:.0f} s", t(A, 101), t(B, 101)),
        ("At 1,001 tokens they end after {:.1f} s and {:.0f} s", t(A, 1001), t(B, 1001)),
        ("B is done after {:.0f} s and A after {:.1f} s", t(B, 101), t(A, 101)),
        ("Only at one length: {:.0f} tokens. There both are done after {:.1f} s", crossover_tokens(*A, *B), t(B, 31)),
        ("After {:.0f} such tokens the head start is used up", crossover_tokens(*A, *B) - 1),
        ("They are equal at {:.0f} tokens", crossover_tokens(*FAST_PACE, *FAST_START)),
        (
            "A chat reply of 50 tokens takes {:.2f} s on the first and {:.2f} s on the second",
            t(FAST_PACE, 50),
            t(FAST_START, 50),
        ),
        ("a report of 1,000 tokens takes {:.2f} s and {:.2f} s", t(FAST_PACE, 1000), t(FAST_START, 1000)),
        ("becomes {:.0f} s over a paragraph", 100 * 0.02),
        ("a head start of one second is worth {:.0f} tokens", crossover_tokens(0, 0.04, 1, 0.02) - 1),
        ("it pays beyond {:.0f} tokens", crossover_tokens(0, 0.005, 0.3, 0)),
        ("near {:.1f} tokens a second", WORDS_PER_MINUTE * TOKENS_PER_WORD / 60),
    ],
    "03-one-stage": [
        (
            "10 s stay and 20 s become {:.0f} s: {:.0f} s in all, **{:.2f} times** as fast",
            accelerated_time(0, 20, 4),
            accelerated_time(10, 20, 4),
            overall_speedup(10, 20, 4),
        ),
        ("turns {:.0f} s into {:.1f} s", accelerated_time(10, 2, 1), accelerated_time(10, 2, 4)),
        ("can never be more than {:.0f} times as fast", overall_speedup(10, 20, float("inf"))),
        (
            "making the stage twice as fast cuts a third off the whole wait, which is {:.1f} times as fast",
            overall_speedup(1, 2, 2),
        ),
        ("to four times, takes it to {:.2f} and cuts off another sixth", overall_speedup(1, 2, 4)),
        ("to eight times, takes it to {:.2f} and cuts off a twelfth", overall_speedup(1, 2, 8)),
        ("A stage with a share of 90 %, made twice as fast, gives {:.2f} times", overall_speedup(0.1, 0.9, 2)),
        ("A stage with a share of 50 %, made twenty times as fast, gives {:.2f}", overall_speedup(0.5, 0.5, 20)),
        ("{:.0f} s of {:.0f} s", accelerated_time(0, 20, 4), accelerated_time(10, 20, 4)),
    ],
    "04-prefill-and-decode": [
        ("70 GB at 2 TB/s is **{:.0f} ms**, or at most {:.1f} tokens a second", STEP * 1e3, 1 / STEP),
        ("Twice the bandwidth makes it {:.1f} ms", operation_time(1.4e11, 4e14, 70e9, 4e12) * 1e3),
        ("Twice the arithmetic leaves it at {:.0f} ms", operation_time(1.4e11, 8e14, 70e9, 2e12) * 1e3),
        ("at a batch of about {:.0f} in this example", critical_batch(4e14, 2e12, 1)),
        ("The other {:.0f} ms were spent reading weights", STEP * 1e3),
        (
            "H100 and H200 have the same arithmetic and differ in memory: {:.2f} against {:.1f} TB/s",
            accelerator("H100 SXM").memory_bytes_per_s / 1e12,
            accelerator("H200 SXM").memory_bytes_per_s / 1e12,
        ),
        ("takes {:.3f} ms for one token and {:.3f} ms for 128", LAYER[1] * 1e3, LAYER[128] * 1e3),
        (
            "The worst point is {:.0f} % off on the H100",
            100 * max(abs(model_of_layer(n) / time - 1) for n, time in LAYER.items()),
        ),
    ],
    "10-goodput": [
        ("TTFT is in time for {:.1f} %, TPOT for {:.1f} %, and both for {:.1f} %", *(100 * share for share in EXAMPLE)),
        ("only {:.0f} % are good", 100 * joint_bounds(0.96, 0.96)[0]),
        ("all you know is that at least {:.0f} % of requests are good", 100 * joint_bounds(0.95, 0.95)[0]),
        ("The good share is 20 of 48, or {:.1f} %", 100 * 20 / 48),
        ("runs from {:.1f} % to {:.1f} %", *(100 * end for end in wilson_interval(194.0, 200.0, 0.95))),
        ("From {:.0f} requests on", np.ceil(requests_needed(0.97, 0.95, 0.95))),
        ("a session of ten is free of bad ones {:.1f} % of the time", 100 * all_within(0.95, 10)),
        ("{:.2f} % of requests must be good", 100 * share_needed(0.95, 10)),
        ("{:.1f} % of pages wait for at least one", 100 * any_beyond(0.01, 30)),
    ],
    "07-queue": [
        (
            "Each point of a curve is one run of {:,.0f} requests ({:,.0f} where two machines are compared)",
            *{knee.REQUESTS, token_budget.REQUESTS},
            two_machines.REQUESTS,
        ),
        ("An engine can finish about {:.0f} requests a second", CAPACITY),
        (
            "{:,} requests at 50 a second leave at {:.0f} a second, and the {:,} of each point here at {:.1f}",
            len(OVERLOAD.requests),
            CAPACITY,
            knee.REQUESTS,
            knee.run({"mean_prompt": 512, "mean_answer": 256})["values"]["capacity"],
        ),
        (
            "at 14 requests a second {:.0f} % of requests are good, and {:.0f} % on the shared pair",
            100 * PAIRS[15][14]["split_good"],
            100 * PAIRS[15][14]["shared_good"],
        ),
        (
            "at 16 a second the shared pair keeps {:.1f} % good and the split pair {:.0f} %",
            100 * PAIRS[50][16]["shared_good"],
            100 * PAIRS[50][16]["split_good"],
        ),
    ],
}


def prose(chapter: str) -> str:
    cells = json.loads((NOTEBOOKS / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells)


@pytest.mark.parametrize(
    "chapter, sentence, values",
    [(chapter, each[0], each[1:]) for chapter, listed in SENTENCES.items() for each in listed],
)
def test_a_number_in_prose_is_what_its_formula_gives(chapter, sentence, values):
    assert sentence.format(*values) in prose(chapter)


def test_each_doubling_cuts_off_half_of_what_the_one_before_did():
    whole = [accelerated_time(1 / 3, 2 / 3, k) for k in (1, 2, 4, 8)]
    assert [before - after for before, after in zip(whole, whole[1:])] == pytest.approx([1 / 3, 1 / 6, 1 / 12])


def test_each_95th_percentile_of_the_example_is_within_its_limit():
    assert np.percentile(TTFT, 95) < 0.5 and np.percentile(TPOT, 95) < 0.05


def test_the_tools_shares_in_prose_are_those_in_their_files():
    rows = {
        row["tool"]: row
        for row in judged({"denominator": 0, "in_band_error": 0, "counted_length": 0})["rows"]["shares"]
    }
    own = [rows[tool]["own"] for tool in ("AIPerf", "GuideLLM", "SGLang", "SGLang, no usage", "inference-perf")]
    assert "The tools report {:.1f}, {:.1f}, {:.0f}, {:.1f} and {:.0f} %".format(
        *(100 * share for share in own)
    ) in prose("10-goodput")
    assert [rows[tool]["own"] for tool in ("GenAI-Perf", "vLLM 0.33", "genai-bench")] == [None] * 3
    assert rows["GuideLLM"]["good"] == 19 and rows["AIPerf"]["good"] == 20


def test_an_overload_that_tpot_does_not_show():
    assert "more than 99 % of requests keep a limit of 30 ms a token" in prose("07-queue")
    assert share_good(OVERLOAD, tpot=0.030) > 0.99
    assert 50 - CAPACITY == pytest.approx(6, abs=0.5) and "Every second six more requests join" in prose("07-queue")
    assert np.percentile(OVERLOAD.requests.ttft, 50) == pytest.approx(30, rel=0.1)
