"""Means and percentiles over the answers, the method named, and nothing stated where nothing is defined."""

from dataclasses import dataclass

import numpy as np

METHOD = "linear interpolation between the two nearest values"
PERCENTILES = (50.0, 95.0, 99.0)


@dataclass(frozen=True)
class Statistics:
    """count: values; mean and percentiles in s, nan where no value is defined."""

    count: float
    mean: float
    p50: float
    p95: float
    p99: float


def describe(values: np.ndarray) -> Statistics:
    """Count, mean and linear percentiles of the values in s that are defined.

    values: s, one-dimensional, nan where undefined. Every result but count is nan where none is defined.
    Source: NumPy's default percentile method (Hyndman and Fan's type 7), as AIPerf, vLLM and SGLang use.
    """
    defined = values[~np.isnan(values)]
    if not len(defined):
        return Statistics(0, np.nan, np.nan, np.nan, np.nan)
    return Statistics(
        len(defined), float(defined.mean()), *(float(value) for value in np.percentile(defined, PERCENTILES))
    )
