"""Numbers that stand in prose, each worked out again by the formula that yields it: the sentence must hold what the formula says."""
import json

import pytest

from explainer.catalog import accelerator, linear_layer_times
from explainer.formulas.roofline import critical_batch, operation_time
from explainer.formulas.speedup import accelerated_time, overall_speedup
from explainer.formulas.timing import completion_time, crossover_tokens
from explainer.page.publish import NOTEBOOKS

A, B = (0.4, 0.04), (1.0, 0.02)
FAST_PACE, FAST_START = (2.0, 0.01), (0.1, 0.02)  # CASES 19: the published pair
WORDS_PER_MINUTE, TOKENS_PER_WORD = 238, 1.155  # Brysbaert (2019); English in cl100k, measured (data/)

STEP = operation_time(1.4e11, 4e14, 70e9, 2e12)
ROWS = [row for row in linear_layer_times() if row.accelerator == "H100 SXM" and row.layer.startswith("Llama 2 70B")]
LAYER = {row.tokens: row.time_seconds for row in ROWS}


def model_of_layer(tokens):
    row = next(row for row in ROWS if row.tokens == tokens)
    return operation_time(row.flops, 0.68 * 989e12, row.bytes_moved, 0.92 * 3.35e12)


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
        ("A chat reply of 50 tokens takes {:.2f} s on the first and {:.2f} s on the second", t(FAST_PACE, 50), t(FAST_START, 50)),
        ("a report of 1,000 tokens takes {:.2f} s and {:.2f} s", t(FAST_PACE, 1000), t(FAST_START, 1000)),
        ("becomes {:.0f} s over a paragraph", 100 * 0.02),
        ("a head start of one second is worth {:.0f} tokens", crossover_tokens(0, 0.04, 1, 0.02) - 1),
        ("it pays from the {:.0f}st token on", crossover_tokens(0, 0.005, 0.3, 0)),
        ("near {:.1f} tokens a second", WORDS_PER_MINUTE * TOKENS_PER_WORD / 60),
    ],
    "03-one-stage": [
        ("10 s stay and 20 s become {:.0f} s: {:.0f} s in all, **{:.2f} times** as fast", accelerated_time(0, 20, 4), accelerated_time(10, 20, 4), overall_speedup(10, 20, 4)),
        ("turns {:.0f} s into {:.1f} s", accelerated_time(10, 2, 1), accelerated_time(10, 2, 4)),
        ("can never be more than {:.0f} times as fast", overall_speedup(10, 20, float("inf"))),
        ("making the stage twice as fast cuts a third off the whole wait, which is {:.1f} times as fast", overall_speedup(1, 2, 2)),
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
        ("H100 and H200 have the same arithmetic and differ in memory: {:.2f} against {:.1f} TB/s", accelerator("H100 SXM").memory_bytes_per_s / 1e12, accelerator("H200 SXM").memory_bytes_per_s / 1e12),
        ("takes {:.3f} ms for one token and {:.3f} ms for 128", LAYER[1] * 1e3, LAYER[128] * 1e3),
        ("The worst point is {:.0f} % off on the H100", 100 * max(abs(model_of_layer(n) / time - 1) for n, time in LAYER.items())),
    ],
}


def prose(chapter: str) -> str:
    cells = json.loads((NOTEBOOKS / f"{chapter}.ipynb").read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells)


@pytest.mark.parametrize("chapter, sentence, values", [(chapter, each[0], each[1:]) for chapter, listed in SENTENCES.items() for each in listed])
def test_a_number_in_prose_is_what_its_formula_gives(chapter, sentence, values):
    assert sentence.format(*values) in prose(chapter)


def test_each_doubling_cuts_off_half_of_what_the_one_before_did():
    whole = [accelerated_time(1 / 3, 2 / 3, k) for k in (1, 2, 4, 8)]
    assert [before - after for before, after in zip(whole, whole[1:])] == pytest.approx([1 / 3, 1 / 6, 1 / 12])
