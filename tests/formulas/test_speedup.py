"""Amdahl's law in seconds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.formulas.speedup import accelerated_time, overall_speedup

times = st.floats(1e-3, 1e3)
factors = st.floats(1, 1e3)


def test_four_times_faster_can_save_half():
    """The article's chapter 3: 10 s of waiting, a stream of 20 s or 2 s, 4 times faster."""
    assert accelerated_time(10, 20, 4) == 15 and overall_speedup(10, 20, 4) == 2
    assert accelerated_time(10, 2, 4) == 10.5 and overall_speedup(10, 2, 4) == pytest.approx(12 / 10.5)


@given(times, times, factors)
def test_amdahl_in_shares_gives_the_same(fixed, stage, factor):
    share = stage / (fixed + stage)
    assert overall_speedup(fixed, stage, factor) == pytest.approx(1 / ((1 - share) + share / factor), rel=1e-9)


@given(times, times, factors, factors)
def test_a_faster_stage_never_slows_the_whole_and_stays_below_the_ceiling(fixed, stage, one, other):
    slower, faster = sorted((one, other))
    assert overall_speedup(fixed, stage, slower) <= overall_speedup(fixed, stage, faster) * (1 + 1e-12)
    assert overall_speedup(fixed, stage, faster) <= (fixed + stage) / fixed * (1 + 1e-12)


def test_no_machine_is_infinitely_slow_and_nothing_cannot_be_sped_up():
    assert np.isnan(accelerated_time(10, 20, 0)) and np.isnan(overall_speedup(10, 20, -1))
    assert np.isnan(overall_speedup(0, 0, 4))
