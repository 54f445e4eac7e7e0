"""Handing work or bytes to something further away: what the way costs, and when it pays.

A way is a fixed latency and a bandwidth. Nothing else uses it at the same time: congestion, retries and small packets
come on top.
"""

import numpy as np

from .domain import not_negative, positive, share


def transfer_time(latency, size, bandwidth):
    """Time to move one message: T = a + S / B.

    latency a: s, the whole fixed cost of the trip; size S: bytes; bandwidth B: bytes/s; scalars or arrays that
    broadcast. Returns s.
    nan where B is 0 or negative or another is negative. Source: Hockney (1994), "The communication challenge for
    MPP".
    """
    return not_negative(latency) + not_negative(size) / positive(bandwidth)


def exchange_time(round_trips, latency, size, bandwidth):
    """Time of round trips that wait for one another: T = n (a + S / B).

    round_trips n: count; latency a: s, the whole fixed cost of one round trip; size S: bytes per trip; bandwidth B:
    bytes/s; scalars or arrays that broadcast. Returns s. nan where B is 0 or negative or another is negative.
    Source: transfer_time, once for each dependent trip.
    """
    return not_negative(round_trips) * transfer_time(latency, size, bandwidth)


def half_bandwidth_size(latency, bandwidth):
    """Message size at which latency and bandwidth cost the same, so that half the bandwidth is reached: S = a B.

    latency a: s; bandwidth B: bytes/s; scalars or arrays that broadcast. Returns bytes. nan where B is 0 or negative
    or a negative.
    Source: Hockney (1994), the parameter n_1/2.
    """
    return not_negative(latency) * positive(bandwidth)


def effective_bandwidth(latency, size, bandwidth):
    """Bytes a second that a message of this size gets: S / (a + S / B).

    latency a: s; size S: bytes; bandwidth B: bytes/s; scalars or arrays that broadcast. Returns bytes/s.
    nan where S or B is 0 or negative (no message has no speed) or a negative. Source: Hockney (1994).
    """
    return positive(size) / transfer_time(latency, size, bandwidth)


def offload_saving(local, remote, transfer, coordination, overlap):
    """Time saved by a hand-off: local - (remote + (1 - overlap) transfer + coordination).

    Positive where the hand-off pays.
    local, remote, transfer, coordination: s; overlap: share of the transfer, 0 to 1, that is hidden behind other
    work; scalars or arrays that broadcast. Returns s. nan where overlap lies outside 0 to 1 or a time is negative.
    Source: T_old against T_new + transfer + coordination, each a time on the critical path.
    """
    exposed = (1 - share(overlap)) * not_negative(transfer)
    return not_negative(local) - (not_negative(remote) + exposed + not_negative(coordination))


def break_even_bandwidth(size, latency, time_saved):
    """Bandwidth from which moving a message costs less than it saves: B = S / (t - a).

    size S: bytes; latency a: s; time_saved t: s that the hand-off saves before its transfer is paid; scalars or
    arrays that broadcast.
    Returns bytes/s. nan where t is not above a (no bandwidth can help) or S or a is negative.
    Source: transfer_time set equal to t, solved for B.
    """
    return not_negative(size) / positive(time_saved - not_negative(latency))


def fetch_break_even_bandwidth(kv_bytes_per_token, flops_per_token, flop_rate):
    """Bandwidth from which fetching a stored KV cache beats computing it again: B = k P / f.

    kv_bytes_per_token k: bytes; flops_per_token f: FLOP to prefill a token (2 times the weights); flop_rate P: FLOP/s
    that are reached (peak times MFU); scalars or arrays that broadcast. Returns bytes/s. nan where f or P is 0 or
    negative or k negative.
    Left out: latency, which counts against fetching short prompts, and attention, which counts against computing long
    ones.
    Source: k S / B set equal to f S / P.
    """
    return not_negative(kv_bytes_per_token) * positive(flop_rate) / positive(flops_per_token)


def streamed_step_time(step, streamed_bytes, bandwidth, overlap):
    """Time of a decode step that also streams weights from the host: T = t + D / B - o min(t, D / B).

    step t: s of the step without streaming; streamed_bytes D: bytes per step and accelerator; bandwidth B: bytes/s of
    its link; overlap o:
    share, 0 to 1, of the shorter of the two that is hidden under the longer; scalars or arrays that broadcast.
    Returns s: the sum at o = 0, the longer of the two at o = 1. nan where B is 0 or negative, o lies outside 0 to 1,
    or t or D is negative.
    Paid once a step, whatever the batch. Source: transfer_time with partial overlap.
    """
    transfer = transfer_time(0, streamed_bytes, bandwidth)
    return not_negative(step) + transfer - share(overlap) * np.minimum(step, transfer)
