"""What the models say of the catalogue's measured tables: formulas put together, so that a page can trace them."""

import numpy as np

from explainer.catalog import accelerator, model, nim_sweep
from explainer.formulas.decode import decode_flops_per_token, decode_step_time
from explainer.formulas.memory import average_context, peak_context, requests_that_fit, usable_memory, weight_bytes
from explainer.formulas.prefill import prefill_flops, prefill_time
from explainer.formulas.roofline import operation_time

SWEEP = nim_sweep()
_ONE = SWEEP[0]
_MODEL, _CARD, _CARDS = model(_ONE.model), accelerator(_ONE.accelerator), _ONE.accelerators
_HEADS = (_MODEL.layers, _MODEL.heads, _MODEL.head_dim)
_BYTES = 1  # FP8 weights and, by assumption, an FP8 cache
_USABLE = 0.9  # of the memory: what engines ask for by default
_KV = _MODEL.kv_bytes_per_token(_BYTES)
_PEAK_FLOPS, _PEAK_BANDWIDTH = _CARDS * _CARD.fp8_flop_per_s, _CARDS * _CARD.memory_bytes_per_s
STEP_OVERHEAD = 1e-3  # s a step for all that is neither arithmetic nor reading: an assumption


def requests_that_run():
    """Requests whose caches fit beside the weights in that test's memory: the others wait."""
    memory = usable_memory(_CARD.memory_bytes, _CARDS, _USABLE, 0)
    return float(
        requests_that_fit(
            memory, weight_bytes(_MODEL.parameters, _BYTES), _KV, peak_context(_ONE.input_tokens, _ONE.output_tokens)
        )
    )


def step_alone(clients, mfu, mbu):
    """TPOT of the sweep as a decode step alone: weights once, a cache for each request that runs."""
    context = average_context(_ONE.input_tokens, _ONE.output_tokens)
    flops = decode_flops_per_token(_MODEL.active_parameters, context, *_HEADS)
    weights = weight_bytes(_MODEL.active_parameters, _BYTES)
    running = np.minimum(clients, requests_that_run())
    return decode_step_time(
        running, context, weights, _KV, flops, _PEAK_FLOPS, _PEAK_BANDWIDTH, mfu, mbu, step_overhead=STEP_OVERHEAD
    )


def prompt_alone(mfu, mbu):
    """TTFT of the sweep as the reading of one prompt, nobody before it."""
    flops = prefill_flops(_ONE.input_tokens, 0, _MODEL.linear_parameters, _MODEL.output_parameters, *_HEADS)
    return prefill_time(flops, weight_bytes(_MODEL.active_parameters, _BYTES), _PEAK_FLOPS, _PEAK_BANDWIDTH, mfu, mbu)


def step_among_prompts(clients, mfu, mbu):
    """The same with the prompts of the others read in between: each of them begins once in every N steps."""
    others = np.minimum(clients, requests_that_run()) - 1
    return step_alone(clients, mfu, mbu) + others / _ONE.output_tokens * prompt_alone(mfu, mbu)


def layer_time(row, tokens, mfu, mbu):
    """Time of a measured linear layer for some tokens, by its roofline."""
    card = accelerator(row.accelerator)
    moved = row.bytes_per_value * (row.weights + tokens * (row.inputs + row.outputs))
    return operation_time(2 * row.weights * tokens, card.bf16_flop_per_s * mfu, moved, card.memory_bytes_per_s * mbu)
