"""What accelerating one stage does to the whole (Amdahl's law, in seconds rather than in shares)."""

import numpy as np


def accelerated_time(fixed, stage, stage_speedup):
    """Total time once one stage runs faster: T = fixed + stage / k.

    fixed: s that stay; stage: s that are accelerated; stage_speedup k: how many times faster, above 0; scalars or arrays that broadcast.
    Returns s. nan where k is 0 or negative: no such machine. The stages follow one another; nothing overlaps.
    Source: Amdahl (1967), "Validity of the single processor approach", written in times.
    """
    return fixed + stage / np.where(stage_speedup > 0, stage_speedup, np.nan)


def overall_speedup(fixed, stage, stage_speedup):
    """How many times faster the whole becomes: S = (fixed + stage) / (fixed + stage / k).

    Arguments as in accelerated_time. Returns a ratio; its ceiling for k without limit is (fixed + stage) / fixed.
    nan where k is 0 or negative, and where both times are 0: nothing was there to be made faster.
    Source: Amdahl (1967).
    """
    remaining = accelerated_time(fixed, stage, stage_speedup)
    return (fixed + stage) / np.where(remaining > 0, remaining, np.nan)
