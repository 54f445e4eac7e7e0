"""Each model beside a measured table: what it was told, and by how much it misses every row."""

from dataclasses import dataclass

import numpy as np

from explainer.catalog import accelerator, linear_layer_times
from explainer.formulas.closed_loop import response_bound, throughput_bound
from explainer.formulas.concurrency import aggregate_rate, output_rate
from explainer.formulas.roofline import mbu, mfu
from explainer.formulas.timing import completion_time

from .models import SWEEP, layer_time, prompt_alone, step_alone, step_among_prompts
from .row import relative_error

MFU, MBU = 0.55, 0.60  # of the NIM sweep: chosen by hand to fit it, on a grid of 5 %
_NIM = "NVIDIA NIM 1.0.0: Llama 3.3 70B FP8 on two H100, 5,000 in, 500 out"


@dataclass(frozen=True)
class Comparison:
    """A model's values beside the measured ones, row by row, in SI. told: what of the table the model was given."""

    name: str
    model: str
    table: str
    told: str
    measured: tuple[float, ...]
    modelled: tuple[float, ...]
    note: str

    @property
    def errors(self) -> np.ndarray:
        """Relative error of each row."""
        return relative_error(np.array(self.modelled), np.array(self.measured))

    @property
    def mean(self) -> float:
        """Mean of the absolute errors."""
        return float(np.abs(self.errors).mean())


def _shares(rows, card):
    """MFU from the last row and MBU from the first: the rows between are then a forecast."""
    return float(mfu(rows[-1].flops, rows[-1].time_seconds, card.bf16_flop_per_s)), float(
        mbu(rows[0].bytes_moved, rows[0].time_seconds, card.memory_bytes_per_s)
    )


def _layers():
    table = (
        ("H100 SXM", "Llama 2 70B gate and up projection"),
        ("A100 SXM 80 GB", "Llama 2 70B gate and up projection"),
        ("A100 SXM 80 GB", "Llama 3 8B four projections"),
    )
    every = {each: [row for row in linear_layer_times() if (row.accelerator, row.layer) == each] for each in table}
    shares = {each: _shares(rows, accelerator(each[0])) for each, rows in every.items()}
    for (card, layer), rows in every.items():
        yield _compared(
            card,
            layer,
            rows,
            shares[card, layer],
            "its first and last row, for MBU and MFU",
            "Misses lie around the bend and at awkward sizes, where kernels waste part of a tile.",
        )
    card, layer = table[1]
    yield _compared(
        card,
        layer,
        every[card, layer],
        shares[table[0]],
        "the two shares of the H100, nothing of its own",
        "Two numbers that fit one card are no law of nature.",
        " with an H100’s shares",
    )


def _compared(card, layer, rows, shares, told, note, suffix=""):
    name = f"{card.split()[0]}, {layer}{suffix}"
    modelled = tuple(float(layer_time(row, row.tokens, *shares)) for row in rows)
    return Comparison(
        name,
        "roofline of one layer",
        f"vidur: {layer}, {card}, {len(rows)} numbers of tokens",
        told,
        tuple(row.time_seconds for row in rows),
        modelled,
        note,
    )


def _sweep():
    tokens = SWEEP[0].output_tokens
    rate = tuple(row.output_tokens_per_s for row in SWEEP)
    token = tuple(row.itl_seconds for row in SWEEP)
    first = tuple(row.ttft_seconds for row in SWEEP)
    ends = tuple(float(completion_time(row.ttft_seconds, row.itl_seconds, tokens)) for row in SWEEP)
    alone, peak = ends[0], max(rate) / tokens
    clients = [row.concurrency for row in SWEEP]

    def by(formula):
        return tuple(float(formula(row)) for row in SWEEP)

    yield Comparison(
        "throughput, by Little’s law",
        "C N / (TTFT + (N − 1) TPOT)",
        f"{_NIM}; tokens a second",
        "TTFT and TPOT of the same row",
        rate,
        by(lambda row: output_rate(row.concurrency, row.ttft_seconds, row.itl_seconds, tokens)),
        "Bookkeeping: it forecasts nothing, and it catches a table that contradicts itself.",
    )
    yield Comparison(
        "throughput, streams alone",
        "C / TPOT",
        f"{_NIM}; tokens a second",
        "TPOT of the same row",
        rate,
        by(lambda row: aggregate_rate(row.concurrency, row.itl_seconds)),
        "It counts the clients that wait as if they streamed.",
    )
    yield Comparison(
        "throughput, bound",
        "min(C / R, peak)",
        f"{_NIM}; tokens a second",
        "one client alone, and the peak",
        rate,
        tuple(float(throughput_bound(each, alone, 0, peak)) * tokens for each in clients),
        "A bound that no server beats; near its knee real requests slow one another.",
    )
    yield Comparison(
        "completion, bound",
        "max(R, C / peak)",
        f"{_NIM}; completion",
        "one client alone, and the peak",
        ends,
        tuple(float(response_bound(each, alone, 0, peak)) for each in clients),
        "The same bound, read as time.",
    )
    yield Comparison(
        "TPOT, decode step alone",
        "max of reading and arithmetic, and 1 ms",
        f"{_NIM}; time per token",
        "MFU 0.55, MBU 0.60, chosen to fit",
        token,
        tuple(float(step_alone(each, MFU, MBU)) for each in clients),
        "Right for one client. With more, the prompts of the others are read in between, and it knows nothing of them.",
    )
    yield Comparison(
        "TPOT, prompts of others in between",
        "the same, and (B − 1) / N prompts a step",
        f"{_NIM}; time per token",
        "MFU 0.55, MBU 0.60, chosen to fit",
        token,
        tuple(float(step_among_prompts(each, MFU, MBU)) for each in clients),
        "With the cards’ memory as the limit of the batch it follows the whole table.",
    )
    yield Comparison(
        "TTFT, prefill alone",
        "max of arithmetic and reading",
        f"{_NIM}; time to first token",
        "MFU 0.55, MBU 0.60, chosen to fit",
        first,
        tuple(float(prompt_alone(MFU, MBU)) for _ in clients),
        "Good for an idle server, and worthless in a queue: prefill does not know who is before you.",
    )


def comparisons() -> tuple[Comparison, ...]:
    """Every model of the pages beside the measured tables of the catalogue."""
    return (*_layers(), *_sweep())
