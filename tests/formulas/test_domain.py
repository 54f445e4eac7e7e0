"""The edges of each formula's domain, as its docstring states them. A public formula without a row here fails the
test."""

import warnings

import numpy as np
import pytest

from explainer.formulas.agents import total_distribution
from explainer.formulas.domain import where_not_negative, whole_number
from tests.formulas.inventory import BY_NAME, NOT_ELEMENTWISE, public_functions

NAN, INF = float("nan"), float("inf")
SERVERS = "The number of servers must be one whole number of 1 or more, not {}."
CALLS = "The number of calls must be one whole number of 1 or more, not {}."

EDGES = [  # formula, arguments changed from the example in its domain, what it gives (a sentence: what it raises)
    ("timing.completion_time", dict(output_tokens=0), NAN),
    ("timing.completion_time", dict(output_tokens=1), 0.4),
    ("timing.tpot", dict(output_tokens=1), NAN),
    ("timing.tpot", dict(output_tokens=0), NAN),
    ("timing.generation_rate", dict(tpot=0), NAN),
    ("timing.crossover_tokens", dict(tpot_b=0.04), NAN),
    ("timing.crossover_tokens", dict(ttft_b=0.1), NAN),
    ("timing.crossover_tokens", dict(ttft_b=0.4), 1),
    ("timing.tokens_within", dict(deadline=0.3), 0),
    ("timing.tokens_within", dict(deadline=0.3, tpot=0), 0),
    ("timing.tokens_within", dict(tpot=0), NAN),
    ("timing.tpot_for_deadline", dict(output_tokens=1), NAN),
    ("timing.tpot_for_deadline", dict(deadline=0.3), NAN),
    ("speedup.accelerated_time", dict(stage_speedup=0), NAN),
    ("speedup.accelerated_time", dict(stage_speedup=-2), NAN),
    ("speedup.overall_speedup", dict(stage_speedup=0), NAN),
    ("speedup.overall_speedup", dict(fixed=0, stage=0), NAN),
    ("roofline.operation_time", dict(flop_rate=0), NAN),
    ("roofline.operation_time", dict(bandwidth=0, bytes_moved=0), NAN),
    ("roofline.operation_time", dict(flops=0, bytes_moved=0), 0),
    ("roofline.arithmetic_intensity", dict(bytes_moved=0), NAN),
    ("roofline.ridge_intensity", dict(bandwidth=0), NAN),
    ("roofline.ridge_intensity", dict(flop_rate=0), NAN),
    ("roofline.critical_batch", dict(bytes_per_weight=0), NAN),
    ("roofline.mfu", dict(time=0), NAN),
    ("roofline.mfu", dict(time=0.5), 2),
    ("roofline.mbu", dict(bandwidth=0), NAN),
    ("prefill.attention_flops", dict(layers=-1), NAN),
    ("prefill.attention_flops", dict(new_tokens=0), 0),
    ("prefill.prefill_flops", dict(cached_tokens=-1), NAN),
    ("prefill.prefill_flops", dict(new_tokens=0), 2e9),
    ("prefill.prefill_time", dict(mfu=0), NAN),
    ("prefill.prefill_time", dict(mbu=1.01), NAN),
    ("prefill.prefill_time", dict(overhead=-0.1), NAN),
    ("prefill.attention_equals_linear_tokens", dict(layers=0), NAN),
    ("decode.decode_flops_per_token", dict(context_tokens=-1), NAN),
    ("decode.decode_step_bytes", dict(batch=-1), NAN),
    ("decode.decode_step_bytes", dict(batch=0), 1.4e11),
    ("decode.decode_overhead", dict(layer_overhead=-1e-6), NAN),
    ("decode.decode_step_time", dict(mbu=0), NAN),
    ("decode.decode_step_time", dict(mfu=1.5), NAN),
    ("decode.decode_step_time", dict(flop_rate=0), NAN),
    ("decode.decode_step_time_in_turn", dict(mbu=0), NAN),
    ("decode.decode_step_time_in_turn", dict(mfu=1.5), NAN),
    ("memory.weight_bytes", dict(bytes_per_weight=-1), NAN),
    ("memory.kv_bytes_per_token", dict(kv_heads=-8), NAN),
    ("memory.mla_kv_bytes_per_token", dict(rope_dim=-64), NAN),
    ("memory.kv_bytes_of_request", dict(window=-1), NAN),
    ("memory.kv_bytes", dict(requests=-1), NAN),
    ("memory.usable_memory", dict(usable_share=1.1), NAN),
    ("memory.usable_memory", dict(reserved_bytes=1e12), 0),
    ("memory.requests_that_fit", dict(weight_bytes=4e11), 0),
    ("memory.requests_that_fit", dict(kv_bytes_per_token=0), NAN),
    ("memory.requests_that_fit", dict(context_tokens=0), NAN),
    ("memory.peak_context", dict(output_tokens=-1), NAN),
    ("memory.average_context", dict(input_tokens=-1), NAN),
    ("memory.tokens_freed_per_step", dict(output_tokens=0), NAN),
    ("concurrency.requests_in_flight", dict(rate=-1), NAN),
    ("concurrency.requests_in_flight", dict(rate=0), 0),
    ("concurrency.aggregate_rate", dict(tpot=0), NAN),
    ("concurrency.per_user_rate", dict(concurrency=0), NAN),
    ("concurrency.request_rate", dict(time_in_system=0), NAN),
    ("concurrency.output_rate", dict(output_tokens=0), NAN),
    ("concurrency.output_rate", dict(ttft=0, tpot=0), NAN),
    ("concurrency.output_rate", dict(concurrency=-1), NAN),
    ("concurrency.interactive_response_time", dict(throughput=0), NAN),
    ("concurrency.interactive_response_time", dict(think_time=26), NAN),
    ("concurrency.rate_ceiling", dict(context_tokens=0), NAN),
    ("concurrency.batch_at_half_ceiling", dict(kv_bytes_per_token=0), NAN),
    ("concurrency.frontier_rate", dict(per_user_rate=1e4), 0),
    ("concurrency.frontier_rate", dict(flops_per_token=0), NAN),
    ("offload.transfer_time", dict(bandwidth=0), NAN),
    ("offload.transfer_time", dict(latency=0, size=0), 0),
    ("offload.exchange_time", dict(bandwidth=0, size=0), NAN),
    ("offload.exchange_time", dict(round_trips=0), 0),
    ("offload.half_bandwidth_size", dict(bandwidth=0), NAN),
    ("offload.effective_bandwidth", dict(size=0), NAN),
    ("offload.offload_saving", dict(overlap=1.1), NAN),
    ("offload.break_even_bandwidth", dict(time_saved=1e-5), NAN),
    ("offload.fetch_break_even_bandwidth", dict(flops_per_token=0), NAN),
    ("offload.streamed_step_time", dict(overlap=-0.1), NAN),
    ("offload.streamed_step_time", dict(streamed_bytes=0), 0.0263),
    ("parallel.all_reduce_time", dict(accelerators=0.5), NAN),
    ("parallel.all_reduce_time", dict(accelerators=1), 0),
    ("parallel.all_gather_time", dict(accelerators=0), NAN),
    ("parallel.all_gather_time", dict(accelerators=1), 0),
    ("parallel.all_to_all_time", dict(accelerators=0), NAN),
    ("parallel.all_to_all_time", dict(accelerators=1), 0),
    ("parallel.tensor_parallel_step_time", dict(accelerators=0), NAN),
    ("parallel.tensor_parallel_step_time", dict(accelerators=1), 0.07),
    ("parallel.tensor_parallel_limit", dict(batch=0), NAN),
    ("parallel.pipeline_bubble", dict(stages=0), NAN),
    ("parallel.pipeline_bubble", dict(stages=1), 0),
    ("parallel.pipeline_bubble", dict(microbatches=0), NAN),
    ("parallel.prefill_response_time", dict(rate=4), NAN),
    ("parallel.prefill_response_time_pipelined", dict(rate=7), NAN),
    ("parallel.prefill_response_time_split", dict(speedup=0), NAN),
    ("parallel.prefill_response_time_split", dict(rate=6), NAN),
    ("disaggregation.prefill_decode_ratio", dict(output_tokens=0), NAN),
    ("disaggregation.split_rate_per_accelerator", dict(prefill_accelerators=0, decode_accelerators=0), NAN),
    ("disaggregation.split_rate_per_accelerator", dict(decode_accelerators=0), 0),
    ("disaggregation.kv_traffic", dict(rate=-1), NAN),
    ("moe.distinct_experts", dict(experts=0), NAN),
    ("moe.distinct_experts", dict(active=129), NAN),
    ("moe.distinct_experts", dict(batch=0), 0),
    ("moe.step_weight_bytes", dict(distinct=-1), NAN),
    ("speculative.expected_tokens", dict(acceptance=1.1), NAN),
    ("speculative.expected_tokens", dict(acceptance=1), 6),
    ("speculative.expected_tokens", dict(acceptance=0), 1),
    ("speculative.expected_tokens", dict(draft_tokens=0), 1),
    ("speculative.speculative_speedup", dict(draft_cost=-0.1), NAN),
    ("speculative.operations_factor", dict(acceptance=-0.1), NAN),
    ("speculative.speculative_tpot", dict(verify_step_time=0), NAN),
    ("queueing.utilisation", dict(servers=0), NAN),
    ("queueing.spare_share", dict(load=1), NAN),
    ("queueing.spare_share", dict(load=1.2), NAN),
    ("queueing.mm1_wait", dict(rate=1), NAN),
    ("queueing.mm1_wait", dict(rate=0), 0),
    ("queueing.md1_wait", dict(rate=1.5), NAN),
    ("queueing.mg1_wait", dict(rate=1), NAN),
    ("queueing.kingman_wait", dict(rate=1), NAN),
    ("queueing.erlang_c", dict(offered_load=4), NAN),
    ("queueing.erlang_c", dict(offered_load=0), 0),
    ("queueing.erlang_c", dict(servers=2.5), SERVERS.format("2.5")),
    ("queueing.erlang_c", dict(servers=0), SERVERS.format("0")),
    ("queueing.mmk_wait", dict(rate=4), NAN),
    ("queueing.mmk_wait", dict(servers=-1), SERVERS.format("-1")),
    ("queueing.mgk_wait", dict(rate=4.5), NAN),
    ("queueing.mgk_wait", dict(servers=0), SERVERS.format("0")),
    ("queueing.sakasegawa_wait", dict(rate=4), NAN),
    ("queueing.sakasegawa_wait", dict(servers=0), NAN),
    ("queueing.wait_percentile", dict(percentile_share=1), NAN),
    ("queueing.wait_percentile", dict(percentile_share=0.2), 0),
    ("queueing.wait_percentile", dict(wait_probability=0), NAN),
    ("closed_loop.knee_clients", dict(peak_rate=0), NAN),
    ("closed_loop.throughput_bound", dict(alone_time=0, think_time=0), NAN),
    ("closed_loop.response_bound", dict(peak_rate=0), NAN),
    ("agents.expected_attempts", dict(repeat_chance=1), NAN),
    ("agents.step_time", dict(output_tokens=0), NAN),
    ("agents.step_time", dict(tool_time=-1), NAN),
    ("agents.chain_time", dict(repeat_chance=1), NAN),
    ("agents.all_within", dict(share_within=1.1), NAN),
    ("agents.all_within", dict(calls=0), 1),
    ("agents.any_beyond", dict(share_beyond=1.1), NAN),
    ("agents.share_needed", dict(calls=0), NAN),
    ("agents.parallel_percentile", dict(percentile_share=1), NAN),
    ("agents.sequential_share", dict(mean=0), NAN),
    ("agents.sequential_share", dict(deadline=0), 0),
    ("agents.sequential_share", dict(calls=0), CALLS.format("0")),
    ("agents.sequential_percentile", dict(percentile_share=1), NAN),
    ("agents.sequential_percentile", dict(percentile_share=0), 0),
    ("agents.sequential_percentile", dict(calls=1.5), CALLS.format("1.5")),
    ("goodput.joint_bounds", dict(share_a=1.1), (NAN, NAN)),
    ("goodput.joint_bounds", dict(share_a=0.3, share_b=0.4), (0, 0.3)),
    ("goodput.wilson_interval", dict(good=0, attempted=0), (NAN, NAN)),
    ("goodput.wilson_interval", dict(good=41), (NAN, NAN)),
    ("goodput.wilson_interval", dict(confidence=1), (NAN, NAN)),
    ("goodput.normal_quantile", dict(confidence=0), NAN),
    ("goodput.normal_quantile", dict(confidence=1), NAN),
    ("goodput.requests_needed", dict(observed=0.95), NAN),
    ("goodput.requests_needed", dict(target=1.2), NAN),
    ("reading.reading_rate", dict(tokens_per_word=0), NAN),
    ("reading.reading_tpot", dict(words_per_second=0), NAN),
    ("parameters.attention_parameters", dict(heads=-1), NAN),
    ("parameters.latent_attention_parameters", dict(value_dim=-1), NAN),
    ("parameters.feed_forward_parameters", dict(ffn_dim=-1), NAN),
    ("parameters.expert_layer_parameters", dict(counted_experts=-1), NAN),
    ("parameters.embedding_parameters", dict(hidden=-1), NAN),
    ("domain.positive", dict(value=0), NAN),
    ("domain.not_negative", dict(value=0), 0),
    ("domain.not_negative", dict(value=-1), NAN),
    ("domain.share", dict(value=1.01), NAN),
    ("domain.share", dict(value=1), 1),
    ("domain.efficiency", dict(value=0), NAN),
    ("domain.efficiency", dict(value=1), 1),
]


