"""Waiting in line before any work is done: one queue, first come first served, in steady state.

An LLM engine that batches is none of these queues, because its service slows as it fills. They fit prefill workers,
pools of replicas and anything that serves one request at a time; the simulator is for the rest.
"""

import numpy as np

from .domain import not_negative, positive, share, whole_number


def utilisation(rate, service_time, servers=1):
    """Part of the time a server is busy, and the stability of the queue: rho = lambda t / k.

    rate lambda: arrivals per s; service_time t: mean s; servers k: count; scalars or arrays that broadcast. Returns a
    ratio: from 1 on, the queue has no steady state. nan where k is 0 or negative or another is negative. Source:
    Kleinrock (1975), "Queueing systems".
    """
    return not_negative(rate) * not_negative(service_time) / positive(servers)


def spare_share(load):
    """Part of the time left over, where a steady state exists: 1 - rho.

    load rho: utilisation, scalar or array. Returns a ratio above 0 and at most 1. nan where rho is 1 or more (the
    queue grows without end, there is no mean to speak of) or negative. Source: Kleinrock (1975).
    """
    return positive(1 - not_negative(load))


def mm1_wait(rate, service_time):
    """Mean wait of random arrivals for a server with exponential service: W = rho t / (1 - rho).

    rate: arrivals per s; service_time t: mean s; scalars or arrays that broadcast. Returns s before service begins.
    nan where rho is 1 or more, or an argument negative. Source: Kleinrock (1975), M/M/1.
    """
    return mg1_wait(rate, service_time, 1)


def md1_wait(rate, service_time):
    """Mean wait of random arrivals for a server whose service always takes the same time: W = rho t / (2 (1 - rho)).

    rate: arrivals per s; service_time t: s; scalars or arrays that broadcast. Returns s before service begins.
    nan where rho is 1 or more, or an argument negative. Source: Kleinrock (1975), M/D/1.
    """
    return mg1_wait(rate, service_time, 0)


def mg1_wait(rate, service_time, service_variation):
    """Mean wait of random arrivals for one server (Pollaczek-Khinchine): W = rho t (1 + C^2) / (2 (1 - rho)).

    rate: arrivals per s; service_time t: mean s; service_variation C: standard deviation over mean of the service
    time; scalars or arrays that broadcast. Returns s before service begins. nan where rho is 1 or more, or an
    argument negative.
    Source: Pollaczek (1930), Khinchine (1932); Kleinrock (1975), M/G/1.
    """
    return kingman_wait(rate, service_time, 1, service_variation)


def kingman_wait(rate, service_time, arrival_variation, service_variation):
    """Mean wait for one server, nearly: W = rho t (Ca^2 + Cs^2) / (2 (1 - rho)).

    rate: arrivals per s; service_time t: mean s; arrival_variation Ca, service_variation Cs: standard deviation over
    mean of the gaps between arrivals and of the service time; scalars or arrays that broadcast. Returns s before
    service begins.
    nan where rho is 1 or more, or an argument negative. Exact for random arrivals (Ca = 1), an upper bound in heavy
    traffic else.
    Source: Kingman (1961), "The single server queue in heavy traffic".
    """
    load = utilisation(rate, service_time)
    variation = (not_negative(arrival_variation) ** 2 + not_negative(service_variation) ** 2) / 2
    return load * service_time * variation / spare_share(load)


def erlang_c(offered_load, servers):
    """Chance that a random arrival must wait for one of k servers (Erlang C): C = B / (1 - rho (1 - B)), rho = a / k.

    offered_load a: rate times mean service time, scalar or array; servers k: one whole number, 1 or more. Returns a
    probability.
    nan where rho is 1 or more or a negative. Raises ValueError where k is not a whole number of 1 or more.
    B is Erlang's loss, built up server by server: B(j) = a B(j - 1) / (j + a B(j - 1)), B(0) = 1.
    Source: Erlang (1917); Cooper (1981), "Introduction to queueing theory".
    """
    count = whole_number(servers, "The number of servers", 1)
    load = not_negative(offered_load)
    loss = 1
    for server in range(1, count + 1):
        loss = load * loss / (server + load * loss)
    return loss / (spare_share(load / count) + load / count * loss)


def mmk_wait(rate, service_time, servers):
    """Mean wait of random arrivals for k servers with exponential service: W = C t / (k - a).

    rate: arrivals per s; service_time t: mean s; scalars or arrays that broadcast; servers k: one whole number, 1 or
    more.
    Returns s before service begins. nan where rho is 1 or more, or an argument negative. Raises ValueError as
    erlang_c does.
    Source: Kleinrock (1975), M/M/k.
    """
    offered_load = utilisation(rate, service_time)
    return erlang_c(offered_load, servers) * service_time / positive(servers - offered_load)


def mgk_wait(rate, service_time, service_variation, servers):
    """Mean wait of random arrivals for k servers, nearly: W = (1 + C^2) / 2 times the wait of mmk_wait.

    rate: arrivals per s; service_time: mean s; service_variation C: standard deviation over mean; scalars or arrays
    that broadcast; servers k: one whole number, 1 or more. Returns s before service begins. nan and ValueError as
    mmk_wait, nan also where C is negative.
    Exact for k = 1 and for C = 1. Source: Lee, Longton (1959), "Queueing processes associated with airline passenger
    check-in".
    """
    return (1 + not_negative(service_variation) ** 2) / 2 * mmk_wait(rate, service_time, servers)


def sakasegawa_wait(rate, service_time, arrival_variation, service_variation, servers):
    """Mean wait for k servers, nearly: W = t rho^(sqrt(2 (k + 1)) - 1) / (k (1 - rho)) (Ca^2 + Cs^2) / 2; no loop.

    Arguments as in kingman_wait; servers k: count, broadcasts too. Returns s before service begins.
    nan where rho is 1 or more, k is 0 or negative, or an argument negative. Exact for k = 1 wherever kingman_wait is;
    within 15 % of mmk_wait for k to 16 at a load of 0.8. Source: Sakasegawa (1977), "An approximation formula".
    """
    load = utilisation(rate, service_time, servers)
    variation = (not_negative(arrival_variation) ** 2 + not_negative(service_variation) ** 2) / 2
    crowding = share(load) ** (np.sqrt(2 * (positive(servers) + 1)) - 1) / (servers * spare_share(load))
    return crowding * variation * service_time


def wait_percentile(percentile_share, wait_probability, mean_wait):
    """Wait that a share q of requests does not exceed, with an exponential tail: W_q = W / p ln(p / (1 - q)).

    percentile_share q: 0 to 1 (0.99 for the 99th percentile); wait_probability p: chance of waiting at all
    (utilisation for one server, erlang_c for k); mean_wait W: s over all requests; scalars or arrays that broadcast.
    Returns s, 0 where 1 - q is p or more.
    nan where q lies outside 0 to 1 or is 1 (no wait is the longest), p is not above 0 and at most 1, or W negative.
    Exact for exponential service; too low where service is skewed. Source: Kleinrock (1975), the waiting time of
    M/M/k.
    """
    waiting = positive(share(wait_probability))
    beyond = positive(1 - share(percentile_share))
    return not_negative(mean_wait) / waiting * np.log(np.maximum(waiting / beyond, 1))
