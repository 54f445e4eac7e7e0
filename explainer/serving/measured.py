"""A measured sweep over concurrency beside the engine's own: errors stated, and the engine fitted to a team's own
numbers."""

from dataclasses import dataclass, replace

import numpy as np

from explainer.formulas.concurrency import request_rate
from explainer.formulas.timing import completion_time
from explainer.serving.checks import require
from explainer.serving.layout import OnePhase
from explainer.serving.lengths import Fixed
from explainer.serving.simulate import simulate
from explainer.serving.workload import Clients, Traffic

ROUNDS, WARM_UP_ROUNDS = 24, 6  # requests per client, of which the first are left out
WORTH_IT = 0.999  # a step of the fit that gains less than 0.1 % of the misfit is not taken: it would creep for ever
METRICS = ("ttft", "tpot", "output_rate")


@dataclass(frozen=True)
class Sweep:
    """Means over the requests of a closed loop without think time, one value per concurrency.

    input_tokens, output_tokens: counts, the same for every request; clients: counts; ttft: s; tpot: s per token;
    output_rate: tokens per s for all together. Arrays of one length; nan where it was not measured.
    """

    input_tokens: int
    output_tokens: int
    clients: np.ndarray
    ttft: np.ndarray
    tpot: np.ndarray
    output_rate: np.ndarray

    def __post_init__(self):
        require(
            len(self.clients) >= 1 and all(len(getattr(self, name)) == len(self.clients) for name in METRICS),
            "A sweep needs one value of clients, ttft, tpot and output_rate per row.",
        )
        require(
            all(count >= 1 and count == int(count) for count in self.clients),
            "The clients of a sweep are whole numbers of 1 or more.",
        )
        for name in METRICS:
            values = np.asarray(getattr(self, name), float)
            require(not np.any(values <= 0), f"A sweep's {name} must be above 0, or nan where it was not measured.")


def simulated(layout, measured):
    """The sweep that this layout gives at the measured one's lengths and clients; output_rate by Little's law from the
    mean answer time."""
    found = {name: [] for name in METRICS}
    for place, clients in enumerate(measured.clients):
        clients = int(clients)
        # Clients that start together and get answers of one length stay in step for ever in an engine without noise;
        # real ones drift apart. So they start spread over the time of one answer.
        answer = float(completion_time(measured.ttft[place], measured.tpot[place], measured.output_tokens))
        rows = simulate(
            Traffic(
                Clients(clients, ramp=answer if answer > 0 else 0.0),
                Fixed(measured.input_tokens, measured.output_tokens),
                ROUNDS * clients,
            ),
            layout,
        ).requests
        number = np.arange(len(rows))
        steady = rows.take(rows.served & (number >= WARM_UP_ROUNDS * clients) & (number < (ROUNDS - 1) * clients))
        found["ttft"].append(np.mean(steady.ttft))
        found["tpot"].append(np.mean(steady.tpot))
        found["output_rate"].append(request_rate(clients, np.mean(steady.e2e)) * measured.output_tokens)
    return replace(measured, **{name: np.array(values) for name, values in found.items()})


def errors(layout, measured):
    """Table of a layout against a measured sweep: a dictionary per row with clients and, for ttft, tpot and
    output_rate, measured, simulated and error (simulated / measured - 1; nan where it was not measured)."""
    own = simulated(layout, measured)
    rows = []
    for place, clients in enumerate(measured.clients):
        row = {"clients": int(clients)}
        for name in METRICS:
            seen, made = float(getattr(measured, name)[place]), float(getattr(own, name)[place])
            row[name] = {"measured": seen, "simulated": made, "error": made / seen - 1}
        rows.append(row)
    return rows


def with_factors(layout, computing=1.0, reading=1.0, step=1.0, memory=1.0, front_delay=0.0):
    """A one-phase layout whose engine computes, reads and begins a pass slower by these factors, with so much more
    memory, and whose requests spend front_delay s before the queue."""
    engine = layout.engine
    return replace(
        layout,
        front_delay=front_delay,
        engine=replace(
            engine,
            costs=engine.costs.scaled(computing, reading, step),
            kv_capacity=max(int(engine.kv_capacity * memory), 1),
        ),
    )


def fit(layout, measured, weights=(1.0, 3.0, 10.0), finest=0.005):
    """The layout of this shape that comes closest to a measured sweep, and the factors that make it (with_factors).

    layout: OnePhase to start from, with costs from the formulas (efficiencies of 1 will do) and some step overhead;
    measured: Sweep; weights: of the logarithmic errors of ttft, tpot and output_rate; finest: relative step at which
    the search ends. A compass search: one factor at a time, up or down, as long as it helps, in halving steps; it finds
    a near optimum and not surely the best. Needs some seconds with numba, minutes without. Raises ValueError where not
    even one request fits. Returns (layout, factors).
    """
    require(isinstance(layout, OnePhase), "A sweep is fitted with a one-phase layout.")
    require(
        layout.holds(measured.input_tokens, measured.output_tokens),
        "A request of this sweep is larger than the engine's KV memory.",
    )
    factors = {
        "computing": 1.0,
        "reading": 1.0,
        "step": 1.0,
        "memory": 1.0,
        "front_delay": float(np.nan_to_num(np.nanmin(measured.ttft))) / 4,
    }

    def misfit(candidate):
        shaped = with_factors(layout, **candidate)
        if not shaped.holds(measured.input_tokens, measured.output_tokens):
            return np.inf
        own = simulated(shaped, measured)
        return sum(
            weight * np.nanmean(np.log(getattr(own, name) / np.asarray(getattr(measured, name), float)) ** 2)
            for name, weight in zip(METRICS, weights)
        )

    best, width = misfit(factors), 0.4
    while width > finest:
        better = False
        for name in factors:
            for direction in (1 + width, 1 / (1 + width)):
                candidate = {**factors, name: factors[name] * direction}
                value = misfit(candidate)
                if value < WORTH_IT * best:
                    factors, best, better = candidate, value, True
                    break
        width = width if better else width / 2
    return with_factors(layout, **factors), factors
