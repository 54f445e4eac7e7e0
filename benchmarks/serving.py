"""How fast the serving engine is: with numba and without, beside stepping through every pass, on an hour of traffic, in
a fresh process.

`rows()` gives (label, value, unit, target); a target of None is only for reading. Run: python -m benchmarks serving
"""

import json
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import numpy as np

from explainer.serving import feeds
from explainer.serving.compile import can_compile
from explainer.serving.examples import small_engine
from explainer.serving.layout import OnePhase
from explainer.serving.lengths import Lognormal
from explainer.serving.production import Production
from explainer.serving.simulate import simulate
from explainer.serving.traces import read_trace
from explainer.serving.workload import Poisson, Traffic

ROOT = Path(__file__).resolve().parents[1]
AZURE_HOUR = ROOT.parent / "shared" / "traces" / "azure_llm_2023_conv.csv"
COUNT = 20_000
# Requests a second of 512 tokens in and 256 out on one H100 (examples.small_engine), whose capacity is 43: close to it,
# where nearly every pass has an event, and far below, where few have.
BUSY, QUIET = 40.0, 2.0
SIZES = (100_000, 200_000, 400_000)
FIRST_CALL = """
from time import perf_counter
began = perf_counter()
from explainer.serving.warm import warm
warm()
print(perf_counter() - began)
"""


def workload(rate, count=COUNT):
    """The requests of the benchmark."""
    return Traffic(Poisson(rate), Lognormal(512, 256), count).draw()


def seconds(work, repeats):
    """Median wall time of a call, after one that warms up."""
    if repeats > 1:
        work()
    times = []
    for _ in range(repeats):
        began = perf_counter()
        work()
        times.append(perf_counter() - began)
    return statistics.median(times)


def simulations(compiled, repeats):
    """Seconds of each simulation: {name: s}."""
    layout, found = OnePhase(small_engine()), {}
    for name, rate in (("busy", BUSY), ("quiet", QUIET)):
        requests = workload(rate)
        found[name] = seconds(lambda: simulate(requests, layout, compiled=compiled), repeats)
        if (
            compiled or name == "busy"
        ):  # stepping through quiet hours without numba takes tens of seconds and shows nothing new
            found[f"{name}, stepping"] = seconds(
                lambda: simulate(requests, layout, jump=False, compiled=compiled), repeats
            )
    hours = {"hour": Production().draw()}
    if AZURE_HOUR.exists():
        hours["Azure"] = read_trace(AZURE_HOUR)
    for name, requests in hours.items():
        found[name] = seconds(lambda: simulate(requests, layout, compiled=compiled), repeats)
    return found


def peak_bytes(count):
    """Most memory of this process after one simulation of so many requests."""
    simulate(workload(BUSY, count), OnePhase(small_engine()))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def elsewhere(code, **environment):
    """What a fresh process prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def rows(quick: bool = False) -> Iterator[tuple]:
    """(label, value, unit, target) for all of it; quick: fewer repetitions."""
    names = {
        "busy": f"simulate {COUNT:,} requests, {BUSY:g} a second",
        "quiet": f"simulate {COUNT:,} requests, {QUIET:g} a second",
        "hour": "simulate an hour drawn from the Azure quantiles (19,565)",
        "Azure": "simulate the Azure hour (19,366)",
    }
    ways = {
        "numba": (can_compile(), True, 3 if quick else 15, 50.0, "ms", 1e3),
        "plain Python": (True, False, 1, 5.0, "s", 1.0),
    }
    for way, (possible, compiled, repeats, target, unit, scale) in ways.items():
        if not possible:
            yield f"simulator, {way}: not installed", "not measured", "", None
            continue
        if compiled:
            found = simulations(True, repeats)
        else:  # a process that cannot have numba
            found = elsewhere(
                "import json; from benchmarks.serving import simulations; print(json.dumps(simulations(False, 1)))",
                EXPLAINER_NO_NUMBA="1",
            )
        for name, label in names.items():
            if name in found:
                yield f"{label}, {way}", found[name] * scale, unit, target
            if f"{name}, stepping" in found:
                yield (
                    f"  the same, stepping through each pass ({found[f'{name}, stepping'] / found[name]:.1f} times)",
                    found[f"{name}, stepping"] * scale,
                    unit,
                    None,
                )
    curve = seconds(
        lambda: feeds.by_rate(OnePhase(small_engine()), Lognormal(512, 256), np.linspace(2, 60, 24)), 3 if quick else 15
    )
    yield "a curve for a slider: 24 rates of 2,000 requests", curve * 1e3, "ms", 150.0 if can_compile() else None
    first = statistics.median(elsewhere(FIRST_CALL) for _ in range(1 if quick else 5))
    yield "first simulation of a fresh process, imports included", first, "s", 1.0 if can_compile() else None
    sizes = SIZES[:2] if quick else SIZES
    peaks = [elsewhere(f"from benchmarks.serving import peak_bytes; print(peak_bytes({count}))") for count in sizes]
    for (few, low), (many, high) in zip(zip(sizes, peaks), zip(sizes[1:], peaks[1:])):
        yield f"memory a request, from {few:,} to {many:,}", (high - low) / (many - few), "bytes", None
    if not quick:
        growth = (peaks[2] - peaks[1]) / (peaks[1] - peaks[0])
        yield "memory growth for twice the requests (linear: 2)", growth, "times", 2.4


if __name__ == "__main__":
    from benchmarks.__main__ import main

    sys.exit(main(["serving", *sys.argv[1:]]))
