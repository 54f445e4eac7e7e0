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
    span = _or_nan(np.nanmax, answered.finish) - _or_nan(np.nanmin, rows.arrival)
    span = span if span > 0 else np.nan
    numbers["request_rate"] = float(len(answered) / span)
    numbers["output_rate"] = float(answered.output_tokens.sum() / span)
    early, late = np.percentile(answered.finish, (20, 80)) if len(answered) else (np.nan, np.nan)
    numbers["steady_rate"] = float(0.6 * len(answered) / (late - early)) if late > early else np.nan
    numbers["backlog"] = int(np.sum(rows.finish > np.nanmax(rows.arrival))) + numbers["unfinished"]
    numbers["mean_in_system"] = float(run.requests_seconds / run.end) if run.end > 0 else np.nan
    numbers["busy_share"] = float(np.mean(run.servers["busy"]) / run.end) if run.end > 0 else np.nan
    for name in ("ttft", "tpot", "e2e", "worst_gap"):
        values = getattr(answered, name)
        values = values[~np.isnan(values)]
        numbers[f"{name}_mean"] = _or_nan(np.mean, values)
        found = np.percentile(values, PERCENTILES) if len(values) else [np.nan] * len(PERCENTILES)
        numbers.update({f"{name}_p{percent}": float(value) for percent, value in zip(PERCENTILES, found)})
    numbers.update({f"gap_p{percent}": run.gaps.percentile(percent) for percent in PERCENTILES})
    numbers.update(
        {name: _or_nan(np.mean, getattr(answered, name)) for name in ("front", "in_flight", "queue", "prefill")}
    )
    if share_good is not None:
        numbers["good"] = float(share_good(run))
    return numbers


def _or_nan(function, values):
    return float(function(values)) if len(values) and not np.all(np.isnan(values)) else np.nan
