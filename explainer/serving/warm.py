"""Compile once: `python -m explainer.serving.warm`, from make; after it the first simulation of any process takes under
a second."""

import sys
import time

import numpy as np

from explainer.serving import compile as machine_code
from explainer.serving.examples import small_engine
from explainer.serving.layout import OnePhase
from explainer.serving.lengths import Fixed
from explainer.serving.simulate import simulate
from explainer.serving.workload import AllAtOnce, Traffic


def warm() -> float:
    """Run a handful of requests through the compiled loop, so that it is compiled and kept; returns the s it took.

    Without numba there is nothing to compile, and the call is as quick. To be called when a server's kernel starts,
    too.
    """
    began = time.perf_counter()
    if machine_code.can_compile():
        machine_code.drop_stale_caches()
    run = simulate(Traffic(AllAtOnce(), Fixed(10, 3), 4), OnePhase(small_engine()))
    assert np.all(run.requests.served)
    return time.perf_counter() - began


def main() -> int:
    """Say what was done."""
    how = "compiled by numba" if machine_code.can_compile() else "plain Python: numba is not installed"
    print(f"simulator ready in {warm():.1f} s ({how})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
