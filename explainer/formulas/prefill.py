"""Reading the prompt: the work before the first token.

One request alone: no queue, no batching with others. All prompt tokens pass each layer together, so arithmetic is the
usual limit; a very short prompt still has to read every weight once. Sliding windows cut the attention below what is
counted here.
"""

from .domain import efficiency, not_negative, positive, where_not_negative
from .roofline import operation_time


def attention_flops(new_tokens, cached_tokens, layers, heads, head_dim):
    """Arithmetic of causal attention for new tokens after a cached prefix: F = 4 L H d (n c + n^2 / 2).

    new_tokens n, cached_tokens c, layers L, heads H (query heads): counts; head_dim d: values; scalars or arrays that
    broadcast.
    Returns FLOP. nan where any is negative. n^2 / 2 is the causal half: a token attends only to those before it.
    Source: Kaplan et al. (2020), "Scaling laws", table 1, halved for the causal mask as FlashAttention does.
    """
    pairs = new_tokens * (cached_tokens + new_tokens / 2)
    return where_not_negative(4 * pairs * layers * heads * head_dim, new_tokens, cached_tokens, layers, heads, head_dim)


def prefill_flops(new_tokens, cached_tokens, linear_parameters, output_parameters, layers, heads, head_dim):
    """Arithmetic to read a prompt: F = 2 P n + 4 L H d (n c + n^2 / 2) + 2 V, for n new tokens after c cached ones.

    new_tokens n, cached_tokens c: counts; linear_parameters P: weights that multiply every token (active ones for a
    mixture of experts, embeddings left out); output_parameters V: weights of the output matrix, used for the last
    position alone; layers L, heads H (query heads): counts; head_dim d: values; scalars or arrays that broadcast.
    Returns FLOP. nan where any is negative.
    Source: Kaplan et al. (2020), "Scaling laws", table 1; "How to Scale Your Model" (jax-ml/scaling-book),
    transformers.
    """
    matrices = 2 * linear_parameters * new_tokens + 2 * output_parameters
    matrices = where_not_negative(matrices, linear_parameters, output_parameters)
    return matrices + attention_flops(new_tokens, cached_tokens, layers, heads, head_dim)


def prefill_time(flops, weight_bytes, flop_rate, bandwidth, mfu=1, mbu=1, overhead=0):
    """Time to the first token of a request that waits for no other: T = max(F / (P mfu), W / (B mbu)) + t0.

    flops F: FLOP (prefill_flops); weight_bytes W: bytes; flop_rate P: FLOP/s and bandwidth B: bytes/s, peak, of all
    accelerators together; mfu, mbu: ratios above 0 and at most 1; overhead t0: s; scalars or arrays that broadcast.
    Returns s.
    nan where a rate is 0 or negative, an efficiency lies outside its range, or a quantity is negative.
    Source: the roofline (Williams et al. 2009) with the efficiencies of "PaLM" (MFU) and Databricks (MBU).
    """
    reading = operation_time(flops, flop_rate * efficiency(mfu), weight_bytes, bandwidth * efficiency(mbu))
    return reading + not_negative(overhead)


def attention_equals_linear_tokens(linear_parameters, layers, heads, head_dim):
    """Prompt length at which causal attention costs as much arithmetic as the weight matrices: n* = P / (L H d).

    linear_parameters P: weights; layers L, heads H (query heads): counts; head_dim d: values; scalars or arrays that
    broadcast.
    Returns tokens, a real number. nan where a shape is 0 or negative or P negative. Source: 2 P n = 4 L H d n^2 / 2,
    solved for n.
    """
    return not_negative(linear_parameters) / (positive(layers) * positive(heads) * positive(head_dim))
