"""What figures are fed with: lists that JSON can carry, the same as the runs behind them."""

import json
import zlib

import numpy as np
import pytest

from explainer.serving import feeds
from explainer.serving.examples import small_engine, small_engine_kv_bytes
from explainer.serving.layout import OnePhase, Separated
from explainer.serving.lengths import Fixed, Lognormal
from explainer.serving.production import Production
from explainer.serving.simulate import simulate
from explainer.serving.workload import Poisson, Traffic

LAYOUT, LENGTHS = OnePhase(small_engine()), Lognormal(512, 256)


def test_curves_over_rate_are_the_runs_percentiles():
    curve = feeds.by_rate(LAYOUT, LENGTHS, [5, 30, 60], count=500)
    assert curve["value"] == [5, 30, 60]
    ttft = simulate(Traffic(Poisson(30), LENGTHS, 500), LAYOUT).requests.ttft
    assert curve["ttft_p95"][1] == pytest.approx(np.percentile(ttft, 95), rel=1e-12)
    assert curve["backlog"][0] < 20 < 100 < curve["backlog"][2], "an overload leaves a queue behind"
    parts = [sum(curve[name][place] for name in ("front", "in_flight", "queue", "prefill")) for place in range(3)]
    assert parts == pytest.approx(curve["ttft_mean"], rel=1e-9)


def test_every_feed_is_json_with_null_for_undefined():
    apart = Separated(small_engine(8192), small_engine(), small_engine_kv_bytes(), 50e9)
    fed = {
        "rate": feeds.by_rate(LAYOUT, Fixed(100, 1), [5.0], count=50),
        "clients": feeds.by_clients(LAYOUT, LENGTHS, [1, 8], think=0.5, count=50),
        "budget": feeds.by_budget(LAYOUT, LENGTHS, 5.0, [256, 512], count=50),
        "layout": feeds.by_layout({"a": LAYOUT, "b": apart}, LENGTHS, [5.0], count=50),
        "hour": feeds.hour(LAYOUT, 0.5, minutes=3),
    }
    read = json.loads(json.dumps(fed, allow_nan=False))
    assert read["rate"]["tpot_p50"] == [None] and read["rate"]["gap_p99"] == [None], "one-token answers have no TPOT"
    assert read["clients"]["value"] == [1, 8] and set(read["layout"]) == {"a", "b"}


def test_the_good_share_is_the_callers_own_definition():
    curve = feeds.by_rate(
        LAYOUT, LENGTHS, [5.0, 60.0], count=400, share_good=lambda run: np.mean(run.requests.ttft < 0.2)
    )
    assert curve["good"][0] == 1.0 and curve["good"][1] < 0.9


def test_an_hour_is_told_minute_by_minute():
    hour = feeds.hour(LAYOUT, 1.0, minutes=10)
    arrivals = Production(minutes=10).draw().arrival
    assert hour["minutes"]["minute"] == list(range(10))
    assert hour["minutes"]["arrivals"] == np.histogram(arrivals, np.arange(0, 601, 60))[0].tolist()
    assert sum(hour["minutes"]["served"]) == hour["whole"]["served"] and "Azure 2023 conversation" in hour["notes"][0]


def feed_for_grid(load, budget):
    """A curve at one load and budget: module-level, as an executor would want it."""
    return feeds.by_rate(OnePhase(small_engine(budget)), LENGTHS, [10 * load, 20 * load], count=100)


def test_a_grid_holds_every_combination_and_is_small():
    axes = {"load": [0.5, 1.0, 1.5], "budget": [512, 2048]}
    grid = feeds.grid(feed_for_grid, axes, ["ttft_p95", "gap_p99"])
    assert grid["axes"] == axes and len(grid["results"]["ttft_p95"]) == 6
    one = feed_for_grid(1.0, 2048)
    assert grid["results"]["ttft_p95"][3] == [pytest.approx(value, rel=0.005) for value in one["ttft_p95"]], (
        "last axis fastest"
    )
    assert grid["results"]["gap_p99"][3] == [float(f"{value:.3g}") for value in one["gap_p99"]]
    assert len(zlib.compress(json.dumps(grid, allow_nan=False).encode())) < 1000
    with pytest.raises(ValueError, match="at least one axis"):
        feeds.grid(feed_for_grid, {}, ["ttft_p95"])
