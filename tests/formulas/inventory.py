"""Every public formula with one example inside its domain and the unit of each argument: what the table-driven tests
go through.

A line reads: module.function: argument=value unit, ... -> unit; an indented line goes on. A unit is one like byte/s;
counts,
tokens, shares and ratios have none.
"""

import importlib
import inspect
import pkgutil

import explainer.formulas

EXAMPLES = """
timing.completion_time: ttft=0.4 s, tpot=0.04 s, output_tokens=101 -> s
timing.tpot: ttft=0.4 s, end_to_end=4.4 s, output_tokens=101 -> s
timing.generation_rate: tpot=0.04 s -> /s
timing.crossover_tokens: ttft_a=0.4 s, tpot_a=0.04 s, ttft_b=1.0 s, tpot_b=0.02 s ->
timing.tokens_within: deadline=4.4 s, ttft=0.4 s, tpot=0.04 s ->
timing.tpot_for_deadline: deadline=4.4 s, ttft=0.4 s, output_tokens=101 -> s
speedup.accelerated_time: fixed=10 s, stage=20 s, stage_speedup=4 -> s
speedup.overall_speedup: fixed=10 s, stage=20 s, stage_speedup=4 ->
roofline.operation_time: flops=1e15 flop, flop_rate=1e15 flop/s, bytes_moved=7e10 byte, bandwidth=2e12 byte/s -> s
roofline.arithmetic_intensity: flops=1e15 flop, bytes_moved=7e10 byte -> flop/byte
roofline.ridge_intensity: flop_rate=1e15 flop/s, bandwidth=2e12 byte/s -> flop/byte
roofline.critical_batch: flop_rate=1e15 flop/s, bandwidth=2e12 byte/s, bytes_per_weight=2 byte -> flop
roofline.mfu: flops=1e15 flop, time=2 s, flop_rate=1e15 flop/s ->
roofline.mbu: bytes_moved=7e10 byte, time=0.05 s, bandwidth=2e12 byte/s ->
prefill.attention_flops: new_tokens=2000, cached_tokens=500, layers=80, heads=64, head_dim=128 ->
prefill.prefill_flops: new_tokens=2000, cached_tokens=500, linear_parameters=7e10, output_parameters=1e9, layers=80,
    heads=64, head_dim=128 ->
prefill.prefill_time: flops=3e14 flop, weight_bytes=1.4e11 byte, flop_rate=8e15 flop/s, bandwidth=2.6e13 byte/s,
    mfu=0.5, mbu=0.6, overhead=0.05 s -> s
prefill.attention_equals_linear_tokens: linear_parameters=7e10, layers=80, heads=64, head_dim=128 ->
decode.decode_flops_per_token: linear_parameters=7e10, context_tokens=4000, layers=80, heads=64, head_dim=128 ->
decode.decode_step_bytes: batch=32, context_tokens=4000, weight_bytes=1.4e11 byte, kv_bytes_per_token=327680 byte ->
    byte
decode.decode_overhead: layers=80, layer_overhead=4e-5 s, step_overhead=1e-3 s -> s
decode.decode_step_time: batch=32, context_tokens=4000, weight_bytes=1.4e11 byte, kv_bytes_per_token=327680 byte,
    flops_per_token=1.5e11 flop, flop_rate=8e15 flop/s, bandwidth=2.6e13 byte/s, mfu=0.5, mbu=0.6, layers=80,
    layer_overhead=4e-5 s, step_overhead=1e-3 s -> s
decode.decode_step_time_in_turn: batch=32, context_tokens=4000, weight_bytes=1.4e11 byte, kv_bytes_per_token=327680
    byte, flops_per_token=1.5e11 flop, flop_rate=8e15 flop/s, bandwidth=2.6e13 byte/s, mfu=0.5, mbu=0.6, layers=80,
    layer_overhead=4e-5 s, step_overhead=1e-3 s -> s
memory.weight_bytes: parameters=7e10, bytes_per_weight=2 byte -> byte
memory.kv_bytes_per_token: layers=80, kv_heads=8, head_dim=128, bytes_per_value=2 byte -> byte
memory.mla_kv_bytes_per_token: layers=61, latent_dim=512, rope_dim=64, bytes_per_value=2 byte -> byte
memory.kv_bytes_of_request: context_tokens=4000, full_bytes_per_token=81920 byte, sliding_bytes_per_token=425984
    byte, window=1024 -> byte
memory.kv_bytes: requests=8, context_tokens=8192, kv_bytes_per_token=327680 byte -> byte
memory.usable_memory: memory=8e10 byte, accelerators=4, usable_share=0.9, reserved_bytes=4e9 byte -> byte
memory.requests_that_fit: memory=3.2e11 byte, weight_bytes=1.4e11 byte, kv_bytes_per_token=327680 byte,
    context_tokens=8192 ->
memory.peak_context: input_tokens=5000, output_tokens=500 ->
memory.average_context: input_tokens=5000, output_tokens=500 ->
memory.tokens_freed_per_step: batch=32, input_tokens=8192, output_tokens=4096 ->
concurrency.requests_in_flight: rate=0.5 /s, time_in_system=28 s ->
concurrency.aggregate_rate: concurrency=64, tpot=0.0263 s -> /s
concurrency.per_user_rate: aggregate_rate=3000 /s, concurrency=100 -> /s
concurrency.request_rate: concurrency=50, time_in_system=30 s -> /s
concurrency.output_rate: concurrency=50, ttft=0.8 s, tpot=0.06 s, output_tokens=500 -> /s
concurrency.interactive_response_time: clients=50, throughput=2 /s, think_time=5 s -> s
concurrency.rate_ceiling: bandwidth=2.6e13 byte/s, kv_bytes_per_token=327680 byte, context_tokens=4000 -> /s
concurrency.batch_at_half_ceiling: weight_bytes=1.4e11 byte, kv_bytes_per_token=327680 byte, context_tokens=4000 ->
concurrency.frontier_rate: per_user_rate=50 /s, weight_bytes=1.4e11 byte, kv_bytes_per_token=327680 byte,
    context_tokens=4000, flops_per_token=1.5e11 flop, flop_rate=8e15 flop/s, bandwidth=2.6e13 byte/s -> /s
offload.transfer_time: latency=1e-5 s, size=1e6 byte, bandwidth=6.4e10 byte/s -> s
offload.exchange_time: round_trips=80, latency=1e-5 s, size=1e6 byte, bandwidth=6.4e10 byte/s -> s
offload.half_bandwidth_size: latency=1e-5 s, bandwidth=6.4e10 byte/s -> byte
offload.effective_bandwidth: latency=1e-5 s, size=1e6 byte, bandwidth=6.4e10 byte/s -> byte/s
offload.offload_saving: local=1.0 s, remote=0.4 s, transfer=0.3 s, coordination=0.05 s, overlap=0.5 -> s
offload.break_even_bandwidth: size=1e6 byte, latency=1e-5 s, time_saved=1e-3 s -> byte/s
offload.fetch_break_even_bandwidth: kv_bytes_per_token=327680 byte, flops_per_token=1.5e11 flop, flop_rate=4e15
    flop/s -> byte/s
offload.streamed_step_time: step=0.0263 s, streamed_bytes=3.5e10 byte, bandwidth=6.4e10 byte/s, overlap=0.5 -> s
parallel.all_reduce_time: accelerators=8, size=524288 byte, hop_latency=1e-6 s, bandwidth=4.5e11 byte/s -> s
parallel.all_gather_time: accelerators=8, size=524288 byte, hop_latency=1e-6 s, bandwidth=4.5e11 byte/s -> s
parallel.all_to_all_time: accelerators=8, size=524288 byte, hop_latency=1e-6 s, bandwidth=4.5e11 byte/s -> s
parallel.tensor_parallel_step_time: step=0.07 s, accelerators=4, layers=80, all_reduce=5e-6 s -> s
parallel.tensor_parallel_limit: ffn_dim=28672, batch=32, memory_bandwidth=3.35e12 byte/s, link_bandwidth=4.5e11
    byte/s ->
parallel.pipeline_bubble: stages=4, microbatches=8 ->
parallel.prefill_response_time: rate=2 /s, service_time=0.3 s -> s
parallel.prefill_response_time_pipelined: rate=2 /s, service_time=0.3 s -> s
parallel.prefill_response_time_split: rate=2 /s, service_time=0.3 s, speedup=1.7 -> s
disaggregation.prefill_decode_ratio: prefill_time=0.91 s, batch=32, step_time=0.019 s, output_tokens=512 ->
disaggregation.split_rate_per_accelerator: prefill_rate=5.6 /s, prefill_accelerators=2, decode_rate=10 /s,
    decode_accelerators=1 -> /s
disaggregation.kv_traffic: rate=10 /s, input_tokens=512, kv_bytes_per_token=2359296 byte -> byte/s
moe.distinct_experts: experts=128, active=8, batch=16 ->
moe.step_weight_bytes: dense_bytes=2e9 byte, expert_bytes=9.4e6 byte, layers=48, distinct=80 -> byte
speculative.expected_tokens: acceptance=0.8, draft_tokens=5 ->
speculative.speculative_speedup: acceptance=0.8, draft_tokens=5, draft_cost=0.1 ->
speculative.operations_factor: acceptance=0.8, draft_tokens=5, draft_operations=0.1 ->
speculative.speculative_tpot: acceptance=0.8, draft_tokens=5, draft_step_time=2e-3 s, verify_step_time=0.02 s -> s
queueing.utilisation: rate=3.2 /s, service_time=1 s, servers=4 ->
queueing.spare_share: load=0.8 ->
queueing.mm1_wait: rate=0.8 /s, service_time=1 s -> s
queueing.md1_wait: rate=0.8 /s, service_time=1 s -> s
queueing.mg1_wait: rate=0.8 /s, service_time=1 s, service_variation=1.5 -> s
queueing.kingman_wait: rate=0.8 /s, service_time=1 s, arrival_variation=1.1, service_variation=1.5 -> s
queueing.erlang_c: offered_load=3.2, servers=4 ->
queueing.mmk_wait: rate=3.2 /s, service_time=1 s, servers=4 -> s
queueing.mgk_wait: rate=3.2 /s, service_time=1 s, service_variation=1.5, servers=4 -> s
queueing.sakasegawa_wait: rate=3.2 /s, service_time=1 s, arrival_variation=1.1, service_variation=1.5, servers=4 ->
    s
queueing.wait_percentile: percentile_share=0.99, wait_probability=0.8, mean_wait=6.5 s -> s
closed_loop.knee_clients: alone_time=9.7 s, think_time=5 s, peak_rate=1.84 /s ->
closed_loop.throughput_bound: clients=50, alone_time=9.7 s, think_time=5 s, peak_rate=1.84 /s -> /s
closed_loop.response_bound: clients=50, alone_time=9.7 s, think_time=5 s, peak_rate=1.84 /s -> s
agents.expected_attempts: repeat_chance=0.1 ->
agents.step_time: ttft=0.5 s, tpot=0.02 s, output_tokens=200, tool_time=1.5 s -> s
agents.chain_time: steps=12, step_time=6 s, repeat_chance=0.1 -> s
agents.all_within: share_within=0.99, calls=10 ->
agents.any_beyond: share_beyond=0.01, calls=30 ->
agents.share_needed: session_share=0.99, calls=10 ->
agents.parallel_percentile: percentile_share=0.99, calls=10, mean=2 s -> s
agents.sequential_share: deadline=30 s, calls=10, mean=2 s ->
agents.sequential_percentile: percentile_share=0.99, calls=10, mean=2 s -> s
goodput.joint_bounds: share_a=0.9, share_b=0.9 ->
goodput.wilson_interval: good=28, attempted=40, confidence=0.95 ->
goodput.requests_needed: observed=0.97, target=0.95, confidence=0.95 ->
goodput.normal_quantile: confidence=0.95 ->
reading.reading_rate: words_per_second=4 /s, tokens_per_word=1.15 -> /s
reading.reading_tpot: words_per_second=4 /s, tokens_per_word=1.15 -> s
parameters.attention_parameters: hidden=8192, heads=64, kv_heads=8, head_dim=128 ->
parameters.latent_attention_parameters: hidden=7168, heads=128, query_rank=1536, latent_dim=512, nope_dim=128,
    rope_dim=64, value_dim=128 ->
parameters.feed_forward_parameters: hidden=8192, ffn_dim=28672, matrices=3 ->
parameters.expert_layer_parameters: hidden=2048, expert_ffn_dim=768, experts=128, counted_experts=8 ->
parameters.embedding_parameters: vocabulary=128256, hidden=8192 ->
domain.positive: value=2 ->
domain.not_negative: value=2 ->
domain.share: value=0.5 ->
domain.efficiency: value=0.5 ->
"""
NOT_ELEMENTWISE = {  # each with its own tests: they take text, or arrays as such
    "agents.total_distribution",
    "domain.where_not_negative",
    "domain.whole_number",
}
WHOLE = {
    "servers": {
        "queueing.erlang_c",
        "queueing.mmk_wait",
        "queueing.mgk_wait",
    },  # arguments that are one number, not an array
    "calls": {"agents.sequential_share", "agents.sequential_percentile"},
    "confidence": {"goodput.wilson_interval", "goodput.requests_needed", "goodput.normal_quantile"},
}


