"""The same question at many settings, here or on any concurrent.futures executor, and the highest rate that still meets
a target."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np

from explainer.serving.checks import require
from explainer.serving.simulate import Run, simulate
from explainer.serving.summary import summarise

# What people vary, and where in a Case it lives.
RATE = "traffic.arrivals.rate"
CONCURRENCY = "traffic.arrivals.clients"
BUDGET = "layout.engine.budget"
LOAD = "traffic.load"
LAYOUT = "layout"


@dataclass(frozen=True)
class Case:
    """One simulation to be run: traffic (Traffic, Production or a Workload), layout, patience in s, and share_good, a
    module-level function of the Run that says which share of the requests was good (it must travel to other processes),
    or None."""

    traffic: object
    layout: object
    patience: float = np.inf
    share_good: Callable[[Run], float] | None = None

    def run(self):
        """The simulation."""
        return simulate(self.traffic, self.layout, patience=self.patience)


def evaluate(case):
    """The summary of a case (summary.py); a plain function, so that any executor can carry it."""
    return summarise(case.run(), case.share_good)


def with_value(case, path, value):
    """The case with one setting changed; path: dotted names, as in RATE. Raises ValueError where there is no such
    setting."""
    name, _, rest = path.partition(".")
    require(
        name in {field.name for field in fields(case)},
        f"{type(case).__name__} has no setting {name!r}; it has {', '.join(field.name for field in fields(case))}.",
    )
    return replace(case, **{name: with_value(getattr(case, name), rest, value) if rest else value})


def sweep(case, path, values, executor=None, progress=None):
    """One summary per value, in order, each with the value under `value`.

    case: where to start; path: the setting that varies (RATE, CONCURRENCY, BUDGET, LOAD, LAYOUT or any dotted path);
    values: a list; executor: anything with submit() of concurrent.futures (threads, processes, Dask's
    client.get_executor()), None runs here; progress: None shows a count on a terminal, False never, or a function of
    (done, total). Values share their random numbers.
    """
    cases = [with_value(case, path, value) for value in values]
    found = evaluate_all(cases, executor, progress)
    return [{"value": value, **numbers} for value, numbers in zip(values, found)]


def evaluate_all(cases, executor=None, progress=None):
    """The summaries of some cases, in order; executor and progress as in sweep."""
    progress = _on_terminal if progress is None else progress or (lambda done, total: None)
    waiting = (
        map(evaluate, cases)
        if executor is None
        else (future.result() for future in [executor.submit(evaluate, case) for case in cases])
    )
    found = []
    for numbers in waiting:
        found.append(numbers)
        progress(len(found), len(cases))
    return found


def _on_terminal(done, total):
    if sys.stderr.isatty():
        print(
            f"\r{done} of {total or 'some'} simulations", end="\n" if done == total else "", file=sys.stderr, flush=True
        )


@dataclass(frozen=True)
class Capacity:
    """value: the highest tried that met the target, nan if none did; good: its share; next_value: the lowest tried
    above it that missed, inf if none did; tried: (value, share good), rising; sentence: the same in words."""

    value: float
    good: float
    next_value: float
    tried: tuple[tuple[float, float], ...]
    sentence: str


def capacity(case, attainment, low, high, path=RATE, tolerance=0.02, executor=None, points=1, progress=None):
    """The highest rate (or clients, load) at which the share of good requests reaches the attainment, by search.

    case: with share_good; attainment: share, above 0 and at most 1; low, high: where to search, both above 0;
    tolerance: relative width at which the search ends; points: settings tried at once between the bounds, more than 1
    only with an executor. All use the same random numbers. progress as in sweep, with a total of 0: nobody knows it
    beforehand. The share is taken to fall as the value rises; where it wavers around the target the search ends in one
    of the crossings.
    """
    require(case.share_good is not None, "A capacity needs a target: give the case a share_good.")
    require(0 < attainment <= 1, f"The attainment must be a share above 0 and at most 1, not {attainment!r}.")
    require(0 < low < high < np.inf, f"The search needs bounds with 0 < low < high, not {low!r} and {high!r}.")
    whole = path == CONCURRENCY
    tried = {}

    def attempt(values):
        values = [value for value in values if value not in tried]
        found = evaluate_all([with_value(case, path, value) for value in values], executor, progress=False)
        tried.update({value: numbers["good"] for value, numbers in zip(values, found)})
        if progress is None:
            _on_terminal(len(tried), 0)
        elif progress:
            progress(len(tried), 0)

    attempt([low, high])
    best, worst = (low if tried[low] >= attainment else None), (high if tried[high] < attainment else None)
    while best is not None and worst is not None and worst / best > 1 + tolerance and not (whole and worst - best <= 1):
        between = np.geomspace(best, worst, points + 2)[1:-1]
        between = sorted(
            {int(np.clip(round(value), best + 1, worst - 1)) if whole else float(value) for value in between}
        )
        attempt(between)
        for value in between:
            if tried[value] < attainment:
                worst = value
                break
            best = value
    ordered = tuple(sorted(tried.items()))
    if best is None:
        return Capacity(
            np.nan,
            np.nan,
            low,
            ordered,
            f"Even at {low:.4g} only {tried[low]:.1%} are good, and {attainment:.1%} are asked for.",
        )
    if worst is None:
        return Capacity(
            high,
            tried[high],
            np.inf,
            ordered,
            f"At {high:.4g} {tried[high]:.1%} are still good: the capacity lies above.",
        )
    return Capacity(
        best,
        tried[best],
        worst,
        ordered,
        f"{tried[best]:.1%} are good at {best:.4g} and {tried[worst]:.1%} at {worst:.4g}, of the {attainment:.1%} "
        "asked for.",
    )
