"""Several runs of one server under growing load: does it queue, or does it collapse; which run keeps the limits."""

from collections.abc import Sequence

from explainer.results.summary import Summary
from explainer.results.table import RequestTable
from explainer.slo.durations import spoken
from explainer.slo.rules import Limits
from explainer.slo.statistics import describe
from explainer.slo.traffic import measure

# A queue keeps the server's throughput; a tenth less is noise, more is not.
_FELL = 0.9


def compare(runs: Sequence[RequestTable | Summary], limits: Limits) -> list[str]:
    """Sentences on runs that state their concurrency, from the lightest load to the heaviest; empty for fewer than
    two."""
    loads = sorted((run for run in runs if run.facts.concurrency >= 1), key=lambda run: run.facts.concurrency)
    if len(loads) < 2:
        return []
    found = []
    for lighter, heavier in zip(loads, loads[1:]):
        before, after = measure(lighter).served_rate, measure(heavier).served_rate
        growth = heavier.facts.concurrency / lighter.facts.concurrency
        if after < _FELL * before and growth > 1:
            found.append(
                f"From concurrency {lighter.facts.concurrency:.0f} to {heavier.facts.concurrency:.0f} the throughput"
                f" fell {before / after:.1f} times while the load grew {growth:.2g} times: not explained by waiting,"
                " for a queue keeps the throughput; the server collapsed, and no curve may be drawn between the two."
            )
    for run in loads:
        gaps = run.metric("itl") if isinstance(run, Summary) else None
        if gaps and gaps.mean > 2 * gaps.percentile(50):
            found.append(
                f"At concurrency {run.facts.concurrency:.0f} the gaps have mean {spoken(gaps.mean)}, median"
                f" {spoken(gaps.percentile(50))}: most are short and a few are very long, and neither number describes"
                " both."
            )
    return found + _missing(loads, limits) + _within(loads, limits)


def _mean(run: RequestTable | Summary, name: str) -> float:
    if isinstance(run, Summary):
        return run.metric(name).mean
    return describe(getattr(run, name)[run.served]).mean


def _missing(loads: list, limits: Limits) -> list[str]:
    """Runs in which every statistic of a metric with a limit is missing, where others have it."""
    found = []
    for name, _ in limits.items():
        known = [
            isinstance(run, RequestTable)
            or bool(run.metric(name).points)
            or run.metric(name).mean == run.metric(name).mean
            for run in loads
        ]
        if any(known) and not all(known):
            found.append(
                f"{known.count(False)} of {len(known)} values missing for {name}: a gap is shown there, and no 0."
            )
    return found


def _within(loads: list, limits: Limits) -> list[str]:
    """Which loads keep the limits, on the mean, where it is known for all of them."""
    found = []
    for name, limit in limits.items():
        means = {run.facts.concurrency: _mean(run, name) for run in loads}
        if any(mean != mean for mean in means.values()):
            continue
        kept = [f"{concurrency:.0f}" for concurrency, mean in means.items() if mean <= limit]
        which = (
            f"Only concurrency {', '.join(kept)} keeps"
            if 0 < len(kept) < len(means)
            else f"{'Every' if kept else 'No'} concurrency keeps"
        )
        found.append(f"{which} the mean {name.upper()} within {spoken(limit)}, of {len(means)} runs.")
    return found
