"""A fixed number of clients, each sending its next request only when the last one has come back.

Such a test slows its own arrivals as the server fills, and so hides the queue that open traffic would build. All
bounds are those of the operational analysis: no request is faster than it would be alone, and no server faster than
its slowest part.
"""

import numpy as np

from .concurrency import interactive_response_time
from .domain import not_negative, positive


def knee_clients(alone_time, think_time, peak_rate):
    """Clients from which the server, and no longer the clients, sets the rate: N* = X (R + Z).

    alone_time R: s of a request with nothing else under way; think_time Z: s between an answer and the next request;
    peak_rate X:
    requests per s the server can reach; scalars or arrays that broadcast. Returns clients, a real number.
    nan where X is 0 or negative or another is negative. Source: Denning, Buzen (1978), operational analysis.
    """
    return positive(peak_rate) * (not_negative(alone_time) + not_negative(think_time))


def throughput_bound(clients, alone_time, think_time, peak_rate):
    """Most requests a second that N clients can get: X <= min(N / (R + Z), X_max).

    clients N: count; alone_time R, think_time Z: s; peak_rate X_max: requests per s; scalars or arrays that
    broadcast.
    Returns requests per s. nan where R + Z or X_max is 0 or negative, or another is negative.
    Source: Denning, Buzen (1978), operational analysis.
    """
    cycle = not_negative(alone_time) + not_negative(think_time)
    return np.minimum(not_negative(clients) / positive(cycle), positive(peak_rate))


def response_bound(clients, alone_time, think_time, peak_rate):
    """Least mean response time of N clients: R >= max(R, N / X_max - Z).

    Past the knee each client more adds 1 / X_max.
    Arguments as in throughput_bound. Returns s. nan where R + Z or X_max is 0 or negative, or another is negative.
    Source: Denning, Buzen (1978), operational analysis.
    """
    return interactive_response_time(clients, throughput_bound(clients, alone_time, think_time, peak_rate), think_time)
