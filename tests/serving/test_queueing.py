"""Where the engine should reduce to a textbook queue, it does within 3 % (MODELS: C23 and B14, recomputed there from
the formulas)."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from explainer.serving.compile import can_compile
from explainer.serving.costs import PassCosts
from explainer.serving.layout import Engine, OnePhase
from explainer.serving.lengths import Fixed, Geometric
from explainer.serving.simulate import simulate
from explainer.serving.workload import Poisson, Traffic

needs_numba = pytest.mark.skipif(
    not can_compile(),
    reason="half a million requests are for the compiled loop; both loops are compared elsewhere",
)
TOLERANCE = 0.03
PASS = 1e-3  # s


def mean_wait(run):
    """s from arrival to the pass that starts the request."""
    return float(np.mean(run.requests.queue + run.requests.in_flight))


def seats(count):
    """An engine whose passes always take PASS, so that a request's service is its number of tokens; `count` servers in
    queueing terms."""
    return OnePhase(
        Engine(
            PassCosts(step=PASS, weights=0, kv_read=0, token=0), seats=count, budget=max(count, 2), kv_capacity=10**12
        )
    )


@needs_numba
@pytest.mark.parametrize("rate, expected", [(2, 0.07823), (5.6, 0.09661), (8, 0.12140), (10, 0.16561), (12, 0.30489)])
def test_prompts_of_one_length_are_an_md1_queue(rate, expected):
    """C23: a prefill takes 72.15 ms, the mean time in the system is D + R D^2 / (2 (1 - R D))."""
    engine = Engine(PassCosts(step=0, weights=0, kv_read=0, token=0.07215 / 512), seats=512, budget=512)
    run = simulate(Traffic(Poisson(rate), Fixed(512, 1), 600_000, seed=1), OnePhase(engine))
    assert np.mean(run.requests.ttft) == pytest.approx(expected, rel=TOLERANCE)
    assert np.allclose(run.requests.e2e, run.requests.ttft)


def wait_at_load(lengths, servers, seeds=(1, 2, 3), count=400_000):
    """Mean wait over mean service time of seat-limited passes at a load of exactly 0.8 in each sample, over some seeds.

    Arrivals are scaled to the drawn answers: near 0.8 a sample's load that is off by 0.3 % moves the wait by 1.5 %.
    """
    waits = []
    for seed in seeds:
        drawn = Traffic(Poisson(1.0), lengths, count, seed).draw()
        service = np.mean(drawn.output_tokens) * PASS
        load = service * count / drawn.arrival[-1] / servers
        waits.append(mean_wait(simulate(drawn.faster(0.8 / load), seats(servers))) / service)
    return np.mean(waits)


@needs_numba
def test_one_seat_and_geometric_answers_are_an_mm1_queue():
    """B14: at a load of 0.8 the mean wait is 4.0 service times."""
    assert wait_at_load(Geometric(1, 2000), 1) == pytest.approx(4.0, rel=TOLERANCE)


@needs_numba
def test_one_seat_and_answers_of_one_length_wait_half_as_long():
    """B14: M/D/1 at a load of 0.8, 2.0 service times."""
    assert wait_at_load(Fixed(1, 200), 1) == pytest.approx(2.0, rel=TOLERANCE)


@dataclass(frozen=True)
class Uneven:
    """Answers from two exponentials with equal shares of the work: p = (1 + sqrt((c - 1) / (c + 1))) / 2 for a squared
    variation c of 4."""

    def draw(self, count, rng):
        quick = (1 + np.sqrt(3 / 5)) / 2
        share = np.where(rng.uniform(size=count) < quick, quick, 1 - quick)
        answers = np.maximum(np.rint(rng.exponential(2000 / (2 * share))), 1).astype(int)
        assert np.var(answers) / np.mean(answers) ** 2 == pytest.approx(4, rel=0.03)
        return np.ones(count, int), answers


@needs_numba
def test_one_seat_and_very_uneven_answers_wait_longer():
    """B14: M/G/1 at a load of 0.8 with a squared coefficient of variation of 4, 10.0 service times."""
    assert wait_at_load(Uneven(), 1, count=800_000) == pytest.approx(10.0, rel=TOLERANCE)


@needs_numba
@pytest.mark.parametrize("servers, expected", [(4, 0.7455), (8, 0.2860), (16, 0.0953)])
def test_seats_with_geometric_answers_are_an_mmk_queue(servers, expected):
    """B14: Erlang C at a load of 0.8; waiting for the pass in flight adds half a pass in 2,000."""
    assert wait_at_load(Geometric(1, 2000), servers) == pytest.approx(expected, rel=TOLERANCE)


@needs_numba
def test_replicas_wait_more_than_one_shared_queue_and_less_than_blind_turns():
    """Four one-seat replicas at a load of 0.8: M/M/4 (0.7455) is the floor; sending each to the least loaded beats
    taking turns."""
    service = 500 * PASS
    traffic = Traffic(Poisson(3.2 / service), Geometric(1, 500), 200_000, seed=2)
    waits = {
        routing: mean_wait(simulate(traffic, replace(seats(1), replicas=4, routing=routing))) / service
        for routing in ("least loaded", "round robin")
    }
    assert 0.7455 < waits["least loaded"] < waits["round robin"] < 4.0
