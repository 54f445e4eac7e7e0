"""One run in a few numbers, each a plain float or int that survives any process boundary and any JSON."""

import numpy as np

PERCENTILES = (50, 95, 99)


def summarise(run, share_good=None):
    """The numbers of a run as a flat dictionary, in s, tokens and requests; nan where nothing is defined.

    Percentiles are linear and over served requests: ttft_p50 ..., tpot_p50 ..., e2e_p50 ..., worst_gap_p50 ...; gap_p50
    ... are over tokens. front, in_flight, queue, prefill: the parts of the mean TTFT. request_rate, output_rate: of
    what was served, from the first arrival to the last finish, ramp-up and drain included; steady_rate: requests per s
    while the middle three fifths of them finished, which leaves both out. backlog: requests not yet
    done when the last one came; it goes on growing with the run where the load is more than the machines can do, and so
    do all waits. share_good: a function of the run whose value joins as `good`, so that the definition of a good
    request stays in one place (explainer.slo).
    """
    rows = run.requests
    served = rows.served
    answered = rows.take(served)
    numbers = {
        "attempted": len(rows),
        "served": int(served.sum()),
        "timed_out": rows.outcomes().get("timed out", 0),
        "unfinished": rows.outcomes().get("unfinished", 0),
    }
    numbers["refused"] = len(rows) - numbers["served"] - numbers["timed_out"] - numbers["unfinished"]
    finish = np.sort(answered.finish)
    span = finish[-1] - np.nanmin(rows.arrival) if len(answered) else np.nan
    span = span if span > 0 else np.nan
    numbers["request_rate"] = float(len(answered) / span)
    numbers["output_rate"] = float(answered.output_tokens.sum() / span)
    early, late = _ranked(finish, (20, 80))
    numbers["steady_rate"] = float(0.6 * len(answered) / (late - early)) if late > early else np.nan
    numbers["backlog"] = int(np.sum(rows.finish > np.nanmax(rows.arrival))) + numbers["unfinished"]
    numbers["mean_in_system"] = float(run.requests_seconds / run.end) if run.end > 0 else np.nan
    numbers["busy_share"] = float(np.mean(run.servers["busy"]) / run.end) if run.end > 0 else np.nan
    for name in ("ttft", "tpot", "e2e", "worst_gap"):
        values = getattr(answered, name)
        values = np.sort(values[~np.isnan(values)])
        numbers[f"{name}_mean"] = float(values.mean()) if len(values) else np.nan
        numbers |= {f"{name}_p{percent}": float(at) for percent, at in zip(PERCENTILES, _ranked(values, PERCENTILES))}
    numbers |= {f"gap_p{percent}": float(at) for percent, at in zip(PERCENTILES, run.gaps.percentiles(PERCENTILES))}
    numbers |= {
        name: float(getattr(answered, name).mean()) if len(answered) else np.nan
        for name in ("front", "in_flight", "queue", "prefill")
    }
    if share_good is not None:
        numbers["good"] = float(share_good(run))
    return numbers


def _ranked(values, percents):
    """Linear percentiles of sorted values, as np.percentile gives them, which takes five times as long on a curve's
    short runs; nan where there are none."""
    if not len(values):
        return np.full(len(percents), np.nan)
    return np.interp(np.divide(percents, 100) * (len(values) - 1), np.arange(len(values)), values)
