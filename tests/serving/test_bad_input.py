"""Impossible input gives an outcome or a sentence, and always an end."""

from dataclasses import replace

import numpy as np
import pytest

from explainer.serving.capacity import capacity
from explainer.serving.costs import PassCosts
from explainer.serving.examples import small_engine
from explainer.serving.layout import Engine, OnePhase, Separated, kv_tokens
from explainer.serving.lengths import Fixed, Geometric, Lognormal
from explainer.serving.production import Production
from explainer.serving.simulate import simulate
from explainer.serving.sweep import RATE, Case, with_value
from explainer.serving.workload import AllAtOnce, Bursty, Clients, Poisson, Traffic, Workload

ENGINE = small_engine()
LAYOUT = OnePhase(ENGINE)
COSTS = ENGINE.costs


def workload(inputs, outputs, clients=0):
    count = len(inputs)
    arrival = np.arange(count, dtype=float)
    arrival[clients if clients else count :] = np.nan
    return Workload(arrival, np.array(inputs), np.array(outputs), np.zeros(count), clients)


def test_requests_that_no_machine_can_take_are_refused_and_the_rest_served():
    run = simulate(workload([100, 0, 100, 426_700, 100, 100], [10, 10, 0, 100, 1, 10]), LAYOUT)
    assert run.requests.outcomes() == {
        "served": 3,
        "rejected: larger than the KV memory": 1,
        "rejected: empty prompt": 1,
        "rejected: no output asked for": 1,
    }
    assert np.array_equal(np.flatnonzero(~run.requests.served), [1, 2, 3])
    assert np.all(np.isnan(run.requests.tpot[~run.requests.served]))


@pytest.mark.parametrize("inputs, outputs", [([0] * 50, [10] * 50), ([10] * 50, [0] * 50), ([10**9] * 50, [10] * 50)])
@pytest.mark.parametrize("clients", [0, 1, 7])
def test_a_load_of_nothing_but_refusals_ends(inputs, outputs, clients):
    run = simulate(workload(inputs, outputs, clients), LAYOUT)
    assert sum(run.requests.outcomes().values()) == 50 and not run.requests.served.any() and not run.cut_off


def test_separated_machines_refuse_by_the_memory_that_each_phase_needs():
    small = replace(ENGINE, kv_capacity=1000)
    layout = Separated(small, replace(ENGINE, kv_capacity=600), 131_072, 50e9)
    run = simulate(workload([500, 500, 900, 1001], [100, 101, 1, 1]), layout)
    assert list(run.requests.served) == [True, False, True, False]


def test_one_seat_serves_one_after_the_other():
    run = simulate(
        Traffic(AllAtOnce(), Fixed(100, 20), 30), OnePhase(Engine(COSTS, seats=1, budget=1, kv_capacity=120))
    )
    rows = run.requests
    assert rows.served.all() and np.allclose(rows.prefill_start[1:], rows.finish[:-1])


def test_an_overload_without_end_is_cut_with_a_sentence():
    run = simulate(Traffic(Poisson(1000.0), Fixed(100, 100), 5000), LAYOUT, jump=False, most_rounds=3000)
    assert run.cut_off and run.rounds == 3000
    assert "cut after 3,000 rounds" in run.notes[-1] and "of 5,000 requests have no outcome" in run.notes[-1]
    unfinished = run.requests.outcomes()["unfinished"]
    assert 0 < unfinished < 5000 and np.all(np.isnan(run.requests.finish[~run.requests.served]))


def test_a_prompt_of_billions_of_tokens_is_cut_and_not_waited_for():
    engine = Engine(COSTS, seats=1, budget=1, kv_capacity=10**13)
    run = simulate(workload([10**12], [10]), OnePhase(engine), most_rounds=50_000)
    assert run.requests.outcomes() == {"unfinished": 1}


def test_a_closed_loop_that_is_cut_says_which_requests_were_never_sent():
    run = simulate(Traffic(Clients(4), Fixed(100, 100), 200), LAYOUT, most_rounds=20)
    assert np.isnan(run.requests.arrival).any() and np.isfinite(run.requests.arrival[:4]).all()


def test_a_load_ten_times_too_high_ends_with_every_request_served():
    run = simulate(Traffic(Poisson(400.0), Lognormal(512, 256), 2000), LAYOUT)
    assert run.requests.served.all()


