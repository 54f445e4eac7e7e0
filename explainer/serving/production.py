"""An hour of production traffic, drawn from quantiles that we derived from published traces (data/workload_quantiles.csv).

Kept: the distribution of the prompts' lengths; the distribution of the answers' lengths for each tenth of the prompts (in the Azure
conversation trace prompts of 700 to 1,300 tokens get answers of about 400 tokens, shorter and longer ones about 100); the arrivals of
each minute. Lost: who comes after whom within a minute (arrivals there are Poisson), any tie between time of day and lengths, sessions,
and shared prefixes.
"""
import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from explainer.serving.checks import require
from explainer.serving.workload import Workload

QUANTILES = Path(__file__).parents[2] / "data" / "workload_quantiles.csv"
PROMPT_LEVELS = np.concatenate(([0, 0.005], np.arange(1, 100) / 100, [0.995, 1]))
ANSWER_LEVELS = np.concatenate((np.arange(0, 20) / 20, [0.975, 0.99, 0.995, 0.998, 1]))
TENTHS = 10
MINUTE = 60.0

AZURE_CONVERSATION, AZURE_CODE = "Azure 2023 conversation", "Azure 2023 code"


@dataclass(frozen=True)
class Production:
    """A recipe for traffic like a published trace's. trace: AZURE_CONVERSATION or AZURE_CODE; load: factor on every minute's arrivals;
    minutes: how many of the trace's minutes, from its first; None for all; seed."""
    trace: str = AZURE_CONVERSATION
    load: float = 1.0
    minutes: int | None = None
    seed: int = 0

    def draw(self):
        """The workload; the same recipe always gives the same one, and the load only moves its arrivals closer together."""
        require(np.isfinite(self.load) and self.load > 0, f"The load must be a factor above 0, not {self.load!r}: at 0 nobody ever comes.")
        shape = _shapes().get(self.trace)
        require(shape is not None, f"No quantiles of {self.trace!r}; there are {', '.join(map(repr, _shapes()))}.")
        per_minute = shape["arrivals"][:self.minutes] * self.load
        for_arrivals, for_prompts, for_answers = (np.random.default_rng(part) for part in np.random.SeedSequence(self.seed).spawn(3))
        expected = np.concatenate(([0.0], np.cumsum(per_minute)))
        count = int(expected[-1] + 6 * np.sqrt(expected[-1]) + 20)
        unit = np.cumsum(for_arrivals.exponential(size=count))
        unit = unit[unit < expected[-1]]
        require(len(unit) >= 1, f"At a load of {self.load:g} no request falls into these minutes; take more of them or a higher load.")
        position = for_prompts.uniform(size=len(unit))
        prompts = np.interp(position, PROMPT_LEVELS, shape["input"])
        tenth = np.minimum((position * TENTHS).astype(int), TENTHS - 1)
        level = for_answers.uniform(size=len(unit))
        answers = np.empty(len(unit))
        for number in range(TENTHS):
            here = tenth == number
            answers[here] = np.interp(level[here], ANSWER_LEVELS, shape["output"][number])
        note = f"Drawn from quantiles of {self.trace} ({shape['source']}): lengths jointly by tenths of the prompt, arrivals minute by minute."
        return Workload(np.interp(unit, expected, MINUTE * np.arange(len(expected))), np.maximum(np.rint(prompts), 1).astype(int),
                        np.maximum(np.rint(answers), 1).astype(int), np.zeros(len(unit)), 0, (note,))


@cache
def _shapes():
    """The table by trace: input (per PROMPT_LEVELS), output (tenth x ANSWER_LEVELS), arrivals (per minute), source."""
    with QUANTILES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    shapes = {}
    for trace in dict.fromkeys(row["trace"] for row in rows):
        mine = [row for row in rows if row["trace"] == trace]

        def values(quantity, mine=mine):
            return np.array([float(row["value"]) for row in mine if row["quantity"] == quantity])

        shapes[trace] = {"input": values("input_tokens"), "output": values("output_tokens").reshape(TENTHS, len(ANSWER_LEVELS)),
                         "arrivals": values("arrivals"), "source": mine[0]["source"]}
    return shapes


def quantile_rows(workload, trace, source, scope):
    """The rows of data/workload_quantiles.csv for one trace, as dictionaries in the file's order."""
    inputs, outputs = workload.input_tokens, workload.output_tokens
    common = {"trace": trace, "source": source, "scope": scope, "kind": "derived"}
    rows = [{**common, "quantity": "input_tokens", "input_tenth": "", "position": f"{level:g}", "value": f"{value:g}", "unit": "tokens"}
            for level, value in zip(PROMPT_LEVELS, np.quantile(inputs, PROMPT_LEVELS))]
    order = np.argsort(inputs, kind="stable")
    for number, members in enumerate(np.array_split(order, TENTHS)):
        rows += [{**common, "quantity": "output_tokens", "input_tenth": number, "position": f"{level:g}", "value": f"{value:g}", "unit": "tokens"}
                 for level, value in zip(ANSWER_LEVELS, np.quantile(outputs[members], ANSWER_LEVELS))]
    arrivals = np.bincount((workload.arrival / MINUTE).astype(int))
    rows += [{**common, "quantity": "arrivals", "input_tenth": "", "position": minute, "value": int(count), "unit": "requests per minute"}
             for minute, count in enumerate(arrivals)]
    return rows
