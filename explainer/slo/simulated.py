"""A simulated run under the same verdict as a measured one."""

import numpy as np

from explainer.results.table import FAILED, NUMBERS, SERVED, RequestTable, RunFacts
from explainer.serving.state import OUTCOMES
from explainer.slo.rules import Limits
from explainer.slo.verdict import judge


def as_table(run) -> RequestTable:
    """The requests of a simulation (serving.simulate.Run) as a load test's table, a row per attempted request."""
    columns = run.requests.as_measured()
    count = len(run.requests)
    return RequestTable(
        facts=RunFacts(tool="simulation", source="simulation"),
        outcome=np.where(columns["served"], SERVED, FAILED),
        reason=columns["reason"],
        reasons=OUTCOMES,
        in_band_error=np.zeros(count, bool),
        group=np.zeros(count, int),
        groups=("",),
        gaps=np.empty(0),
        gap_tokens=np.empty(0),
        **{name: columns.get(name, np.full(count, np.nan)) for name in NUMBERS},
    )


def share_good(run, **limits: float) -> float:
    """Share of all requests of a simulation that met every limit (s, by name: ttft, tpot, e2e).

    A module-level function: with functools.partial it travels to other processes as serving.sweep needs it to.
    """
    return judge(as_table(run), Limits(**limits)).share
