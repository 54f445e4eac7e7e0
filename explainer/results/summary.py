"""A run of which only totals and percentiles were kept: what can still be said about it, and no more."""

import math
import re
from dataclasses import dataclass, field

import numpy as np

from explainer.results.jsontext import number
from explainer.results.table import RunFacts

METRICS = ("ttft", "tpot", "e2e", "itl")
_ALIASES = {"ttft": "ttft", "tpot": "tpot", "itl": "itl", "e2el": "e2e", "e2e": "e2e", "e2e_latency": "e2e"}
_UNITS = {"_ms": 1e-3, "_s": 1.0, "": 1.0}
_NAMED = re.compile(r"(mean|median|min|max|p\d+(?:\.\d+)?)_(ttft|tpot|itl|e2el|e2e_latency|e2e)(_ms|_s|)")


@dataclass(frozen=True)
class Distribution:
    """One metric over the served requests: count, mean (s) and points {percentile 0..100: s}; pooled: per token and
    not per request.

    unmeasured: the most answers that count leaves out (one-token answers have no TPOT), nan where the file does not
    tell. counted: False where the file does not state count, which is then the least that it can be.
    """

    count: float = np.nan
    mean: float = np.nan
    points: dict[float, float] = field(default_factory=dict)
    pooled: bool = False
    unmeasured: float = np.nan
    counted: bool = True

    def percentile(self, q: float) -> float:
        """The stated percentile in s; nan where the file does not state it."""
        return self.points.get(q, np.nan)

    def share_within(self, limit: float) -> tuple[float, float]:
        """Bounds on the share of requests with value <= limit, from the stated percentiles alone.

        limit: s. The k-th of n sorted values stands at percentile 100 (k - 1) / (n - 1), so a stated percentile at or
        below the limit puts a known number of values within it, and one above puts the rest outside. Answers that were
        not measured may lie on either side. (0, 1) where nothing is stated per request.
        """
        low, high = 0.0, 1.0
        if self.pooled:
            return low, high
        count = self.count if self.count >= 1 else np.nan
        for q, value in self.points.items():
            rank = q / 100 * (count - 1)
            if value <= limit * (1 + 1e-9):
                low = max(low, q / 100 if math.isnan(rank) else (math.floor(rank) + 1) / count)
            elif value > limit:
                high = min(high, q / 100 if math.isnan(rank) else math.ceil(rank) / count)
        hidden = self.unmeasured / (count + self.unmeasured) if self.unmeasured > 0 else 0.0
        return low * (1 - hidden), max(low, high) * (1 - hidden) + hidden


@dataclass(frozen=True)
class Summary:
    """A run without rows. attempted, completed, failed: counts, nan where not stated; shares: {metric: (limit in s,
    share that met
    it, of the completed where attempted is known, else of all)}."""

    facts: RunFacts
    attempted: float = np.nan
    completed: float = np.nan
    failed: float = np.nan
    metrics: dict[str, Distribution] = field(default_factory=dict)
    shares: dict[str, tuple[float, float]] = field(default_factory=dict)
    mean_input_tokens: float = np.nan
    mean_output_tokens: float = np.nan

    def metric(self, name: str) -> Distribution:
        """That metric's distribution, an empty one where the file has none."""
        return self.metrics.get(name, Distribution())


def named_statistics(record: dict, count: float) -> tuple[dict[str, Distribution], int]:
    """Distributions from names such as mean_ttft_ms, median_itl_ms, p99_tpot_ms or p95_e2el_s; and how many such
    values are missing.

    record: one JSON object; count: requests behind them, or nan. A name without a unit is in s (InferenceX's
    aggregates).
    """
    means: dict[str, float] = {}
    points: dict[str, dict[float, float]] = {}
    missing = 0
    for name, value in record.items():
        if not (match := _NAMED.fullmatch(name)):
            continue
        statistic, metric, unit = match.groups()
        seconds = number(value) * _UNITS[unit]
        metric = _ALIASES[metric]
        if math.isnan(seconds):
            missing += 1
        elif statistic == "mean":
            means[metric] = seconds
        else:
            q = {"median": 50.0, "min": 0.0, "max": 100.0}.get(statistic)
            points.setdefault(metric, {})[float(statistic[1:]) if q is None else q] = seconds
    return {
        metric: Distribution(
            count=count, mean=means.get(metric, np.nan), points=points.get(metric, {}), pooled=metric == "itl"
        )
        for metric in (*means, *(m for m in points if m not in means))
    }, missing
