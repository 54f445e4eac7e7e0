"""One server's passes: who gets into the next pass, how long it lasts, who leaves at its end.

Plain functions over the rows of state.py; loop.py calls them and compile.py hands them to numba.
"""

from heapq import heappop, heappush
from math import inf

from explainer.serving.passes import GAP_BINS, count_gaps, gap_bin, pass_time, passes_until, stretch_time
from explainer.serving.state import BESIDE_PREFILL, DECODE_ONLY, HAND_OFF, NONE, SERVED


def reservation(request, server):
    """KV tokens that a request reserves on a server: all it can come to hold there."""
    return request.input_tokens + request.output_tokens if server.reserves_output else request.input_tokens


def fits(request, server):
    """Whether a request finds a seat and memory on a server now."""
    return server.seats_used < server.seats and server.kv_used + reservation(request, server) <= server.kv_capacity


def first_fits(requests, server):
    """Whether there is a queue and its first request finds a seat and memory."""
    return server.queue_head != NONE and fits(requests[server.queue_head], server)


def enqueue(requests, server, i):
    """Put request i at the end of the queue."""
    requests[i].following = NONE
    if server.queue_head == NONE:
        server.queue_head = i
    else:
        requests[server.queue_tail].following = i
    server.queue_tail = i
    server.load += 1


def dequeue(requests, server):
    """Take the first request off the queue and return its number."""
    i = server.queue_head
    server.queue_head = requests[i].following
    requests[i].following = NONE
    return i


def admit(request, server):
    """Reserve a request's seat and memory."""
    server.seats_used += 1
    server.kv_used += reservation(request, server)
    server.seats_peak = max(server.seats_peak, server.seats_used)
    server.kv_peak = max(server.kv_peak, server.kv_used)


def leave(request, server, now):
    """A request is answered: give its seat and memory back."""
    request.finish = now
    request.outcome = SERVED
    server.seats_used -= 1
    server.kv_used -= reservation(request, server)
    server.load -= 1


def boundary(server, now):
    """Number of passes of the stretch under way that are over at the first pass's end at or after `now`."""
    return passes_until(
        server.step,
        server.memory,
        server.memory_growth,
        server.compute,
        server.compute_growth,
        server.planned,
        now - server.began,
    )


def end_after(server, passes):
    """Moment in s at which the stretch under way has done so many passes."""
    return server.began + stretch_time(
        server.step, server.memory, server.memory_growth, server.compute, server.compute_growth, passes
    )


def duration(server, index):
    """Duration in s of pass number `index` of the stretch under way."""
    return pass_time(server.step, server.memory, server.memory_growth, server.compute, server.compute_growth, index)


def stop_after(server, passes):
    """Let the stretch under way end after so many passes."""
    server.planned = passes
    server.ends = end_after(server, passes)


def wake(server, now):
    """An idle server ends a stretch of no passes at `now`: after all else that falls on this moment it begins the
    next."""
    server.began = now
    server.ends = now
    server.prompt_tokens = 0


def open_stretch(requests, server, now, running, bins, jump):
    """Begin the next pass: decodes first, the rest of the budget to prompts in order; jump to the next last token if no
    prompt is read."""
    left = server.budget - server.decodes
    tokens, cached, completed, pairs, last = 0, 0, 0, 0.0, NONE
    while left > 0:
        i = server.partial
        if i == NONE:
            if server.decode_only or not first_fits(requests, server):
                break
            i = dequeue(requests, server)
            admit(requests[i], server)
            requests[i].prefill_start = now
        done = requests[i].prefilled
        chunk = min(requests[i].input_tokens - done, left)
        left -= chunk
        tokens += chunk
        cached += done
        pairs += chunk * (done + chunk / 2)
        requests[i].prefilled = done + chunk
        if done + chunk < requests[i].input_tokens:
            server.partial = i
            break
        server.partial = NONE
        completed += 1
        if last == NONE:
            server.completing = i
        else:
            requests[last].following = i
        last = i
    server.planned = 0
    server.ends = inf
    if server.decodes == 0 and tokens == 0:
        return
    server.prompt_tokens = tokens
    server.began = now
    server.memory = server.weights + server.kv_read * (server.context + cached)
    server.memory_growth = server.kv_read * server.decodes
    server.compute = (
        server.token * (server.decodes + tokens)
        + server.emit * (server.decodes + completed)
        + server.pair * (server.context + pairs)
    )
    server.compute_growth = server.pair * server.decodes
    stop_after(server, running[0][0] - server.passes if jump and tokens == 0 else 1)
    i = server.joined
    server.joined = NONE
    while i != NONE:
        # A handed-over answer's second token comes with the first pass here; its gap began on the other machine.
        requests[i].worst_gap = now + duration(server, 0) - requests[i].first_token
        bins[HAND_OFF * GAP_BINS + gap_bin(requests[i].worst_gap)] += 1
        bins[DECODE_ONLY * GAP_BINS + gap_bin(duration(server, 0))] -= 1
        i = requests[i].following


def start_decoding(request, i, server, running):
    """Let a request whose first token is out take one token a pass from the next pass on."""
    heappush(running, (server.passes + request.output_tokens - 1, i))
    server.decodes += 1
    server.context += request.input_tokens + 1


def slowest_since(slowest, joined):
    """Longest pass after pass number `joined`: `slowest` holds (pass, duration) with falling durations, so the first
    one after it."""
    low, high = 0, len(slowest)
    while low < high:
        middle = (low + high) // 2
        if slowest[middle][0] > joined:
            high = middle
        else:
            low = middle + 1
    return slowest[low][1]


def close_stretch(server, slowest, bins):
    """Account for the stretch that ends now: passes, tokens, caches, gaps between tokens."""
    server.passes += server.planned
    server.context += server.planned * server.decodes
    server.busy += server.ends - server.began
    server.tokens += server.planned * server.decodes + server.prompt_tokens
    if server.decodes > 0 and server.planned > 0:
        kind = BESIDE_PREFILL if server.prompt_tokens > 0 else DECODE_ONLY
        count_gaps(
            bins,
            kind * GAP_BINS,
            server.decodes,
            server.step,
            server.memory,
            server.memory_growth,
            server.compute,
            server.compute_growth,
            server.planned,
        )
        longest = duration(server, server.planned - 1)  # durations only grow within a stretch
        while len(slowest) > 0 and slowest[-1][1] <= longest:
            slowest.pop()
        slowest.append((server.passes, longest))


def pop_finished(requests, server, now, running, slowest):
    """Take one answer that the ended stretch completed out of the batch; NONE if there is none left."""
    if len(running) == 0 or running[0][0] > server.passes:
        return NONE
    last_pass, i = heappop(running)
    request = requests[i]
    own_gap = slowest_since(slowest, last_pass - request.output_tokens + 1)
    if not request.worst_gap >= own_gap:  # also where it is still nan
        request.worst_gap = own_gap
    server.decodes -= 1
    server.context -= request.input_tokens + request.output_tokens
    leave(request, server, now)
    return i
