"""Prefill and decode on separate machines: how many of each, and what crosses between them.

Both sides are taken as busy all the time and alike; bursts, failures and the time a request waits for its cache come
on top.
"""

import numpy as np

from .domain import not_negative, positive


def prefill_decode_ratio(prefill_time, batch, step_time, output_tokens):
    """Prefill machines that keep one decode machine busy: p = T B / (t N).

    prefill_time T: s for one prompt; batch B: requests that one decode machine holds; step_time t: s per token at
    that batch; output_tokens N: count per request; scalars or arrays that broadcast. Returns machines per machine.
    nan where t or N is 0 or negative or another is negative. Source: "How to Scale Your Model" (jax-ml/scaling-book),
    applied inference.
    """
    return not_negative(prefill_time) * not_negative(batch) / (positive(step_time) * positive(output_tokens))


def split_rate_per_accelerator(prefill_rate, prefill_accelerators, decode_rate, decode_accelerators):
    """Requests a second for each accelerator, prefill and decode apart: X = min(n_p r_p, n_d r_d) / (n_p + n_d).

    prefill_rate r_p, decode_rate r_d: requests per s that one accelerator of a side sustains within its own limit;
    prefill_accelerators n_p, decode_accelerators n_d: counts; scalars or arrays that broadcast. Returns requests per
    s and accelerator.
    nan where there is no accelerator or an argument is negative. Source: Zhong et al. (2024), "DistServe", section 1.
    """
    prefill = not_negative(prefill_rate) * not_negative(prefill_accelerators)
    decode = not_negative(decode_rate) * not_negative(decode_accelerators)
    return np.minimum(prefill, decode) / positive(prefill_accelerators + decode_accelerators)


def kv_traffic(rate, input_tokens, kv_bytes_per_token):
    """Bytes a second of KV cache that cross from prefill to decode: r S k.

    rate r: requests per s; input_tokens S: count; kv_bytes_per_token k: bytes; scalars or arrays that broadcast.
    Returns bytes/s.
    nan where any is negative. Source: Zhong et al. (2024), "DistServe", section 3.3.
    """
    return not_negative(rate) * not_negative(input_tokens) * not_negative(kv_bytes_per_token)
