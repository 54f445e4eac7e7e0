"""Sweeps here and on executors, progress, and the search for a capacity."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from explainer.serving.capacity import capacity
from explainer.serving.examples import small_engine, small_engine_kv_bytes
from explainer.serving.layout import OnePhase, Separated
from explainer.serving.lengths import Lognormal
from explainer.serving.production import Production
from explainer.serving.summary import summarise
from explainer.serving.sweep import BUDGET, CONCURRENCY, LAYOUT, LOAD, RATE, Case, sweep, with_value
from explainer.serving.workload import Clients, Poisson, Traffic

CASE = Case(Traffic(Poisson(5.0), Lognormal(512, 256), 400), OnePhase(small_engine()))
RATES = [5.0, 20.0, 35.0]


@pytest.fixture(scope="module")
def here():
    return sweep(CASE, RATE, RATES)


def test_a_sweep_is_the_cases_one_by_one(here):
    assert [row["value"] for row in here] == RATES
    for row, rate in zip(here, RATES):
        assert {**summarise(with_value(CASE, RATE, rate).run()), "value": rate} == row
    assert here[0]["ttft_p99"] < here[2]["ttft_p99"] and here[0]["tpot_p50"] < here[2]["tpot_p50"]


@pytest.mark.parametrize(
    "path, case, values",
    [
        (CONCURRENCY, replace(CASE, traffic=replace(CASE.traffic, arrivals=Clients(1))), [1, 20, 100]),
        (BUDGET, CASE, [256, 1024, 8192]),
        (LOAD, replace(CASE, traffic=Production(minutes=3)), [0.5, 1.0, 2.0]),
        (
            LAYOUT,
            CASE,
            [
                OnePhase(small_engine()),
                OnePhase(small_engine(), 2),
                Separated(small_engine(), small_engine(), small_engine_kv_bytes(), 50e9),
            ],
        ),
    ],
)
def test_concurrency_budget_load_and_layout_can_be_swept(path, case, values):
    rows = sweep(case, path, values, progress=False)
    assert [row["value"] for row in rows] == values and len({row["e2e_mean"] for row in rows}) == 3
    assert all(row["served"] == row["attempted"] for row in rows)


def test_processes_give_the_same(here):
    with ProcessPoolExecutor(2) as executor:
        assert sweep(CASE, RATE, RATES, executor) == here


@pytest.mark.skipif(
    find_spec("distributed") is None, reason="Dask's distributed is an optional extra (explainer[cluster])"
)
def test_a_dask_cluster_gives_the_same(here):
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        assert sweep(CASE, RATE, RATES, client.get_executor()) == here


def test_progress_is_told_and_shown_on_terminals_only(here, capsys, monkeypatch):
    told = []
    sweep(CASE, RATE, RATES, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    sweep(CASE, RATE, RATES)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    sweep(CASE, RATE, RATES)
    assert capsys.readouterr().err.endswith("3 of 3 simulations\n")
    sweep(CASE, RATE, RATES, progress=False)
    assert capsys.readouterr().err == ""


def first_within_half_a_second(run):
    return np.mean(run.requests.served & (run.requests.ttft <= 0.5))


SEARCH = replace(CASE, traffic=replace(CASE.traffic, count=2000), share_good=first_within_half_a_second)


def test_a_capacity_is_bracketed_by_what_was_tried():
    found = capacity(SEARCH, 0.95, 5, 200)
    tried = dict(found.tried)
    assert 38 < found.value < 48, "the knee of test_phenomena lies at 42 to 44 a second"
    assert tried[found.value] == found.good >= 0.95 > tried[found.next_value]
    assert 1 < found.next_value / found.value <= 1.02 + 1e-9
    assert first_within_half_a_second(with_value(SEARCH, RATE, found.value).run()) == found.good
    with ThreadPoolExecutor(2) as executor:
        other = capacity(SEARCH, 0.95, 5, 200, executor=executor, points=3)
    assert other.value == pytest.approx(found.value, rel=0.03) and len(other.tried) > len(found.tried)


def test_a_capacity_in_clients_is_a_whole_number():
    closed = replace(SEARCH, traffic=replace(SEARCH.traffic, arrivals=Clients(1)))
    found = capacity(closed, 0.5, 100, 400, CONCURRENCY)
    assert isinstance(found.value, int) and (
        found.next_value - found.value == 1 or found.next_value / found.value <= 1.02
    )


def test_a_search_tells_how_far_it_is(capsys, monkeypatch):
    told = []
    found = capacity(SEARCH, 0.95, 30, 60, progress=told.append)
    assert told[0] == 2 and told[-1] == len(found.tried)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    capacity(SEARCH, 0.95, 30, 60)
    assert capsys.readouterr().err.endswith(f"{len(found.tried)} simulations\n")


def test_a_capacity_outside_the_bounds_is_said_and_not_guessed():
    below, above = capacity(SEARCH, 0.95, 60, 100), capacity(SEARCH, 0.95, 1, 10)
    assert np.isnan(below.value) and below.next_value == 60 and below.sentence.startswith("Even at 60 only")
    assert above.value == 10 and above.next_value == np.inf and "still good: the capacity lies above" in above.sentence