SENTENCES = [
    (lambda: Traffic(Poisson(0.0), Fixed(1, 1)).draw(), "at 0 nobody ever comes"),
    (lambda: Traffic(Poisson(-1.0), Fixed(1, 1)).draw(), "above 0 requests per s"),
    (lambda: Traffic(Poisson(np.nan), Fixed(1, 1)).draw(), "above 0 requests per s"),
    (lambda: Traffic(Poisson(np.inf), Fixed(1, 1)).draw(), "above 0 requests per s"),
    (lambda: Traffic(Bursty(1.0, 0.0), Fixed(1, 1)).draw(), "burstiness"),
    (lambda: Traffic(Clients(0), Fixed(1, 1)).draw(), "one client or more"),
    (lambda: Traffic(Clients(2, -1.0), Fixed(1, 1)).draw(), "0 s or more"),
    (lambda: Traffic(Poisson(1.0), Fixed(1, 1), 0).draw(), "one request or more"),
    (lambda: Traffic(Poisson(1.0), Fixed(-1, 1)).draw(), "counts of 0 or more"),
    (lambda: Traffic(Poisson(1.0), Lognormal(0, 1)).draw(), "1 token or more"),
    (lambda: Traffic(Poisson(1.0), Geometric(1, 0.5)).draw(), "1 token or more"),
    (lambda: Production(load=0.0).draw(), "at 0 nobody ever comes"),
    (lambda: Production("Azure 2099").draw(), "Azure 2023 conversation"),
    (lambda: Production(load=1e-9).draw(), "no request falls into"),
    (lambda: Workload(np.array([1.0, 0.5]), np.array([1, 1]), np.array([1, 1]), np.zeros(2)), "rising order"),
    (lambda: Workload(np.array([np.nan]), np.array([1]), np.array([1]), np.zeros(1)), "Arrival times"),
    (lambda: Workload(np.array([]), np.array([]), np.array([]), np.array([])), "at least one request"),
    (lambda: Workload(np.zeros(2), np.ones(1), np.ones(2), np.zeros(2)), "equally long"),
    (lambda: workload([1, 1], [1, 1], 1).faster(2), "closed loop"),
    (lambda: Engine(COSTS, seats=0), "seats must be a whole number"),
    (lambda: Engine(COSTS, seats=64, budget=63), "every running answer takes one token a pass"),
    (lambda: Engine(COSTS, kv_capacity=0.5), "kv_capacity must be a whole number"),
    (lambda: PassCosts(step=-1.0, weights=0, kv_read=0, token=1), "'step' of a pass must be 0 s or more"),
    (lambda: PassCosts(step=0, weights=0, kv_read=0, token=0), "must take some time"),
    (
        lambda: PassCosts.from_roofline(
            linear_parameters=1e9,
            output_parameters=1e8,
            weight_bytes=1e9,
            kv_bytes_per_token=1,
            layers=2,
            heads=2,
            head_dim=64,
            flop_rate=1e12,
            bandwidth=1e12,
            mfu=1.2,
        ),
        "mfu 1.2",
    ),
    (lambda: kv_tokens(10e9, 16e9, 131_072), "leave no room"),
    (lambda: OnePhase(ENGINE, 0), "replicas must be a whole number"),
    (lambda: OnePhase(ENGINE, routing="random"), "'least loaded' or 'round robin'"),
    (lambda: OnePhase(ENGINE, front_delay=-1), "front_delay"),
    (lambda: Separated(ENGINE, ENGINE, 131_072, 0.0), "bandwidth must be above 0"),
    (lambda: Separated(ENGINE, ENGINE, 131_072, 1e9, link_latency=-1.0), "link_latency"),
    (lambda: simulate(workload([1], [1]), LAYOUT, patience=0.0), "patience must be above 0 s"),
    (lambda: with_value(Case(None, LAYOUT), "layout.speed", 1), "no setting 'speed'"),
    (lambda: capacity(Case(None, LAYOUT), 0.9, 1, 2), "give the case a share_good"),
    (lambda: capacity(Case(None, LAYOUT, share_good=len), 1.5, 1, 2), "attainment"),
    (lambda: capacity(Case(None, LAYOUT, share_good=len), 0.9, 0, 2, RATE), "0 < low < high"),
]


@pytest.mark.parametrize("call, part", SENTENCES)
def test_meaningless_input_gets_one_sentence(call, part):
    with pytest.raises(ValueError) as caught:
        call()
    assert part in str(caught.value) and "\n" not in str(caught.value)
