"""One run's answer: what was judged, under which limits and rules, and what there is to say about it."""

from dataclasses import dataclass

import numpy as np

from explainer.results.summary import Distribution, Summary
from explainer.results.table import RequestTable
from explainer.slo.rules import Limits, Rules, Verdict
from explainer.slo.statistics import PERCENTILES, Statistics, describe
from explainer.slo.traffic import Traffic

TIMES = {"ttft": "first token", "tpot": "time per token", "e2e": "whole answer"}


@dataclass(frozen=True)
class Answer:
    """A run with its verdict; attainment: the share asked for; traffic: its load; notes: sentences."""

    run: RequestTable | Summary
    verdict: Verdict
    limits: Limits
    rules: Rules
    attainment: float
    traffic: Traffic
    notes: list[str]

    def statistics(self) -> dict[str, Statistics]:
        """ttft, tpot and e2e over the served requests, as judged; from a summary what it states."""
        if isinstance(self.run, Summary):
            return {name: _stated(self.run.metric(name)) for name in TIMES}
        return {name: describe(getattr(self.verdict, name)[self.verdict.answered]) for name in TIMES}

    def chunk_gaps(self) -> Statistics:
        """The gaps between chunks, of all answers together."""
        return _stated(self.run.metric("itl")) if isinstance(self.run, Summary) else describe(self.run.gaps)


def _stated(metric: Distribution) -> Statistics:
    """A metric of a summary; its count only where the file states it."""
    percentiles = (metric.percentile(q) for q in PERCENTILES)
    return Statistics(metric.count if metric.counted else np.nan, metric.mean, *percentiles)
