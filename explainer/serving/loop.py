"""The loop: the earliest thing that can happen next happens, until nothing can.

A request arrives, a queued request runs out of patience, a hand-over between servers is complete, a pass ends. What
falls on the same moment happens in that order, so that whoever is there when a pass ends can be in the next. A client
that does not think sends its next request just after the pass that follows its answer has begun.
"""

from heapq import heappop, heappush
from math import inf

from explainer.serving.server import (
    admit,
    boundary,
    close_stretch,
    dequeue,
    end_after,
    enqueue,
    first_fits,
    leave,
    open_stretch,
    pop_finished,
    start_decoding,
    stop_after,
    wake,
)
from explainer.serving.state import NONE, TIMED_OUT, UNFINISHED

NOTHING, ARRIVAL, PATIENCE_ENDS, HAND_OVER_ENDS, PASS_ENDS = range(5)


def least_loaded(servers, first, last):
    """The server from `first` up to `last` with the fewest requests, waiting or running; the lowest number among
    equals."""
    best = first
    for s in range(first + 1, last):
        if servers[s].load < servers[best].load:
            best = s
    return best


def release(requests, injected, unsent, now):
    """A closed loop's client has its answer (or refusal) and sends the next request after thinking; returns the next
    unsent one."""
    if unsent < len(requests):
        requests[unsent].arrival = now + requests[unsent].think
        heappush(injected, (requests[unsent].arrival, unsent))
        return unsent + 1
    return unsent


def let_in(requests, server, now):
    """The queue or the memory changed between passes: wake the server if it idles, or stop its stretch when someone
    fits."""
    if server.planned == 0:
        wake(server, now)
    elif server.planned > 1 and first_fits(requests, server):
        stop_after(server, boundary(server, now))


def hand_over(requests, servers, s, now, transfers, rules):
    """Send the caches of those at the head of decode server s's queue that it has room for; each sender's link carries
    one at a time."""
    while first_fits(requests, servers[s]):
        i = dequeue(requests, servers[s])
        admit(requests[i], servers[s])
        sender = servers[requests[i].home]
        sender.link_free = max(sender.link_free, now) + requests[i].input_tokens * rules.link_per_token
        heappush(transfers, (sender.link_free + rules.link_latency, i, s))


def join(requests, server, running):
    """Those whose caches have come decode from the pass that starts now."""
    server.joined = server.joining
    server.joining = NONE
    i = server.joined
    while i != NONE:
        start_decoding(requests[i], i, server, running)
        i = requests[i].following


def next_event(requests, servers, rules, sent, injected, transfers):
    """What happens next: (what, when in s, server, request), the later kinds of the module's list giving way at the
    same moment."""
    happens, at, s, i = NOTHING, inf, 0, NONE
    for number in range(len(servers)):
        if servers[number].ends < at:
            happens, at, s = PASS_ENDS, servers[number].ends, number
    if len(transfers) > 0 and transfers[0][0] <= at:
        happens, at, i, s = HAND_OVER_ENDS, transfers[0][0], transfers[0][1], transfers[0][2]
    if rules.patience < inf:
        for number in range(rules.entries):
            head = servers[number].queue_head
            if head != NONE and requests[head].arrival + rules.patience <= at:
                happens, at, i, s = PATIENCE_ENDS, requests[head].arrival + rules.patience, head, number
    if sent < rules.timed and requests[sent].arrival <= at:
        happens, at, i = ARRIVAL, requests[sent].arrival, sent
    if len(injected) > 0 and injected[0][0] <= at:
        happens, at, i = ARRIVAL, injected[0][0], injected[0][1]
    return happens, at, s, i


def run(requests, servers, bins, rules):
    """Play all requests; fills the rows and returns (time integral of the requests in the system, end in s, rounds).

    Stops after rules.most_rounds rounds; what is then in the system, or was never sent, keeps the outcome `unfinished`.
    """
    count = len(servers)
    running = [[(0, 0)] for _ in range(count)]  # per server a heap of (pass in which the last token comes, request)
    slowest = [[(0, 0.0)] for _ in range(count)]
    for s in range(count):
        running[s].pop()
        slowest[s].pop()
    injected = [(0.0, 0)]
    injected.pop()
    transfers = [(0.0, 0, 0)]
    transfers.pop()
    sent, unsent, turn, in_system, rounds = 0, rules.timed, 0, 0, 0
    now, area = 0.0, 0.0
    while rounds < rules.most_rounds:
        rounds += 1
        happens, at, s, i = next_event(requests, servers, rules, sent, injected, transfers)
        if happens == NOTHING:
            break
        area += in_system * (at - now)
        now = at

        if happens == ARRIVAL:
            if i < rules.timed:
                sent += 1
            else:
                heappop(injected)
            if requests[i].outcome != UNFINISHED:  # refused beforehand (simulate.py)
                requests[i].finish = now
                unsent = release(requests, injected, unsent, now)
                continue
            in_system += 1
            if rules.least_loaded:
                s = least_loaded(servers, 0, rules.entries)
            else:
                s = turn % rules.entries
                turn += 1
            server = servers[s]
            requests[i].home = s
            enqueue(requests, server, i)
            if server.planned > 0:
                requests[i].in_flight = end_after(server, boundary(server, now)) - now
            let_in(requests, server, now)

        elif happens == PATIENCE_ENDS:
            server = servers[s]
            dequeue(requests, server)
            server.load -= 1
            requests[i].outcome = TIMED_OUT
            requests[i].finish = now
            in_system -= 1
            unsent = release(requests, injected, unsent, now)
            let_in(requests, server, now)

        elif happens == HAND_OVER_ENDS:
            heappop(transfers)
            sender = requests[i].home
            servers[sender].kv_used -= requests[i].input_tokens
            let_in(requests, servers[sender], now)
            server = servers[s]
            requests[i].following = server.joining
            server.joining = i
            if server.planned == 0:
                wake(server, now)
            else:
                stop_after(server, boundary(server, now))

        else:
            server = servers[s]
            close_stretch(server, slowest[s], bins)
            i = pop_finished(requests, server, now, running[s], slowest[s])
            while i != NONE:
                in_system -= 1
                unsent = release(requests, injected, unsent, now)
                i = pop_finished(requests, server, now, running[s], slowest[s])
            i = server.completing
            server.completing = NONE
            while i != NONE:
                request = requests[i]
                after = request.following
                request.first_token = now
                if request.output_tokens == 1:
                    leave(request, server, now)
                    in_system -= 1
                    unsent = release(requests, injected, unsent, now)
                elif rules.entries < count:
                    server.seats_used -= 1
                    server.load -= 1
                    target = least_loaded(servers, rules.entries, count)
                    enqueue(requests, servers[target], i)
                    hand_over(requests, servers, target, now, transfers, rules)
                else:
                    start_decoding(request, i, server, running[s])
                i = after
            if server.decode_only:
                hand_over(requests, servers, s, now, transfers, rules)
                join(requests, server, running[s])
            open_stretch(requests, server, now, running[s], bins, rules.jump)
    return area, now, rounds
