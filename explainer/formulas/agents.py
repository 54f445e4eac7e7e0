"""Many calls for one result: an agent's chain of steps, and the tails of calls made one after another or at once.

Calls are taken as independent. A slow hour makes all the calls of a session slow together, and tails are then heavier
than here.
"""

import numpy as np

from .domain import not_negative, positive, share, whole_number
from .timing import completion_time


def expected_attempts(repeat_chance):
    """Tries a step needs on average until it is accepted: 1 / (1 - p).

    repeat_chance p: chance that a try must be repeated, 0 or more and below 1, scalar or array. Returns tries.
    nan where p lies outside 0 to 1 or is 1: such a step is never accepted. Source: the mean of a geometric
    distribution.
    """
    return 1 / positive(1 - share(repeat_chance))


def step_time(ttft, tpot, output_tokens, tool_time):
    """Time of one try of a step, a model's answer and then a tool: TTFT + (N - 1) TPOT + t.

    ttft: s; tpot: s per token; output_tokens N: count, 1 or more; tool_time t: s; scalars or arrays that broadcast.
    Returns s.
    nan below one token or where t is negative. Source: completion_time; the tool starts when the answer has ended.
    """
    return completion_time(ttft, tpot, output_tokens) + not_negative(tool_time)


def chain_time(steps, step_time, repeat_chance):
    """Mean time to the accepted result of a chain: T = n t / (1 - p).

    steps n: count; step_time t: s of one try; repeat_chance p: chance that a step must be repeated; scalars or arrays
    that broadcast.
    Returns s. nan where n or t is negative, p lies outside 0 to 1, or p is 1. Each step is repeated alone, until
    accepted; a growing context, which makes later steps slower, is left out. Source: the mean of n geometric numbers
    of tries.
    """
    return not_negative(steps) * not_negative(step_time) * expected_attempts(repeat_chance)


def all_within(share_within, calls):
    """Share of sessions in which every call keeps a limit that a share q of calls keeps: q^k.

    share_within q: 0 to 1; calls k: count; scalars or arrays that broadcast. Returns a share.
    nan where q lies outside 0 to 1 or k is negative. Source: independent events.
    """
    return share(share_within) ** not_negative(calls)


def any_beyond(share_beyond, calls):
    """Share of sessions in which at least one call exceeds a limit that a share p of calls exceeds: 1 - (1 - p)^k.

    share_beyond p: 0 to 1; calls k: count; scalars or arrays that broadcast. Returns a share.
    nan where p lies outside 0 to 1 or k is negative. Source: Dean, Barroso (2013), "The tail at scale".
    """
    return 1 - all_within(1 - share(share_beyond), calls)


def share_needed(session_share, calls):
    """Share of calls that must keep a limit for a share Q of sessions to keep it throughout: Q^(1/k).

    session_share Q: 0 to 1; calls k: count; scalars or arrays that broadcast. Returns a share.
    nan where Q lies outside 0 to 1 or k is 0 or negative. Source: all_within solved for the share.
    """
    return share(session_share) ** (1 / positive(calls))


def parallel_percentile(percentile_share, calls, mean):
    """Time that the slowest of k exponential calls at once does not exceed with chance q: -m ln(1 - q^(1/k)).

    percentile_share q: 0 or more and below 1; calls k: count; mean m: s; scalars or arrays that broadcast. Returns s.
    nan where q lies outside 0 to 1 or is 1, k is 0 or negative, or m negative. Source: the largest of k independent
    exponentials.
    """
    return -not_negative(mean) * np.log(positive(1 - share_needed(percentile_share, calls)))


def sequential_share(deadline, calls, mean):
    """Chance that k exponential calls in a row end by a deadline: 1 - e^-x sum_{i<k} x^i / i!, where x = d / m.

    deadline d: s; mean m: s of one call; scalars or arrays that broadcast; calls k: one whole number, 1 or more.
    Returns a probability.
    nan where d is negative or m is 0 or negative. Raises ValueError where k is not a whole number of 1 or more.
    Source: the Erlang distribution.
    """
    count = whole_number(calls, "The number of calls", 1)
    x = not_negative(deadline) / positive(mean)
    term = np.exp(-x)
    later = term
    for call in range(1, count):
        term = term * x / call
        later = later + term
    return 1 - later


def sequential_percentile(percentile_share, calls, mean):
    """Time that k exponential calls in a row do not exceed with chance q: sequential_share(d, k, m) = q, solved for d.

    percentile_share q: 0 or more and below 1; mean m: s of one call; scalars or arrays that broadcast; calls k: one
    whole number, 1 or more. Returns s; in the tail less than k times the percentile of one call, as
    not all are slow together.
    nan where q lies outside 0 to 1 or is 1, or m is 0 or negative. Raises ValueError as sequential_share does.
    Source: the Erlang distribution, halved into 60 times between 0 and a bound above the answer.
    """
    wanted = share(percentile_share)
    low = 0 * wanted
    high = whole_number(calls, "The number of calls", 1) * parallel_percentile(wanted, calls, 1)
    for _ in range(60):
        middle = (low + high) / 2
        enough = sequential_share(middle, calls, 1) >= wanted
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return positive(mean) * high


def total_distribution(probabilities, calls):
    """Distribution of the total of k independent calls, whatever their own: p convolved with itself k - 1 times.

    probabilities p: chance of each duration 0, h, 2h, ... on an even grid, 1-d array that sums to 1; calls k: one
    whole number, 1 or more. Returns a 1-d array on the same grid, k (len(p) - 1) + 1 long. Raises ValueError where p
    is not such an array or k not such a number. Source: the sum of independent random variables.
    """
    single = np.asarray(probabilities)
    numbers = single.ndim == 1 and np.issubdtype(single.dtype, np.number)
    if not numbers or not np.all(single >= 0) or abs(single.sum() - 1) > 1e-9:
        raise ValueError("The probabilities must be one row of numbers, none negative, that sum to 1.")
    total = single
    for _ in range(whole_number(calls, "The number of calls", 1) - 1):
        total = np.convolve(total, single)
    return total
