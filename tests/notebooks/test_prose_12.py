"""Numbers in the prose of chapter 12, each counted or worked out again from the evidence."""

import json
from math import ceil

import numpy as np
import pytest

from explainer.catalog import linear_layer_times, nim_sweep
from explainer.evidence import NOT_REPRODUCED, PUBLISHED_WRONG, REPRODUCED, comparisons, evidence, group, published
from explainer.evidence.measured import MBU, MFU
from explainer.evidence.models import SWEEP, layer_time, prompt_alone, requests_that_run
from explainer.evidence.row import BY_HAND
from explainer.formulas.timing import completion_time
from explainer.page.parameters import PARAMETERS
from explainer.page.publish import NOTEBOOKS
from explainer.serving.examples import nim_layout
from explainer.serving.measured import Sweep
from explainer.serving.measured import errors as simulator_errors

H100_LAYER = [row for row in linear_layer_times() if row.accelerator == "H100 SXM"]
SLIDERS = [PARAMETERS[name].default / 100 for name in ("mfu", "mbu")]
ROWS = {row.name: row for row in evidence()}


def count(status):
    return sum(row.status == status for row in evidence())


def errors(name):
    return next(each for each in comparisons() if each.name == name).errors


def computed(name, unit):
    return ROWS[name].computed / unit


SENTENCES = [
    ("We collected {:d} values", len(ROWS)),
    ("There are more: {:d} of the {:d}", count(PUBLISHED_WRONG), len(ROWS)),
    (
        "{:d} of {:d} are wrong; {:d} come out; the other {:d} we do not reproduce",
        count(PUBLISHED_WRONG),
        len(ROWS),
        count(REPRODUCED),
        count(NOT_REPRODUCED),
    ),
    ("10⁹ are a GB, and the one is {:.0f} % larger", 100 * (2**30 / 1e9 - 1)),
    ("takes {:.3f} GiB for {:.2f} GB", computed("distserve-cache", 2**30), published("distserve-cache") / 1e9),
    (
        "asks for {:.0f} Gb/s of network, where {:.1f} are needed",
        published("distserve-traffic") * 8 / 1e9,
        computed("distserve-traffic", 1e9 / 8),
    ),
    ("subtracts 70 from 128 and gets {:.0f}", published("slice-left-8-bit") / 1e9),
    (
        "eight requests of 8,192 tokens need {:.0f} GB, although a few lines earlier it gave {:.0f} for twice as many tokens",
        published("cache-of-eight") / 1e9,
        published("cache-of-128k") / 1e9,
    ),
    (
        "0.6 s and 199 tokens at 40 ms are {:.2f} s, not {:.0f}",
        completion_time(0.6, 0.040, 200),
        published("limits-end"),
    ),
    ("A source that prints {:.0f} ms may have meant {:.2f}", published("messages") * 1e3, computed("messages", 1e-3)),
    ("a step printed as {:.2f} ms", published("step-mha-1") * 1e3),
    (
        "by {:.0f} to {:.0f} % here",
        -100 * ROWS["analysis-prefill-measured"].error,
        -100 * ROWS["gather-small-profile"].error,
    ),
    (
        "miss a simulation by {:.0f} and {:.0f} %",
        100 * ROWS["mgk-simulated"].error,
        -100 * ROWS["tail-simulated"].error,
    ),
    ("come out within {:.2f} %", 100 * np.abs(errors("throughput, by Little’s law")).max()),
    ("its prompt of 5,000 tokens is read in between: {:.0f} ms", 1e3 * prompt_alone(MFU, MBU)),
    ("how many run at once to {:.0f}", round(requests_that_run())),
    ("the whole table comes out within {:.1f} %", 100 * np.abs(errors("TPOT, prompts of others in between")).max()),
    (
        "where {:.0f} were measured for a single client and {:.1f} s on average for 250",
        1e3 * SWEEP[0].ttft_seconds,
        SWEEP[-1].ttft_seconds,
    ),
    (
        "it misses the H100’s layer by {:.0f} % on average where the first line has {:.1f} %",
        100 * np.mean([abs(layer_time(row, row.tokens, *SLIDERS) / row.time_seconds - 1) for row in H100_LAYER]),
        100 * comparisons()[0].mean,
    ),
    ("{:d} of the values were worked out by hand", sum(row.kind == BY_HAND for row in evidence())),
]


@pytest.fixture(scope="module")
def prose():
    cells = json.loads((NOTEBOOKS / "12-how-good-is-this.ipynb").read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells)


@pytest.mark.parametrize("sentence, values", [(each[0], each[1:]) for each in SENTENCES])
def test_a_number_in_prose_is_what_the_evidence_gives(prose, sentence, values):
    assert sentence.format(*values) in prose


def test_words_that_stand_for_numbers():
    wrong, every = count(PUBLISHED_WRONG), len(ROWS)
    assert round(every / wrong) == 9, "about one in nine"
    assert count(NOT_REPRODUCED) == 22, "twenty-two rows"
    assert sum(row.status == PUBLISHED_WRONG for row in group("sizes")) > wrong / 2, "most of them are sizes"
    mistakes = [row.mistake for row in evidence() if row.status == PUBLISHED_WRONG]
    assert max(set(mistakes), key=mistakes.count) == "GB and GiB confused", "the most common mistake"
    heads = ROWS["hub-cache-405B-128k"]
    assert 1.8 < heads.published / heads.computed < 2, "almost twice what is needed"
    caches, rate = ROWS["slice-caches-8-bit"], ROWS["slice-rate-8-bit"]
    assert caches.published - caches.computed == 9 and 1.2 < rate.published / rate.computed < 1.25, (
        "nine caches too many, over a fifth too many answers"
    )
    assert errors("throughput, streams alone")[-1] == pytest.approx(2, abs=0.1), (
        "three times the tokens that were measured"
    )
    assert abs(errors("TPOT, decode step alone")[0]) < 0.01 and errors("TPOT, decode step alone")[3] < -0.5, (
        "right for one client, useless for fifty"
    )
    assert sum(row.mistake in ("the wait left out", "a bound, not a forecast") for row in evidence()) == 3, (
        "three are laws used where they do not hold"
    )
    assert ROWS["analysis-prefill-profiled-their-count"].agrees, (
        "with its own count our formula gives its prefill to the last digit"
    )
    assert ceil(100 * 0.5 / 10) == 5, "a value to two digits hides up to five percent"


def test_the_simulators_errors_on_the_page_are_those_of_the_engine():
    rows = nim_sweep()
    columns = ("concurrency", "ttft_seconds", "itl_seconds", "output_tokens_per_s")
    lengths = rows[0].input_tokens, rows[0].output_tokens
    measured = Sweep(*lengths, *(np.array([getattr(row, name) for row in rows]) for name in columns))
    text = (NOTEBOOKS / "12-how-good-is-this.ipynb").read_text(encoding="utf-8")
    for row in simulator_errors(nim_layout(), measured):
        rate, pace = (f"{100 * row[name]['error']:+.1f} %".replace("-", "−") for name in ("output_rate", "tpot"))
        first = f"{row['ttft']['simulated']:.2f} | {row['ttft']['measured']:.2f}"
        assert f"| {row['clients']} | {rate} | {pace} | {first} |" in text
        assert abs(row["output_rate"]["error"]) < 0.02 and abs(row["tpot"]["error"]) <= 0.0205, "chapter 7 says within 2 %"
