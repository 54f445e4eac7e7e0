"""Which way each formula moves, and where it ends, on random inputs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explainer.formulas import (
    agents,
    closed_loop,
    concurrency,
    decode,
    goodput,
    memory,
    moe,
    offload,
    parallel,
    prefill,
    queueing,
    roofline,
    speculative,
)
from tests.formulas.inventory import BY_NAME

UP = {  # arguments that never lower the result; all the others named in DOWN never raise it
    "timing.completion_time": "ttft tpot output_tokens",
    "timing.tpot": "end_to_end",
    "timing.tokens_within": "deadline",
    "timing.tpot_for_deadline": "deadline",
    "speedup.accelerated_time": "fixed stage",
    "speedup.overall_speedup": "stage stage_speedup",
    "roofline.operation_time": "flops bytes_moved",
    "roofline.critical_batch": "flop_rate bytes_per_weight",
    "prefill.attention_flops": "new_tokens cached_tokens layers",
    "prefill.prefill_flops": "new_tokens cached_tokens linear_parameters",
    "prefill.prefill_time": "flops weight_bytes overhead",
    "decode.decode_step_time": "batch context_tokens weight_bytes layer_overhead",
    "decode.decode_step_time_in_turn": "batch context_tokens weight_bytes layer_overhead",
    "memory.kv_bytes_per_token": "kv_heads",
    "memory.kv_bytes_of_request": "context_tokens window",
    "memory.usable_memory": "memory usable_share",
    "memory.requests_that_fit": "memory",
    "concurrency.output_rate": "concurrency",
    "concurrency.frontier_rate": "bandwidth flop_rate",
    "offload.transfer_time": "latency size",
    "offload.exchange_time": "round_trips latency size",
    "offload.effective_bandwidth": "size bandwidth",
    "offload.offload_saving": "local overlap",
    "offload.streamed_step_time": "step streamed_bytes",
    "parallel.all_reduce_time": "accelerators size",
    "parallel.tensor_parallel_step_time": "step all_reduce",
    "parallel.pipeline_bubble": "stages",
    "moe.distinct_experts": "active batch",
    "speculative.expected_tokens": "acceptance draft_tokens",
    "speculative.speculative_speedup": "acceptance",
    "queueing.mg1_wait": "rate service_time service_variation",
    "queueing.erlang_c": "offered_load",
    "queueing.mgk_wait": "rate service_variation",
    "queueing.sakasegawa_wait": "rate arrival_variation service_variation",
    "queueing.wait_percentile": "percentile_share mean_wait",
    "closed_loop.throughput_bound": "clients peak_rate",
    "closed_loop.response_bound": "clients alone_time",
    "agents.chain_time": "steps step_time repeat_chance",
    "agents.any_beyond": "share_beyond calls",
    "agents.share_needed": "session_share calls",
    "agents.parallel_percentile": "percentile_share calls mean",
    "agents.sequential_share": "deadline",
    "agents.sequential_percentile": "mean",
}
DOWN = {
    "timing.generation_rate": "tpot",
    "timing.tokens_within": "ttft tpot",
    "timing.tpot_for_deadline": "ttft output_tokens",
    "speedup.accelerated_time": "stage_speedup",
    "speedup.overall_speedup": "fixed",
    "roofline.operation_time": "flop_rate bandwidth",
    "roofline.critical_batch": "bandwidth",
    "prefill.prefill_time": "flop_rate bandwidth mfu mbu",
    "decode.decode_step_time": "flop_rate bandwidth mfu mbu",
    "decode.decode_step_time_in_turn": "flop_rate bandwidth mfu mbu",
    "memory.usable_memory": "reserved_bytes",
    "memory.requests_that_fit": "weight_bytes kv_bytes_per_token context_tokens",
    "concurrency.output_rate": "ttft tpot",
    "concurrency.frontier_rate": "per_user_rate weight_bytes context_tokens",
    "offload.transfer_time": "bandwidth",
    "offload.offload_saving": "remote transfer coordination",
    "offload.effective_bandwidth": "latency",
    "offload.streamed_step_time": "bandwidth overlap",
    "parallel.pipeline_bubble": "microbatches",
    "speculative.speculative_speedup": "draft_cost",
    "speculative.operations_factor": "acceptance",
    "queueing.sakasegawa_wait": "servers",
    "closed_loop.throughput_bound": "alone_time think_time",
    "closed_loop.response_bound": "peak_rate",
    "agents.all_within": "calls",
    "agents.sequential_share": "mean",
}
MOVES = [
    (name, argument, sign)
    for table, sign in ((UP, 1), (DOWN, -1))
    for name, arguments in table.items()
    for argument in arguments.split()
]


@pytest.mark.parametrize("name, argument, sign", MOVES, ids=[f"{n}-{a}{'+' if s > 0 else '-'}" for n, a, s in MOVES])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_monotony(name, argument, sign, data):
    formula = BY_NAME[name]

    def near(key, factor):
        is_share = formula.values[key] < 1 and not formula.units[key]
        return min(formula.values[key] * factor, 0.999) if is_share else formula.values[key] * factor

    factors = {key: 1 if key in formula.scalar_only else data.draw(st.floats(0.9, 1.04)) for key in formula.values}
    start = {key: near(key, factor) for key, factor in factors.items()}
    before = float(formula(**start))
    after = float(formula(**{**start, argument: near(argument, factors[argument] * data.draw(st.floats(1, 1.04)))}))
    assert not np.isnan([before, after]).any()
    assert sign * (after - before) >= -1e-9 * abs(before)


# Limits

sizes = st.floats(1e3, 1e13)
rates = st.floats(1e6, 1e17)


@given(sizes, rates, sizes, rates)
def test_a_roofline_is_its_slower_side(flops, flop_rate, bytes_moved, bandwidth):
    time = roofline.operation_time(flops, flop_rate, bytes_moved, bandwidth)
    assert time == max(flops / flop_rate, bytes_moved / bandwidth)
    assert roofline.mfu(flops, time, flop_rate) <= 1 + 1e-12 and roofline.mbu(bytes_moved, time, bandwidth) <= 1 + 1e-12
    limited_by_memory = roofline.arithmetic_intensity(flops, bytes_moved) < roofline.ridge_intensity(
        flop_rate, bandwidth
    )
    assert limited_by_memory == (flops / flop_rate < bytes_moved / bandwidth) or flops / flop_rate == pytest.approx(
        bytes_moved / bandwidth
    )


@given(st.integers(1, 10_000), st.integers(0, 10_000), st.integers(1, 10_000))
def test_prefill_in_two_parts_does_the_work_of_one(first, cached, second):
    """The causal half and the cached prefix fit together: reading n then m tokens is reading n + m."""
    shape = dict(layers=32, heads=32, head_dim=128)
    in_two = prefill.attention_flops(first, cached, **shape) + prefill.attention_flops(second, cached + first, **shape)
    assert in_two == pytest.approx(prefill.attention_flops(first + second, cached, **shape), rel=1e-12)


@given(st.integers(1, 512), st.integers(1, 100_000))
def test_reading_caches_first_is_never_faster_and_never_more_than_twice_as_slow(batch, context):
    shape = (1.4e11, 327_680, 1.4e11, 8e15, 2.6e13)
    together, in_turn = (
        decode.decode_step_time(batch, context, *shape),
        decode.decode_step_time_in_turn(batch, context, *shape),
    )
    assert together <= in_turn * (1 + 1e-12) and in_turn <= 2 * together * (1 + 1e-12)


@given(st.floats(0, 1), st.floats(0, 1))
def test_joint_bounds_hold_any_joint_share(a, b):
    low, high = goodput.joint_bounds(a, b)
    assert 0 <= low <= a * b + 1e-12 and a * b <= high + 1e-12 and high == min(a, b)


@given(st.integers(0, 500), st.integers(1, 500), st.floats(0.5, 0.999))
def test_wilson_interval_contains_the_share_and_narrows(good, more, confidence):
    attempted = good + more
    low, high = goodput.wilson_interval(good, attempted, confidence)
    wider = goodput.wilson_interval(good, attempted, 0.9999)
    longer = goodput.wilson_interval(10 * good, 10 * attempted, confidence)
    assert 0 <= low <= good / attempted <= high <= 1
    assert wider[0] <= low and high <= wider[1]
    assert longer[1] - longer[0] < high - low


@given(st.floats(0.5, 1), st.floats(0.5, 0.999), st.floats(0.6, 0.99))
def test_with_the_requests_needed_the_interval_just_decides(observed, target, confidence):
    if abs(observed - target) < 1e-3:
        return
    needed = goodput.requests_needed(observed, target, confidence)
    low, high = goodput.wilson_interval(observed * needed, needed, confidence)
    assert (low if observed > target else high) == pytest.approx(target, abs=1e-9)


@given(st.floats(0, 0.98), st.integers(1, 40))
def test_many_servers_reduce_to_one_and_wait_less(load, servers):
    assert queueing.mmk_wait(load, 1, 1) == pytest.approx(queueing.mm1_wait(load, 1), rel=1e-9)
    assert queueing.erlang_c(load, 1) == pytest.approx(load, rel=1e-9)
    assert queueing.mgk_wait(load, 1, 2.0, 1) == pytest.approx(queueing.mg1_wait(load, 1, 2.0), rel=1e-9)
    assert queueing.sakasegawa_wait(load, 1, 1, 1, 1) == pytest.approx(queueing.mm1_wait(load, 1), rel=1e-9)
    assert queueing.mmk_wait(load * servers, 1, servers) <= queueing.mm1_wait(load, 1) * (1 + 1e-9)


@given(st.floats(1, 500), st.floats(0.1, 20), st.floats(0, 20), st.floats(0.1, 10))
def test_closed_loop_bounds_meet_at_the_knee(clients, alone, think, peak):
    knee = closed_loop.knee_clients(alone, think, peak)
    assert closed_loop.throughput_bound(knee, alone, think, peak) == pytest.approx(peak)
    response = closed_loop.response_bound(clients, alone, think, peak)
    assert response == pytest.approx(max(alone, clients / peak - think), rel=1e-6, abs=1e-9)
    throughput = closed_loop.throughput_bound(clients, alone, think, peak)
    assert concurrency.requests_in_flight(throughput, response + think) == pytest.approx(clients)


@given(st.floats(0, 1), st.integers(0, 12))
def test_expected_tokens_are_the_sum_of_the_chances_to_get_that_far(acceptance, drafted):
    assert speculative.expected_tokens(acceptance, drafted) == pytest.approx(
        sum(acceptance**i for i in range(drafted + 1))
    )


@given(st.integers(1, 256), st.data())
def test_distinct_experts_of_one_token_and_of_many(experts, data):
    active = data.draw(st.integers(1, experts))
    assert moe.distinct_experts(experts, active, 1) == pytest.approx(active)
    assert moe.distinct_experts(experts, active, 100_000) == pytest.approx(experts)


@given(st.integers(2, 64), st.floats(1, 1e9))
def test_an_all_reduce_is_a_scatter_and_a_gather(accelerators, size):
    whole = parallel.all_reduce_time(accelerators, size, 1e-6, 4.5e11)
    assert whole == pytest.approx(2 * parallel.all_gather_time(accelerators, size, 1e-6, 4.5e11))
    assert whole <= 2 * (accelerators - 1) * 1e-6 + 2 * size / 4.5e11


@given(st.floats(1e-6, 1e-3), st.floats(1e6, 1e12))
def test_half_the_bandwidth_is_reached_at_the_half_bandwidth_size(latency, bandwidth):
    size = offload.half_bandwidth_size(latency, bandwidth)
    assert offload.effective_bandwidth(latency, size, bandwidth) == pytest.approx(bandwidth / 2)
    assert offload.effective_bandwidth(latency, 1e6 * size, bandwidth) == pytest.approx(bandwidth, rel=1e-5)


@given(st.floats(1e-6, 1e-3), st.floats(1e3, 1e9), st.floats(2e-3, 10))
def test_at_the_break_even_bandwidth_nothing_is_saved(latency, size, time_saved):
    bandwidth = offload.break_even_bandwidth(size, latency, time_saved)
    transfer = offload.transfer_time(latency, size, bandwidth)
    assert offload.offload_saving(time_saved, 0, transfer, 0, 0) == pytest.approx(0, abs=1e-9)


@given(st.floats(0.5, 0.999), st.integers(1, 20), st.floats(1e-3, 10))
def test_sequential_percentile_inverts_the_share(percentile, calls, mean):
    time = agents.sequential_percentile(percentile, calls, mean)
    assert agents.sequential_share(time, calls, mean) == pytest.approx(percentile, abs=1e-9)
    if percentile > 0.9:
        assert time <= calls * agents.parallel_percentile(percentile, 1, mean) * (1 + 1e-9), "not all are slow together"


@given(st.integers(1, 6))
def test_convolution_of_exponentials_is_the_erlang_distribution(calls):
    step = 0.01
    single = np.diff(1 - np.exp(-np.arange(0, 40, step)))
    single = single / single.sum()
    total = np.cumsum(agents.total_distribution(single, calls))
    for deadline in (1.0, 4.0, 9.0):
        index = int(round(deadline / step)) - 1
        assert total[index] == pytest.approx(agents.sequential_share(deadline, calls, 1), abs=0.02)
    assert len(total) == calls * (len(single) - 1) + 1 and total[-1] == pytest.approx(1)


@given(st.integers(1, 5000), st.integers(1, 2000))
def test_planning_by_the_average_always_admits_more(input_tokens, output_tokens):
    fit = [
        memory.requests_that_fit(1e11, 1.6e10, 131_072, context(input_tokens, output_tokens))
        for context in (memory.peak_context, memory.average_context)
    ]
    assert fit[0] < fit[1] < 2 * fit[0]
