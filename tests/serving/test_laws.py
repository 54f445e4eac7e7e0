"""Laws on every run, over random machines and workloads: nothing is lost, nothing goes backwards, and all ways of
running it agree."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from explainer.serving import compile as machine_code
from explainer.serving import laws, state
from explainer.serving.costs import PassCosts
from explainer.serving.layout import Engine, OnePhase, Separated
from explainer.serving.lengths import Lognormal
from explainer.serving.simulate import simulate
from explainer.serving.workload import AllAtOnce, Bursty, Clients, Poisson, Traffic, Workload

# Numbers without a common divisor, so that no arrival falls on the end of a pass but where the engine itself puts it.
COSTS = PassCosts(step=0.00073, weights=0.00311, kv_read=1.37e-6, token=3.3e-5, emit=2.1e-6, pair=1.7e-9)
BY_ARITHMETIC = PassCosts(step=0.00073, weights=0.00011, kv_read=1.37e-8, token=3.3e-5, emit=2.1e-6, pair=1.7e-7)
CROSSING = PassCosts(step=0.00073, weights=0.00311, kv_read=1.37e-9, token=3.3e-5, emit=2.1e-6, pair=1.7e-5)


@st.composite
def engines(draw):
    seats = draw(st.sampled_from([1, 2, 5, 16]))
    return Engine(
        draw(st.sampled_from([COSTS, BY_ARITHMETIC, CROSSING])),
        seats,
        seats + draw(st.sampled_from([0, 1, 7, 60, 500])),
        draw(st.sampled_from([150, 400, 1_000, 20_000])),
    )


@st.composite
def layouts(draw):
    common = {
        "routing": draw(st.sampled_from(["least loaded", "round robin"])),
        "front_delay": draw(st.sampled_from([0.0, 0.0171])),
    }
    if draw(st.booleans()):
        return OnePhase(draw(engines()), draw(st.integers(1, 3)), **common)
    return Separated(
        draw(engines()),
        draw(engines()),
        1000.0,
        draw(st.sampled_from([1e5, 1e7, 1e10])),
        0.00137,
        draw(st.integers(1, 2)),
        draw(st.integers(1, 2)),
        **common,
    )


@st.composite
def workloads(draw):
    count = draw(st.integers(1, 40))
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    clients = draw(st.sampled_from([0, 0, 1, 3, 10]))
    arrival = np.cumsum(rng.exponential(draw(st.sampled_from([0.001, 0.02, 0.3])), count))
    if clients:
        arrival[min(clients, count) :] = np.nan
    think = np.full(count, draw(st.sampled_from([0.0, 0.0531])))
    longest = draw(st.sampled_from([3, 40, 300]))
    return Workload(arrival, rng.integers(0, longest + 1, count), rng.integers(0, longest + 1, count), think, clients)


patiences = st.sampled_from([np.inf, np.inf, 0.0193, 0.311])


@settings(max_examples=300, deadline=None)
@given(workloads(), layouts(), patiences)
def test_every_run_keeps_the_laws(workload, layout, patience):
    run = simulate(workload, layout, patience=patience, compiled=False)
    rows, served = run.requests, run.requests.served
    assert not run.cut_off and set(rows.outcome) <= set(range(state.UNFINISHED))

    # The clock only goes forward, and each refusal and time-out has its moment.
    answered = rows.take(served)
    assert np.all(answered.arrival + layout.front_delay <= answered.prefill_start)
    assert np.all(answered.prefill_start < answered.first_token) and np.all(answered.first_token <= answered.finish)
    assert np.all((answered.first_token == answered.finish) == (answered.output_tokens == 1))
    gave_up = rows.take(rows.outcome == state.TIMED_OUT)
    assert np.allclose(gave_up.finish - gave_up.arrival, patience + layout.front_delay, atol=1e-9)
    assert np.all(answered.prefill_start - answered.arrival - layout.front_delay <= patience + 1e-9)
    refused = rows.take((rows.outcome != state.TIMED_OUT) & ~served)
    assert np.allclose(refused.e2e, layout.front_delay) and np.all(np.isnan(refused.ttft))

    # The parts of TTFT are no less than nothing and add up.
    parts = [answered.front, answered.in_flight, answered.queue, answered.prefill]
    assert all(np.all(part >= 0) for part in parts)
    assert np.allclose(sum(parts), answered.ttft, rtol=1e-12, atol=1e-12)

    # Tokens: every prompt token is read once, every later token takes one pass, every gap is counted.
    following = answered.output_tokens - 1
    assert run.servers["tokens"].sum() == answered.input_tokens.sum() + following.sum()
    assert run.gaps.bins.sum() == following.sum() and np.all(run.gaps.bins >= 0)
    several = answered.take(following > 0)
    assert np.all(several.worst_gap >= several.tpot - 1e-12) and np.all(
        several.worst_gap <= several.e2e - several.ttft + 1e-12
    )
    assert np.all(np.isnan(rows.worst_gap[~served | (rows.output_tokens <= 1)]))

    # Memory and seats are never exceeded and all given back; no machine does more than it can.
    for engine, server in zip(layout.engines, run.servers):
        assert server["kv_peak"] <= engine.kv_capacity and server["seats_peak"] <= engine.seats
        assert (
            server["kv_used"] == 0
            and server["seats_used"] == 0
            and server["load"] == 0
            and server["decodes"] == 0
            and server["context"] == 0
        )
        assert server["passes"] * (engine.costs.step + engine.costs.weights) <= server["busy"] * (1 + 1e-9)
        assert server["tokens"] * engine.costs.token <= server["busy"] * (1 + 1e-9)

    in_system, rate_times_time = laws.little(run)
    assert (np.isnan(in_system) and np.isnan(rate_times_time)) or in_system == pytest.approx(rate_times_time, rel=1e-9)


@settings(max_examples=150, deadline=None)
@given(workloads(), engines(), patiences)
def test_one_server_is_first_come_first_served_conserves_work_and_holds_what_its_rows_say(workload, engine, patience):
    run = simulate(workload, OnePhase(engine), patience=patience, compiled=False)
    answered = run.requests.take(run.requests.served)
    order = np.argsort(answered.arrival, kind="stable")
    assert np.all(np.diff(answered.prefill_start[order]) >= 0) and np.all(np.diff(answered.first_token[order]) >= 0)

    # Busy exactly while somebody is there.
    there = run.requests.take(run.requests.served | (run.requests.outcome == state.TIMED_OUT))
    covered, until = 0.0, 0.0
    for start, end in sorted(zip(there.arrival, there.finish)):
        covered += max(0.0, end - max(start, until))
        until = max(until, end)
    assert run.servers["busy"][0] == pytest.approx(covered, rel=1e-9, abs=1e-9)

    # What the rows hold between start and finish never exceeds the engine, and peaks where the loop says.
    for amounts, limit, peak in (
        (answered.input_tokens + answered.output_tokens, engine.kv_capacity, "kv_peak"),
        (np.ones(len(answered), int), engine.seats, "seats_peak"),
    ):
        changes = sorted(
            [(end, 0, -amount) for end, amount in zip(answered.finish, amounts)]
            + [(start, 1, amount) for start, amount in zip(answered.prefill_start, amounts)]
        )
        level, highest = 0, 0
        for _, _, change in changes:
            level += change
            highest = max(highest, level)
        assert highest <= limit and highest == run.servers[peak][0]


def tied(run, other) -> bool:
    """Whether a request came in the very moment in which a pass ends: rounding decides on which side, and both are right."""
    one, two = run.requests.in_flight, other.requests.in_flight
    return bool(np.any(~np.isclose(one, two, rtol=1e-9, atol=1e-9, equal_nan=True) & (np.fmin(one, two) <= 1e-9)))


def same(run, other):
    """Whether two runs tell the same story, to the rounding of sums."""
    for column in fields(run.requests):
        np.testing.assert_allclose(
            getattr(run.requests, column.name),
            getattr(other.requests, column.name),
            rtol=1e-9,
            atol=1e-9,
            err_msg=column.name,
        )
    assert run.gaps.bins.sum() == other.gaps.bins.sum()
    # Rounding may carry a gap across the edge of a bin, and no further.
    np.testing.assert_allclose(
        run.gaps.counts().cumsum()[1:], other.gaps.counts().cumsum()[1:], atol=run.gaps.bins.max() + 1
    )
    assert run.end == pytest.approx(other.end, rel=1e-9) and run.requests_seconds == pytest.approx(
        other.requests_seconds, rel=1e-9
    )


@settings(max_examples=200, deadline=None)
@given(workloads(), layouts(), patiences)
def test_jumping_and_stepping_agree(workload, layout, patience):
    jumped, stepped = (
        simulate(workload, layout, patience=patience, jump=jump, compiled=False) for jump in (True, False)
    )
    assume(not tied(jumped, stepped))
    same(jumped, stepped)
    assert jumped.rounds <= stepped.rounds


BIG = OnePhase(Engine(COSTS, 64, 512, 40_000))
MIXED = [
    (BIG, Poisson(12.0), np.inf),
    (BIG, Bursty(12.0, 3.0), 1.5),
    (BIG, Clients(40, 0.5), np.inf),
    (BIG, AllAtOnce(), 9.0),
    (OnePhase(BIG.engine, 3), Poisson(50.0), np.inf),
    (Separated(BIG.engine, BIG.engine, 1e5, 5e8, 1e-3, 2, 1), Poisson(12.0), np.inf),
]


@pytest.mark.parametrize("layout, arrivals, patience", MIXED)
def test_jumping_stepping_compiled_and_plain_agree_on_longer_runs(layout, arrivals, patience):
    traffic = Traffic(arrivals, Lognormal(300, 80), 1500, seed=4)
    reference = simulate(traffic, layout, patience=patience, jump=False, compiled=False)
    ways = [(True, False)] + ([(True, True), (False, True)] if machine_code.can_compile() else [])
    for jump, compiled in ways:
        same(reference, simulate(traffic, layout, patience=patience, jump=jump, compiled=compiled))
    in_system, rate_times_time = laws.little(reference)
    assert in_system == pytest.approx(rate_times_time, rel=1e-9)


@pytest.mark.parametrize("clients, think", [(1, 0.0), (8, 0.0), (40, 2.0), (150, 1.0)])
def test_a_closed_loop_keeps_the_interactive_law(clients, think):
    """R = N / X - Z, within what the ends of the window cost: one response time over the window."""
    run = simulate(Traffic(Clients(clients, think), Lognormal(300, 80), 20_000, seed=6), BIG)
    measured, by_law = laws.interactive(run, think, start=0.05 * run.end)
    assert by_law == pytest.approx(measured, rel=0.01)


def test_the_same_seed_gives_the_same_run_and_another_seed_another():
    first, again, other = (simulate(Traffic(Poisson(10.0), Lognormal(300, 80), 300, seed), BIG) for seed in (1, 1, 2))
    assert np.array_equal(first.requests.finish, again.requests.finish)
    assert not np.array_equal(first.requests.finish, other.requests.finish)
