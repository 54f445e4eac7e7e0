"""An hour of production traffic, drawn from quantiles that we derived from published traces
(data/workload_quantiles.csv).

Kept: the distribution of the prompts' lengths; the distribution of the answers' lengths for each tenth of the prompts
(in the Azure conversation trace prompts of 700 to 1,300 tokens get answers of about 400 tokens, shorter and longer ones
about 100); the arrivals of each minute. Lost: who comes after whom within a minute (arrivals there are Poisson), any
tie between time of day and lengths, sessions, and shared prefixes.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from explainer.catalog.table import DATA, read_table
from explainer.serving.checks import require
from explainer.serving.workload import Workload

QUANTILES = DATA / "workload_quantiles.csv"
PROMPT_LEVELS = np.concatenate(([0, 0.005], np.arange(1, 100) / 100, [0.995, 1]))
ANSWER_LEVELS = np.concatenate((np.arange(0, 20) / 20, [0.975, 0.99, 0.995, 0.998, 1]))
TENTHS = 10
MINUTE = 60.0

AZURE_CONVERSATION, AZURE_CODE = "Azure 2023 conversation", "Azure 2023 code"


@dataclass(frozen=True)
class Production:
    """A recipe for traffic like a published trace's. trace: AZURE_CONVERSATION or AZURE_CODE; load: factor on every
    minute's arrivals; minutes: how many of the trace's minutes, from its first; None for all; seed."""

    trace: str = AZURE_CONVERSATION
    load: float = 1.0
    minutes: int | None = None
    seed: int = 0

    def draw(self):
        """The workload; the same recipe always gives the same one, and the load only moves its arrivals closer
        together."""
        require(
            np.isfinite(self.load) and self.load > 0,
            f"The load must be a factor above 0, not {self.load!r}: at 0 nobody ever comes.",
        )
        shape = _shapes().get(self.trace)
        require(shape is not None, f"No quantiles of {self.trace!r}; there are {', '.join(map(repr, _shapes()))}.")
        per_minute = shape["arrivals"][: self.minutes] * self.load
        for_arrivals, for_prompts, for_answers = (
            np.random.default_rng(part) for part in np.random.SeedSequence(self.seed).spawn(3)
        )
        expected = np.concatenate(([0.0], np.cumsum(per_minute)))
        count = int(expected[-1] + 6 * np.sqrt(expected[-1]) + 20)
        unit = np.cumsum(for_arrivals.exponential(size=count))
        unit = unit[unit < expected[-1]]
        require(
            len(unit) >= 1,
            f"At a load of {self.load:g} no request falls into these minutes; take more of them or a higher load.",
        )
        position = for_prompts.uniform(size=len(unit))
        prompts = np.interp(position, PROMPT_LEVELS, shape["input"])
        tenth = np.minimum((position * TENTHS).astype(int), TENTHS - 1)
        level = for_answers.uniform(size=len(unit))
        answers = np.empty(len(unit))
        for number in range(TENTHS):
            here = tenth == number
            answers[here] = np.interp(level[here], ANSWER_LEVELS, shape["output"][number])
        note = (
            f"Drawn from quantiles of {self.trace} ({shape['source']}): lengths jointly by tenths of the prompt, "
            "arrivals minute by minute."
        )
        return Workload(
            np.interp(unit, expected, MINUTE * np.arange(len(expected))),
            np.maximum(np.rint(prompts), 1).astype(int),
            np.maximum(np.rint(answers), 1).astype(int),
            np.zeros(len(unit)),
            0,
            (note,),
        )


@dataclass(frozen=True)
class Quantile:
    """One row of the file: a quantile of a length (position: its level, 0 to 1), or the arrivals of a minute (position:
    which)."""

    trace: str
    quantity: str
    input_tenth: int | None
    position: float
    value: float
    unit: str
    source: str
    scope: str
    kind: str


@cache
def quantiles() -> tuple[Quantile, ...]:
    """The rows of data/workload_quantiles.csv, in its order."""
    return read_table(QUANTILES, Quantile)


@cache
def _shapes():
    """The table by trace: input (per PROMPT_LEVELS), output (tenth x ANSWER_LEVELS), arrivals (per minute), source."""
    shapes = {}
    for trace in dict.fromkeys(row.trace for row in quantiles()):
        mine = [row for row in quantiles() if row.trace == trace]
        columns = {
            quantity: np.array([row.value for row in mine if row.quantity == quantity])
            for quantity in ("input_tokens", "output_tokens", "arrivals")
        }
        shapes[trace] = {
            "input": columns["input_tokens"],
            "output": columns["output_tokens"].reshape(TENTHS, len(ANSWER_LEVELS)),
            "arrivals": columns["arrivals"],
            "source": mine[0].source,
        }
    return shapes


def derive(workload, trace, source, scope):
    """The rows of data/workload_quantiles.csv for one trace, from its requests."""
    inputs, outputs = workload.input_tokens, workload.output_tokens

    def row(quantity, tenth, position, value, unit):
        return Quantile(trace, quantity, tenth, float(position), float(f"{value:g}"), unit, source, scope, "derived")

    rows = [
        row("input_tokens", None, level, value, "tokens")
        for level, value in zip(PROMPT_LEVELS, np.quantile(inputs, PROMPT_LEVELS))
    ]
    for tenth, members in enumerate(np.array_split(np.argsort(inputs, kind="stable"), TENTHS)):
        rows += [
            row("output_tokens", tenth, level, value, "tokens")
            for level, value in zip(ANSWER_LEVELS, np.quantile(outputs[members], ANSWER_LEVELS))
        ]
    arrivals = np.bincount((workload.arrival / MINUTE).astype(int))
    return rows + [row("arrivals", None, minute, count, "requests per minute") for minute, count in enumerate(arrivals)]
