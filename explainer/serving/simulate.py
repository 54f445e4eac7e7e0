"""A workload on a layout: the door to the engine."""

from dataclasses import dataclass

import numpy as np

from explainer.serving import compile as machine_code
from explainer.serving import loop, state
from explainer.serving.checks import require
from explainer.serving.gaps import Gaps
from explainer.serving.table import RequestRows

# Jumping takes 2 to 6 rounds a request; these bounds are for input that nobody meant, such as a prompt of billions of
# tokens.
MOST_ROUNDS, ROUNDS_PER_REQUEST = 5_000_000, 10


@dataclass(frozen=True)
class Run:
    """One simulation.

    requests: a row per request (table.py); gaps: between the tokens of one answer (gaps.py); servers: NumPy structured
    array, a row per server, with passes, tokens, busy (s), kv_peak (tokens), seats_peak; requests_seconds: time
    integral of the requests in the system, counted by the loop itself; end: s at which the last thing happened;
    clients: of a closed loop, else 0; rounds: of the event loop; notes: sentences.
    """

    requests: RequestRows
    gaps: Gaps
    servers: np.ndarray
    requests_seconds: float
    end: float
    clients: int
    rounds: int
    notes: tuple[str, ...]

    @property
    def cut_off(self):
        """Whether the simulation was stopped before every request had its outcome."""
        return bool(np.any(self.requests.outcome == state.UNFINISHED))


def simulate(workload, layout, *, patience=np.inf, jump=True, compiled=None, most_rounds=None) -> Run:
    """Play a workload on a layout and return what became of each request.

    workload: a Workload or anything that draws one (Traffic); layout: OnePhase or Separated; patience: s in the queue
    after which a request that has not been started is cancelled; jump: passes without events in closed form, False
    steps through each (the reference); compiled: None uses numba where it is installed; most_rounds: bound on the loop
    (None: 5 million, or 10 a request if that is more), after which the rest is `unfinished` and a note says so. Raises
    ValueError, one sentence, for input that means nothing. Known limits: the docstring of explainer.serving.
    """
    require(
        patience > 0, f"The patience must be above 0 s, not {patience!r}; leave it out for requests that wait for ever."
    )
    workload = workload.draw()
    compiled = machine_code.can_compile() if compiled is None else compiled
    requests = state.request_table(
        np.nan_to_num(workload.arrival) + layout.front_delay,
        workload.input_tokens,
        workload.output_tokens,
        workload.think + layout.front_delay,
        _refusals(workload, layout),
    )
    servers = state.server_table(layout.engines, layout.entries)
    bins = state.empty_gaps()
    rules = state.Rules(
        layout.entries,
        layout.routing == "least loaded",
        bool(jump),
        int(workload.timed),
        float(patience),
        *layout.link(),
        int(most_rounds or max(MOST_ROUNDS, ROUNDS_PER_REQUEST * len(workload))),
    )
    if compiled:
        area, end, rounds = machine_code.compiled_loop()(requests, servers, bins, rules)
    else:
        request_rows, server_rows, bins = state.as_objects(requests), state.as_objects(servers), bins.tolist()
        area, end, rounds = loop.run(request_rows, server_rows, bins, rules)
        requests, servers = state.as_table(request_rows, state.REQUEST), state.as_table(server_rows, state.SERVER)
    notes = workload.notes
    unfinished = int(np.sum(requests["outcome"] == state.UNFINISHED))
    if unfinished:
        requests["arrival"][
            (requests["outcome"] == state.UNFINISHED)
            & (np.arange(len(requests)) >= workload.timed)
            & (requests["home"] == state.NONE)
        ] = np.nan
        notes += (
            f"The simulation was cut after {rounds:,} rounds at {end:.4g} s: {unfinished:,} of {len(requests):,} "
            "requests have no outcome.",
        )
    return Run(
        RequestRows.from_table(requests, layout.front_delay),
        Gaps(np.array(bins)),
        servers,
        float(area),
        float(end),
        int(workload.clients),
        int(rounds),
        notes,
    )


def _refusals(workload, layout):
    """The outcome of those that no engine can take, whatever the load; `unfinished` for the others."""
    inputs, outputs = workload.input_tokens, workload.output_tokens
    fits = layout.holds(inputs, outputs)
    return np.select(
        [inputs < 1, outputs < 1, ~fits], [state.NO_PROMPT, state.NO_OUTPUT, state.TOO_LARGE], state.UNFINISHED
    )
