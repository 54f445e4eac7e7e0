"""What must lie in memory while answers are made: the weights once, and a KV cache for every request.

Sizes are of the numbers themselves. Engines hold caches in blocks, keep room for activations and fragment a little;
the usable part of a memory is an argument, not a guess made here.
"""

import numpy as np

from .domain import not_negative, positive, share, where_not_negative


def weight_bytes(parameters, bytes_per_weight):
    """Memory for the weights: W = P b.

    parameters P: count; bytes_per_weight b: bytes (2 for 16 bits, 0.5 for 4); scalars or arrays that broadcast.
    Returns bytes.
    nan where either is negative. Scales of quantised formats are not counted. Source: the definition.
    """
    return where_not_negative(parameters * bytes_per_weight, parameters, bytes_per_weight)


def kv_bytes_per_token(layers, kv_heads, head_dim, bytes_per_value):
    """Cache for one token of context, keys and values: k = 2 L K d b.

    layers L, kv_heads K: counts (K is the number of query heads for MHA, fewer for GQA, 1 for MQA); head_dim d:
    values; bytes_per_value b: bytes; scalars or arrays that broadcast. Returns bytes. nan where any is negative.
    Source: Shazeer (2019), "Fast transformer decoding"; Ainslie et al. (2023), "GQA".
    """
    total = 2 * layers * kv_heads * head_dim * bytes_per_value
    return where_not_negative(total, layers, kv_heads, head_dim, bytes_per_value)


def mla_kv_bytes_per_token(layers, latent_dim, rope_dim, bytes_per_value):
    """Cache for one token of context with multi-head latent attention: k = L (c + r) b.

    layers L: count; latent_dim c: values kept in place of all keys and values; rope_dim r: values of the rotary key
    that all heads share; bytes_per_value b: bytes; scalars or arrays that broadcast. Returns bytes. nan where any is
    negative.
    Source: DeepSeek-AI (2024), "DeepSeek-V2", section 2.1.
    """
    total = layers * (latent_dim + rope_dim) * bytes_per_value
    return where_not_negative(total, layers, latent_dim, rope_dim, bytes_per_value)


def kv_bytes_of_request(context_tokens, full_bytes_per_token, sliding_bytes_per_token=0, window=0):
    """Cache of one request where some layers look back a window only: k s + k_w min(s, w).

    context_tokens s: count; full_bytes_per_token k: bytes a token in the layers that see everything;
    sliding_bytes_per_token k_w: bytes a token in the layers with a window; window w: tokens; scalars or arrays that
    broadcast. Returns bytes. nan where any is negative.
    Source: Beltagy et al. (2020), "Longformer"; model configurations of Gemma 3 and gpt-oss.
    """
    total = context_tokens * full_bytes_per_token + np.minimum(context_tokens, window) * sliding_bytes_per_token
    return where_not_negative(total, context_tokens, full_bytes_per_token, sliding_bytes_per_token, window)


def kv_bytes(requests, context_tokens, kv_bytes_per_token):
    """Cache of all requests together: M = R s k.

    requests R, context_tokens s (each): counts; kv_bytes_per_token k: bytes; scalars or arrays that broadcast.
    Returns bytes.
    nan where any is negative. Source: the definition.
    """
    total = requests * context_tokens * kv_bytes_per_token
    return where_not_negative(total, requests, context_tokens, kv_bytes_per_token)


def usable_memory(memory, accelerators, usable_share, reserved_bytes):
    """Memory that weights and caches may fill: M = n m u - r.

    memory m: bytes of one accelerator; accelerators n: count; usable_share u: 0 to 1 (engines ask for about 0.9);
    reserved_bytes r: bytes for activations and the rest, in all; scalars or arrays that broadcast. Returns bytes, 0
    where nothing is left.
    nan where u lies outside 0 to 1 or another is negative. Source: vLLM, the meaning of gpu_memory_utilization.
    """
    left = not_negative(memory) * not_negative(accelerators) * share(usable_share) - not_negative(reserved_bytes)
    return np.maximum(left, 0)


def requests_that_fit(memory, weight_bytes, kv_bytes_per_token, context_tokens):
    """Requests whose caches fit beside the weights: R = (M - W) / (k s), a real number and not rounded.

    memory M, weight_bytes W: bytes, in all; kv_bytes_per_token k: bytes; context_tokens s: tokens each request holds
    (peak_context to be safe, average_context to over-commit); scalars or arrays that broadcast. Returns requests.
    0 where the weights alone do not fit: no request does. nan where k or s is 0 or negative, or M or W negative.
    Source: the definition.
    """
    left = np.maximum(not_negative(memory) - not_negative(weight_bytes), 0)
    return left / (positive(kv_bytes_per_token) * positive(context_tokens))


def peak_context(input_tokens, output_tokens):
    """Context a request holds as its last token is made: s = S + N.

    input_tokens S, output_tokens N: counts; scalars or arrays that broadcast. Returns tokens. nan where either is
    negative.
    Source: the definition.
    """
    return where_not_negative(input_tokens + output_tokens, input_tokens, output_tokens)


def average_context(input_tokens, output_tokens):
    """Context a request holds on average while its tokens are made: s = S + N / 2.

    input_tokens S, output_tokens N: counts; scalars or arrays that broadcast. Returns tokens. nan where either is
    negative.
    A plan by this number fits on average and not at every moment: when many requests are near their end, some must be
    put off.
    Source: the mean of a context that grows evenly from S to S + N.
    """
    return where_not_negative(input_tokens + output_tokens / 2, input_tokens, output_tokens)


def tokens_freed_per_step(batch, input_tokens, output_tokens):
    """Cached tokens given back per decode step by the requests that end in it: B (S + N) / N.

    batch B: requests; input_tokens S, output_tokens N: counts; scalars or arrays that broadcast. Returns tokens.
    nan where N is 0 or negative or another is negative. Steady state: as many requests begin as end.
    Source: "How to Scale Your Model" (jax-ml/scaling-book), applied inference.
    """
    return not_negative(batch) * peak_context(input_tokens, output_tokens) / positive(output_tokens)
