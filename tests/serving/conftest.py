"""What several tests of the engine need: the product's own verdict on a simulated run, and whether numba is here."""

import numpy as np
import pytest

from explainer.results.table import FAILED, NUMBERS, SERVED, RequestTable, RunFacts
from explainer.slo.verdict import Limits, judge


@pytest.fixture
def share_good():
    """(run, limits) -> share of all requests that met every limit, by the code that judges real load tests."""

    def share(run, **limits):
        columns = run.requests.as_measured()
        count = len(run.requests)
        reasons, reason = np.unique(columns["reason"], return_inverse=True)
        table = RequestTable(
            facts=RunFacts(tool="simulation", source="simulation"),
            outcome=np.where(columns["served"], SERVED, FAILED),
            reason=reason,
            reasons=tuple(reasons),
            in_band_error=np.zeros(count, bool),
            group=np.zeros(count, int),
            groups=("",),
            gaps=np.empty(0),
            gap_tokens=np.empty(0),
            **{name: columns.get(name, np.full(count, np.nan)) for name in NUMBERS},
        )
        return judge(table, Limits(**limits)).share

    return share
