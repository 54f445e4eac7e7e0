"""What several tests of the engine need: the product's own verdict on a simulated run."""

import pytest

from explainer.slo import simulated


@pytest.fixture
def share_good():
    """(run, limits) -> share of all requests that met every limit, by the code that judges real load tests."""
    return simulated.share_good
