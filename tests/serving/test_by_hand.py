"""Schedules short enough to follow with a pencil: every pass takes 1 s, whatever is in it."""

import numpy as np
import pytest

from explainer.serving.costs import PassCosts
from explainer.serving.layout import Engine, OnePhase, Separated
from explainer.serving.simulate import simulate
from explainer.serving.workload import Workload

SECOND = PassCosts(step=1.0, weights=0.0, kv_read=0.0, token=0.0)


def engine(seats=8, budget=16, kv_capacity=1000):
    return Engine(SECOND, seats, budget, kv_capacity)


def play(layout, *requests, clients=0, think=0.0, **options):
    """(arrival, input tokens, output tokens) each; the same stepping and jumping, or the test stops here."""
    arrival, inputs, outputs = (np.array(column) for column in zip(*requests))
    workload = Workload(arrival.astype(float), inputs, outputs, np.full(len(arrival), think), clients)
    jumped, stepped = (simulate(workload, layout, jump=jump, compiled=False, **options) for jump in (True, False))
    for name in ("prefill_start", "first_token", "finish", "outcome"):
        np.testing.assert_allclose(getattr(jumped.requests, name), getattr(stepped.requests, name))
    return jumped


def test_decodes_take_one_token_each_and_prompts_the_rest_in_order():
    """Budget 4. 0-1: four of A's six prompt tokens. 1-2: A's other two and two of B's three. 2-3: a token of A, B's
    last. 3-4: both."""
    run = play(OnePhase(engine(seats=4, budget=4)), (0.0, 6, 3), (0.5, 3, 2))
    rows = run.requests
    assert list(rows.prefill_start) == [0, 1] and list(rows.first_token) == [2, 3] and list(rows.finish) == [4, 4]
    assert list(rows.in_flight) == [0, 0.5] and list(rows.queue) == [0, 0] and list(rows.prefill) == [2, 2]
    assert run.gaps.counts("beside a prompt").sum() == 1 and run.gaps.counts("decode only").sum() == 2


def test_memory_is_reserved_for_the_whole_answer_and_nobody_overtakes():
    """Memory for 10 tokens. A holds 6 until 2 s; B needs 8 and waits; C needs 2 and waits behind B, then fits beside
    it."""
    rows = play(OnePhase(engine(kv_capacity=10)), (0.0, 4, 2), (0.0, 6, 2), (0.0, 1, 1)).requests
    assert (
        list(rows.prefill_start) == [0, 2, 2] and list(rows.first_token) == [1, 3, 3] and list(rows.finish) == [2, 4, 3]
    )
    assert list(rows.queue) == [0, 2, 2] and list(rows.in_flight) == [0, 0, 0]


def test_a_long_jump_stops_at_the_pass_in_which_somebody_arrives():
    run = play(OnePhase(engine()), (0.0, 1, 50), (10.25, 1, 2), (30.0, 1, 1))
    rows = run.requests
    assert list(rows.prefill_start) == [0, 11, 30] and list(rows.finish) == [50, 13, 31]
    assert list(rows.in_flight) == [0, 0.75, 0] and run.rounds < 15


def test_a_queue_loses_those_who_run_out_of_patience_and_keeps_the_others():
    """One seat, taken until 10 s; B and C give up 3 s after they came; D has waited 1.8 s when the seat is free."""
    run = play(OnePhase(engine(seats=1)), (0.0, 1, 10), (0.5, 1, 1), (1.0, 1, 1), (8.2, 1, 1), patience=3.0)
    rows = run.requests
    assert run.requests.outcomes() == {"served": 2, "timed out": 2}
    assert list(rows.finish) == [10, 3.5, 4, 11] and np.isnan(rows.ttft[1:3]).all()
    assert rows.in_flight[3] + rows.queue[3] == pytest.approx(1.8)


