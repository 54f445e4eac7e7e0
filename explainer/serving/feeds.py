"""What a figure needs, as plain lists that JSON can carry: each function one simulation a point, all points on the same
random numbers.

A point costs 2,000 requests by default: about 3 ms with numba, so that a curve of 24 points follows a slider. Above the
capacity the queue grows as long as the run does, and the waits say how long that was (`backlog` counts those still in
the system).
"""

from itertools import product
from math import isnan

import numpy as np

from explainer.serving.checks import require
from explainer.serving.production import AZURE_CONVERSATION, MINUTE, Production
from explainer.serving.summary import summarise
from explainer.serving.sweep import BUDGET, CONCURRENCY, Case, evaluate_all, sweep
from explainer.serving.workload import Clients, Poisson, Traffic

POINTS = 2000  # requests


def by_rate(layout, lengths, rates, *, count=POINTS, seed=0, share_good=None, executor=None):
    """The summary's numbers as columns over arrival rates (requests per s, Poisson, open loop); the rates under
    `value`.

    layout: OnePhase or Separated; lengths: of lengths.py or any with draw(); count: requests a point; share_good and
    executor as in sweep.py.
    """
    workload = Traffic(Poisson(1.0), lengths, count, seed).draw()
    cases = [Case(workload.faster(rate), layout, share_good=share_good) for rate in rates]
    found = evaluate_all(cases, executor, progress=False)
    return columns([{"value": rate, **numbers} for rate, numbers in zip(rates, found)])


def by_clients(layout, lengths, clients, *, think=0.0, count=POINTS, seed=0, share_good=None, executor=None):
    """The same over numbers of clients that each wait for their answer, think (s) and ask again: a closed loop."""
    case = Case(Traffic(Clients(1, think), lengths, count, seed), layout, share_good=share_good)
    return columns(sweep(case, CONCURRENCY, [int(number) for number in clients], executor, progress=False))


def by_budget(layout, lengths, rate, budgets, *, count=POINTS, seed=0, share_good=None, executor=None):
    """The same over token budgets of a one-phase layout, at one arrival rate."""
    case = Case(Traffic(Poisson(rate), lengths, count, seed), layout, share_good=share_good)
    return columns(sweep(case, BUDGET, [int(budget) for budget in budgets], executor, progress=False))


def by_layout(layouts, lengths, rates, *, count=POINTS, seed=0, share_good=None, executor=None):
    """{name: the columns of by_rate} for several layouts, {name: layout}, under the same arrivals and lengths."""
    return {
        name: by_rate(layout, lengths, rates, count=count, seed=seed, share_good=share_good, executor=executor)
        for name, layout in layouts.items()
    }


def hour(layout, load=1.0, *, trace=AZURE_CONVERSATION, minutes=None, seed=0, share_good=None):
    """One hour of production-like traffic: {'whole': the summary, 'minutes': columns per minute of arrival, 'notes':
    sentences}.

    load: factor on the arrivals; minutes: of the trace, None for all (19,366 requests at a load of 1). Columns: minute,
    arrivals, ttft_p50, ttft_p95, worst_gap_p95, served, not_served; None where no request was served.
    """
    run = Case(Production(trace, load, minutes, seed), layout).run()
    rows = run.requests
    minute = (rows.arrival / MINUTE).astype(int)
    per_minute = []
    for number in range(int(minute[-1]) + 1):
        here = rows.take(minute == number)
        answered = here.take(here.served)
        ttft = np.percentile(answered.ttft, (50, 95)) if len(answered) else (np.nan, np.nan)
        gaps = answered.worst_gap[~np.isnan(answered.worst_gap)]
        per_minute.append(
            {
                "minute": number,
                "arrivals": len(here),
                "ttft_p50": ttft[0],
                "ttft_p95": ttft[1],
                "worst_gap_p95": np.percentile(gaps, 95) if len(gaps) else np.nan,
                "served": len(answered),
                "not_served": len(here) - len(answered),
            }
        )
    return {
        "whole": {name: plain(value) for name, value in summarise(run, share_good).items()},
        "minutes": columns(per_minute),
        "notes": list(run.notes),
    }


def columns(rows):
    """A list of dictionaries as a dictionary of lists; nan becomes None."""
    return {name: [plain(row[name]) for row in rows] for name in rows[0]} if rows else {}


def plain(value):
    """A number that JSON can carry: nan as None, NumPy's as Python's."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and isnan(value) else value


def grid(feed, axes, keep, digits=3, executor=None):
    """A coarse table for a page without a kernel: the feed at every combination of some settings.

    feed: a module-level function of the axes' names that returns columns (lists) or numbers; axes: {name: list of
    values}; keep: names of the results to keep; digits: significant digits, which is most of the size; executor: as in
    sweep.py. Returns {'axes': axes, 'results': {name: flat list over the product of the axes, last axis fastest}},
    ready for JSON.
    """
    require(
        axes and all(len(values) for values in axes.values()), "A grid needs at least one axis with at least one value."
    )
    settings = [dict(zip(axes, values)) for values in product(*axes.values())]
    if executor is None:
        found = [feed(**setting) for setting in settings]
    else:
        found = [future.result() for future in [executor.submit(feed, **setting) for setting in settings]]
    return {
        "axes": {name: list(values) for name, values in axes.items()},
        "results": {name: [rounded(result[name], digits) for result in found] for name in keep},
    }


def rounded(value, digits):
    """A number or a list of them to so many significant digits; None stays."""
    if isinstance(value, (list, tuple)):
        return [rounded(one, digits) for one in value]
    value = plain(value)
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value