class Example:
    """One line of the table: the function, example arguments, their units and the unit of the result."""

    def __init__(self, line):
        self.name, rest = line.split(": ", 1)
        arguments, self.result_unit = (part.strip() for part in rest.split("->"))
        module, function = self.name.split(".")
        self.function = getattr(importlib.import_module(f"explainer.formulas.{module}"), function)
        self.values, self.units = {}, {}
        for argument in arguments.split(", "):
            key, _, text = argument.partition("=")
            number, _, unit = text.partition(" ")
            self.values[key] = float(number)
            self.units[key] = unit
        self.scalar_only = {key for key in self.values if self.name in WHOLE.get(key, ())}

    def __repr__(self):
        return self.name

    def __call__(self, **changed):
        return self.function(**{**self.values, **changed})

    def results(self, **changed):
        """The result as a tuple, for formulas that return one number and for those that return two."""
        result = self(**changed)
        return result if isinstance(result, tuple) else (result,)


def public_functions():
    """The names of all public functions defined in explainer.formulas, as module.function."""
    names = set()
    for module in pkgutil.iter_modules(explainer.formulas.__path__):
        content = importlib.import_module(f"explainer.formulas.{module.name}")
        names |= {
            f"{module.name}.{key}"
            for key, value in vars(content).items()
            if inspect.isfunction(value) and value.__module__ == content.__name__ and not key.startswith("_")
        }
    return names


FORMULAS = [Example(line) for line in EXAMPLES.strip().replace("\n    ", " ").splitlines()]
BY_NAME = {example.name: example for example in FORMULAS}
