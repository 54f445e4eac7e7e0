"""What the formulas cost: importing them, and each closed form over 100,000 points.

Run: python -m benchmarks.formulas
"""
import resource
import statistics
import subprocess
import sys
from pathlib import Path
from time import process_time

import numpy as np

from tests.formulas.inventory import FORMULAS  # the one list of all formulas, with an example of each

ROOT = Path(__file__).resolve().parents[1]
POINTS = 100_000
REPEATS = 5
SEARCHES = {"agents.sequential_percentile"}  # halves an interval 60 times: no closed form, shown apart
IMPORT_ALL = """
import importlib, pkgutil, explainer.formulas as formulas
for module in pkgutil.iter_modules(formulas.__path__):
    importlib.import_module("explainer.formulas." + module.name)
"""


def import_cpu_seconds():
    """CPU seconds, user and system, of a fresh Python that imports all of explainer.formulas; median of a few."""
    return statistics.median(_cpu(IMPORT_ALL) for _ in range(REPEATS))


def milliseconds(formula):
    """Median CPU time of one formula over POINTS points, all its arguments arrays where it allows arrays.

    One thread does the work, so CPU time is what a clock shows on an idle machine, and other work here does not count.
    """
    near = np.linspace(0.97, 1.01, POINTS)
    values = {key: value if key in formula.scalar_only else value * near for key, value in formula.values.items()}
    times = []
    for _ in range(REPEATS):
        start = process_time()
        formula(**values)
        times.append(process_time() - start)
    return statistics.median(times) * 1e3


def rows():
    """(label, value, unit, target) for every line of the table; target None where none is set."""
    timed = {formula.name: milliseconds(formula) for formula in FORMULAS}
    closed = {name: time for name, time in timed.items() if name not in SEARCHES}
    slowest = max(closed, key=closed.get)
    return [
        ("import of all formulas, CPU", import_cpu_seconds(), "s", 0.3),
        (f"100,000 points, slowest: {slowest}", closed[slowest], "ms", 50),
        (f"100,000 points, median of {len(closed)} closed forms", statistics.median(closed.values()), "ms", 50),
        *((f"100,000 points, a search: {name}", timed[name], "ms", None) for name in sorted(SEARCHES)),
    ]


def _cpu(code):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    for label, value, unit, target in rows():
        bound = "" if target is None else f"   target below {target:g} {unit}"
        print(f"{label:<62} {value:8.3f} {unit:<2}{bound}")
