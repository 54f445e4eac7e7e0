"""How much traffic still meets a target: a search with the same random numbers at every step."""

import sys
from dataclasses import dataclass

import numpy as np

from explainer.serving.checks import require
from explainer.serving.sweep import CONCURRENCY, RATE, evaluate_all, with_value


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
    only with an executor. All use the same random numbers. progress: None shows a count on a terminal, False never, or
    a function of the simulations done. The share is taken to fall as the value rises; where it wavers around the target
    the search ends in one of the crossings. A load above what the machines can do spoils a long run more than a short
    one: take 2,000 requests or more.
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
        if progress is None and sys.stderr.isatty():
            print(f"\r{len(tried)} simulations", end="", file=sys.stderr, flush=True)
        elif progress:
            progress(len(tried))

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
    if progress is None and sys.stderr.isatty():
        print(file=sys.stderr)
    ordered = tuple(sorted(tried.items()))
    if best is None:
        sentence = f"Even at {low:.4g} only {tried[low]:.1%} are good, and {attainment:.1%} are asked for."
        return Capacity(np.nan, np.nan, low, ordered, sentence)
    if worst is None:
        sentence = f"At {high:.4g} {tried[high]:.1%} are still good: the capacity lies above."
        return Capacity(high, tried[high], np.inf, ordered, sentence)
    sentence = f"{tried[best]:.1%} are good at {best:.4g} and {tried[worst]:.1%} at {worst:.4g}"
    return Capacity(best, tried[best], worst, ordered, f"{sentence}, of the {attainment:.1%} asked for.")
