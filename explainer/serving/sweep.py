"""The same question at many settings, here or on any concurrent.futures executor."""

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
        print(f"\r{done} of {total} simulations", end="\n" if done == total else "", file=sys.stderr, flush=True)
