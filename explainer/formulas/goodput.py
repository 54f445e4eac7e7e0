"""Good enough for how many: what shares can and cannot say, and how many requests a claim needs.

Requests are taken as independent and alike. A run in which the server was overloaded for a minute is neither: its bad
requests come together, and the true uncertainty is larger.
"""

from statistics import NormalDist

import numpy as np

from .domain import positive, share


def joint_bounds(share_a, share_b):
    """Least and greatest share that can meet both of two limits: max(0, a + b - 1) and min(a, b).

    share_a, share_b: shares, 0 to 1, that meet each limit; scalars or arrays that broadcast. Returns the pair (low,
    high).
    Both are nan where a share lies outside 0 to 1. Source: Frechet (1935): the bounds for two events of known
    probability.
    """
    a, b = share(share_a), share(share_b)
    return np.maximum(a + b - 1, 0), np.minimum(a, b)


def normal_quantile(confidence):
    """Width of a two-sided interval in standard deviations: z with P(|Z| <= z) = confidence.

    confidence: above 0 and below 1, one number and not an array. Returns a ratio. nan outside that range.
    Source: the standard normal distribution.
    """
    return NormalDist().inv_cdf((1 + confidence) / 2) if 0 < confidence < 1 else np.nan


def wilson_interval(good, attempted, confidence):
    """Interval for a true share: (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n), p = good / n.

    good, attempted n: counts; scalars or arrays that broadcast; confidence: above 0 and below 1, one
    number, two-sided.
    Returns the pair (low, high) of shares. Both are nan where nothing was attempted, good lies outside 0 to n, or
    confidence outside its range. Source: Wilson (1927), "Probable inference, the law of succession, and statistical
    inference".
    """
    n = positive(attempted)
    p = share(good / n)
    z2 = normal_quantile(confidence) ** 2
    shift = z2 / (2 * n)
    margin = np.sqrt(z2 * p * (1 - p) / n + shift * shift)
    # In this order none good gives exactly 0 and all good exactly 1: a limit of 100 % must not fail by a rounding.
    return (p + (shift - margin)) / (1 + z2 / n), (p + (shift + margin)) / (1 + z2 / n)


def requests_needed(observed, target, confidence):
    """Requests from which a share seen decides about a target: n = z^2 t (1 - t) / (p - t)^2, not rounded.

    observed p: share of good requests; target t: share to reach; both 0 to 1; scalars or arrays that broadcast;
    confidence: above 0 and below 1, one number. Returns requests: with so many, an end of the Wilson interval meets
    the target (the lower one where p is above it: met; the upper one where p is below: not met). nan where p equals t
    (no number decides) or a share lies outside 0 to 1.
    Source: Wilson (1927), the score test solved for n.
    """
    gap = share(observed) - share(target)
    return normal_quantile(confidence) ** 2 * target * (1 - target) / positive(gap * gap)
