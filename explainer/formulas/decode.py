"""One more token for every request in the batch: the step that sets TPOT.

A step reads all the weights once for the whole batch and each request's own KV cache, so batching shares the first
and not the second. Steady state: the batch and its mean context stay as they are; no prefill cuts in and nothing
waits.
"""

from .domain import efficiency, not_negative, positive, where_not_negative
from .roofline import operation_time


def decode_flops_per_token(linear_parameters, context_tokens, layers, heads, head_dim):
    """Arithmetic for one new token: F = 2 P + 4 L H d s.

    linear_parameters P: weights that multiply every token (active ones for a mixture of experts, the output matrix
    included); context_tokens s, layers L, heads H (query heads): counts; head_dim d: values; scalars or arrays that
    broadcast. Returns FLOP.
    nan where any is negative. Source: Kaplan et al. (2020), "Scaling laws", table 1.
    """
    flops = 2 * linear_parameters + 4 * context_tokens * layers * heads * head_dim
    return where_not_negative(flops, linear_parameters, context_tokens, layers, heads, head_dim)


def decode_step_bytes(batch, context_tokens, weight_bytes, kv_bytes_per_token):
    """Bytes read in one step: D = W + B k s.

    batch B: requests; context_tokens s: mean context; weight_bytes W: bytes read in a step; kv_bytes_per_token k:
    bytes; scalars or arrays that broadcast. Returns bytes. nan where any is negative.
    Source: "How to Scale Your Model" (jax-ml/scaling-book), inference.
    """
    total = weight_bytes + batch * context_tokens * kv_bytes_per_token
    return where_not_negative(total, batch, context_tokens, weight_bytes, kv_bytes_per_token)


def decode_overhead(layers, layer_overhead, step_overhead):
    """Time of a step that neither arithmetic nor bandwidth explains: T0 = t0 + L tl.

    layers L: count; layer_overhead tl: s per layer (kernel launches, exchanges); step_overhead t0: s per step
    (scheduler, sampling); scalars or arrays that broadcast. Returns s. nan where any is negative.
    Source: fitted constants; about 30-60 us a layer for 2026 engines, 300-450 us for vLLM of 2023 (recomputed
    from Splitwise).
    """
    return where_not_negative(step_overhead + layers * layer_overhead, layers, layer_overhead, step_overhead)


def decode_step_time(
    batch,
    context_tokens,
    weight_bytes,
    kv_bytes_per_token,
    flops_per_token,
    flop_rate,
    bandwidth,
    mfu=1,
    mbu=1,
    layers=0,
    layer_overhead=0,
    step_overhead=0,
):
    """Time of one decode step: T = max((W + B k s) / (BW mbu), B f / (P mfu)) + t0 + L tl.

    batch B: requests; context_tokens s: mean context; weight_bytes W: bytes; kv_bytes_per_token k: bytes;
    flops_per_token f: FLOP (decode_flops_per_token); flop_rate P: FLOP/s and bandwidth BW: bytes/s, peak, of all
    accelerators together; mfu, mbu: ratios above 0 and at most 1; layers L: count; layer_overhead tl, step_overhead
    t0: s; scalars or arrays that broadcast. Returns s.
    nan where a rate is 0 or negative, an efficiency lies outside its range, or a quantity is negative. Attention and
    matrices overlap completely: a lower bound; decode_step_time_in_turn lets them follow one another.
    Source: "How to Scale Your Model" (jax-ml/scaling-book), inference; overheads as in decode_overhead.
    """
    bytes_read = decode_step_bytes(batch, context_tokens, weight_bytes, kv_bytes_per_token)
    flops = batch * not_negative(flops_per_token)
    work = operation_time(flops, flop_rate * efficiency(mfu), bytes_read, bandwidth * efficiency(mbu))
    return work + decode_overhead(layers, layer_overhead, step_overhead)


def decode_step_time_in_turn(
    batch,
    context_tokens,
    weight_bytes,
    kv_bytes_per_token,
    flops_per_token,
    flop_rate,
    bandwidth,
    mfu=1,
    mbu=1,
    layers=0,
    layer_overhead=0,
    step_overhead=0,
):
    """Time of a decode step, caches before matrices: T = B k s / BW + max(W / BW, B f / P) + t0 + L tl.

    BW and P stand for the bandwidth and FLOP/s that are reached: peak times mbu and mfu.
    Arguments as in decode_step_time; flops_per_token f is then 2 P for the matrices alone, as attention never waits
    for arithmetic.
    Returns s, never less than decode_step_time; the same where memory is the limit anyway. nan outside the domain, as
    there.
    Source: "How to Scale Your Model" (jax-ml/scaling-book), inference, "theoretical step time (general)".
    """
    caches = decode_step_bytes(batch, context_tokens, 0, kv_bytes_per_token) / positive(bandwidth * efficiency(mbu))
    matrices = decode_step_time(batch, 0, weight_bytes, 0, flops_per_token, flop_rate, bandwidth, mfu, mbu)
    return caches + matrices + decode_overhead(layers, layer_overhead, step_overhead)
