"""Many answers at once: how many are under way, what all of them get together and what each one gets.

These are laws of bookkeeping. They hold for any server and any distribution, in steady state: over a stretch of time
in which as many requests end as begin. Ramp-up and drain break them.
"""

import numpy as np

from .domain import not_negative, positive, where_not_negative
from .timing import completion_time


def requests_in_flight(rate, time_in_system):
    """Requests under way at once (Little's law): L = lambda W.

    rate lambda: requests per s that enter and leave; time_in_system W: mean s from sending to the last token; scalars
    or arrays that broadcast. Returns requests. nan where either is negative. Source: Little (1961), "A proof for the
    queuing formula L = lambda W".
    """
    return where_not_negative(rate * time_in_system, rate, time_in_system)


def aggregate_rate(concurrency, tpot):
    """Tokens a second of all streams together: X = C / TPOT.

    concurrency C: answers that stream at once; tpot: s per token of each; scalars or arrays that broadcast. Returns
    tokens per s.
    nan where tpot is 0 or negative or C negative. Leaves out every request that still waits for its first token.
    Source: Little's law for tokens.
    """
    return not_negative(concurrency) / positive(tpot)


def per_user_rate(aggregate_rate, concurrency):
    """Tokens a second that each stream gets of an aggregate: r = X / C.

    aggregate_rate X: tokens per s; concurrency C: answers that stream at once; scalars or arrays that broadcast.
    Returns tokens per s.
    nan where C is 0 or negative or X negative. Source: aggregate_rate solved for 1 / TPOT.
    """
    return not_negative(aggregate_rate) / positive(concurrency)


def request_rate(concurrency, time_in_system):
    """Requests a second that a fixed number of clients get through without pausing: lambda = L / W.

    concurrency L: requests kept under way; time_in_system W: mean s; scalars or arrays that broadcast. Returns
    requests per s.
    nan where W is 0 or negative or L negative. Source: Little (1961), solved for the rate.
    """
    return not_negative(concurrency) / positive(time_in_system)


def output_rate(concurrency, ttft, tpot, output_tokens):
    """Output tokens a second of a server that always has C requests, waits included: X = C N / (TTFT + (N - 1) TPOT).

    concurrency C: requests kept under way; ttft: s; tpot: s per token; output_tokens N: count, 1 or more; scalars or
    arrays that broadcast. Returns tokens per s. nan below one token, where C is negative and where an answer takes no
    time.
    Source: Little's law with completion_time.
    """
    return request_rate(concurrency, completion_time(ttft, tpot, output_tokens)) * output_tokens


def interactive_response_time(clients, throughput, think_time):
    """Response time when each client waits, thinks and asks again: R = N / X - Z.

    clients N: count; throughput X: requests per s; think_time Z: s between an answer and the next request; scalars or
    arrays that broadcast. Returns s. nan where X is 0 or negative, N or Z negative, or the clients would need less
    than no time to ask so often.
    Source: Denning, Buzen (1978), "The operational analysis of queueing network models": the interactive response
    time formula.
    """
    return not_negative(not_negative(clients) / positive(throughput) - not_negative(think_time))


def rate_ceiling(bandwidth, kv_bytes_per_token, context_tokens):
    """Tokens a second that no batch exceeds, for every token reads its own cache: X = BW / (k s).

    bandwidth BW: bytes/s; kv_bytes_per_token k: bytes; context_tokens s: count; scalars or arrays that broadcast.
    Returns tokens per s.
    nan where any is 0 or negative. Source: the limit of B / step time for a batch B without end.
    """
    return positive(bandwidth) / (positive(kv_bytes_per_token) * positive(context_tokens))


def batch_at_half_ceiling(weight_bytes, kv_bytes_per_token, context_tokens):
    """Batch that reaches half of rate_ceiling, as its caches weigh as much as the weights: B = W / (k s).

    weight_bytes W, kv_bytes_per_token k: bytes; context_tokens s: count; scalars or arrays that broadcast. Returns
    requests, a real number.
    nan where k or s is 0 or negative or W negative. Source: B / (W + B k s) set to half its limit.
    """
    return not_negative(weight_bytes) / (positive(kv_bytes_per_token) * positive(context_tokens))


def frontier_rate(
    per_user_rate, weight_bytes, kv_bytes_per_token, context_tokens, flops_per_token, flop_rate, bandwidth
):
    """Most tokens a second for all when each stream must get r of them: X = min((BW - r W) / (k s), P / f).

    per_user_rate r: tokens per s; weight_bytes W, kv_bytes_per_token k: bytes; context_tokens s: count;
    flops_per_token f: FLOP; flop_rate P: FLOP/s and bandwidth BW: bytes/s that are reached (peak times MFU, MBU);
    scalars or arrays that broadcast.
    Returns tokens per s; 0 where even a batch of none is too slow. nan where k, s, f or a rate is 0 or negative, or r
    or W negative.
    Leaves out overheads and the limit of memory. Source: the decode step time of the roofline, solved for the batch.
    """
    spare = np.maximum(positive(bandwidth) - not_negative(per_user_rate) * not_negative(weight_bytes), 0)
    by_memory = spare / (positive(kv_bytes_per_token) * positive(context_tokens))
    return np.minimum(by_memory, positive(flop_rate) / positive(flops_per_token))