def test_patience_ends_with_the_first_pass():
    """B is begun at 1 s and its prompt takes until 6 s: no longer in the queue, it is not cancelled."""
    rows = play(OnePhase(engine(seats=2, budget=2)), (0.0, 2, 1), (0.5, 10, 1), patience=1.0).requests
    assert list(rows.finish) == [1, 6] and rows.served.all()


def test_a_client_thinks_and_asks_again():
    rows = play(OnePhase(engine()), (0.0, 1, 2), (np.nan, 1, 2), (np.nan, 1, 2), clients=1, think=2.0).requests
    assert list(rows.arrival) == [0, 4, 8] and list(rows.finish) == [2, 6, 10]


def test_a_delay_before_the_queue_is_part_of_the_first_wait_and_of_the_loop():
    rows = play(OnePhase(engine(), front_delay=0.5), (0.0, 1, 2), (np.nan, 1, 2), clients=1, think=2.0).requests
    assert list(rows.arrival) == [0, 4.5] and list(rows.first_token) == [1.5, 6.0] and list(rows.front) == [0.5, 0.5]
    assert list(rows.ttft) == [1.5, 1.5]


@pytest.mark.parametrize("routing, start", [("least loaded", 1.5), ("round robin", 10.0)])
def test_routing(routing, start):
    """Two replicas with a seat each: A takes the first until 10 s, B the second until 1 s, C comes at 1.5 s."""
    rows = play(OnePhase(engine(seats=1), replicas=2, routing=routing), (0.0, 1, 10), (0.0, 1, 1), (1.5, 1, 1)).requests
    assert list(rows.prefill_start) == [0, 0, start]


def separated(prefill, decode):
    """10 bytes a token over 10 bytes/s and 0.5 s: a cache of two tokens is on the link for 2 s and there half a second
    later."""
    return Separated(prefill, decode, kv_bytes_per_token=10.0, link_bandwidth=10.0, link_latency=0.5)


def test_a_hand_over_pays_for_the_link_and_the_link_carries_one_at_a_time():
    """First tokens at 1 s. A's cache: sent 1-3, there at 3.5; tokens at 4.5 and 5.5. B's: sent 3-5, there at 5.5; token
    at 6.5."""
    run = play(separated(engine(), engine()), (0.0, 2, 3), (0.0, 2, 2))
    rows = run.requests
    assert list(rows.first_token) == [1, 1] and list(rows.finish) == [5.5, 6.5] and list(rows.worst_gap) == [3.5, 5.5]
    assert run.gaps.counts("hand-over").sum() == 2 and run.gaps.counts("decode only").sum() == 1
    assert run.gaps.percentile(100, "hand-over") == pytest.approx(5.5, rel=0.023)


def test_a_cache_stays_with_the_sender_until_it_is_over():
    """The prefill engine holds two prompts; C's starts when A's cache is gone, at 3.5 s. A one-token answer needs no
    hand-over."""
    rows = play(separated(engine(kv_capacity=4), engine()), (0.0, 2, 3), (0.0, 2, 2), (0.0, 2, 1)).requests
    assert list(rows.prefill_start) == [0, 0, 3.5] and rows.finish[2] == 4.5


def test_a_full_decode_engine_holds_the_prefill_engine_up():
    """One decode seat: A decodes from 3.5 to 5.5; only then B's cache is sent (5.5-7.5, there at 8) and decoded by
    9."""
    rows = play(separated(engine(kv_capacity=4), engine(seats=1)), (0.0, 2, 3), (0.0, 2, 2), (4.0, 2, 1)).requests
    assert list(rows.finish[:2]) == [5.5, 9.0]
    assert rows.prefill_start[2] == 4.0, "A's memory was free by then"


def test_two_decode_engines_share_by_load():
    layout = Separated(engine(), engine(), 10.0, 1e9, 0.0, prefill_replicas=1, decode_replicas=2)
    run = play(layout, (0.0, 1, 5), (0.0, 1, 5))
    assert list(run.servers["tokens"]) == [2, 4, 4]