def test_every_public_formula_has_an_edge():
    assert public_functions() - NOT_ELEMENTWISE == {name for name, _, _ in EDGES}


@pytest.mark.parametrize("name, changed, expected", EDGES, ids=[f"{name}-{changed}" for name, changed, _ in EDGES])
def test_the_edge_is_as_documented(name, changed, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if isinstance(expected, str):
            with pytest.raises(ValueError) as raised:
                BY_NAME[name](**changed)
            assert str(raised.value) == expected and "ValueError" in BY_NAME[name].function.__doc__
        else:
            assert BY_NAME[name](**changed) == pytest.approx(expected, nan_ok=True)


def test_products_are_nan_if_any_factor_is_negative():
    assert where_not_negative(12.0, 3, 4) == 12 and np.isnan(where_not_negative(12.0, -3, -4))


@pytest.mark.parametrize("value", [2.5, 0, float("nan"), INF, [3, 4], "three"])
def test_a_loop_counts_in_whole_numbers(value):
    with pytest.raises(ValueError, match=r"^The number of servers must be one whole number of 1 or more, not .*\.$"):
        whole_number(value, "The number of servers", 1)
    assert whole_number(np.float64(3), "The number of servers", 1) == 3


@pytest.mark.parametrize("probabilities", [[0.5, 0.4], [[0.5, 0.5]], [1.5, -0.5], [NAN, 1.0], ["a"]])
def test_a_distribution_must_be_one(probabilities):
    with pytest.raises(
        ValueError, match=r"^The probabilities must be one row of numbers, none negative, that sum to 1\.$"
    ):
        total_distribution(probabilities, 2)
