"""One model on several accelerators: what is divided, and what talking about it costs.

Each exchange has a fixed latency and a bandwidth, one way per accelerator. Exchanges are not overlapped with work,
links are not shared with other traffic, and every accelerator is equally fast.
"""

import numpy as np

from .domain import not_negative, positive
from .offload import transfer_time
from .queueing import md1_wait


def all_reduce_time(accelerators, size, hop_latency, bandwidth):
    """Time until all hold the sum of what each had, on a ring: T = 2 (n - 1) a + 2 (n - 1) / n S / B.

    accelerators n: count, 1 or more; size S: bytes that each holds; hop_latency a: s per step of the ring; bandwidth
    B: bytes/s one way; scalars or arrays that broadcast. Returns s, 0 for one accelerator. nan where n is below 1, B
    is 0 or negative, or another negative.
    For a measured fixed cost of the whole exchange, add it and give hop_latency 0.
    Source: Patarasuk, Yuan (2009), "Bandwidth optimal all-reduce algorithms for clusters of workstations".
    """
    return 2 * all_gather_time(accelerators, size, hop_latency, bandwidth)


def all_gather_time(accelerators, size, hop_latency, bandwidth):
    """Time until all hold what was divided among them, on a ring: T = (n - 1) a + (n - 1) / n S / B.

    accelerators n: count, 1 or more; size S: bytes of the whole; hop_latency a: s per step; bandwidth B: bytes/s one
    way; scalars or arrays that broadcast. Returns s, 0 for one accelerator. nan where n is below 1, B is 0 or
    negative, or another is negative.
    Source: Patarasuk, Yuan (2009); "How to Scale Your Model" (jax-ml/scaling-book), sharding.
    """
    others = not_negative(accelerators - 1)
    return others * transfer_time(hop_latency, size / positive(accelerators), bandwidth)


def all_to_all_time(accelerators, size, hop_latency, bandwidth):
    """Time to send every other accelerator its own part of what each holds: T = (n - 1) a + (n - 1) / n^2 S / B.

    accelerators n: count, 1 or more; size S: bytes of the whole over all accelerators; hop_latency a: s per message;
    bandwidth B: bytes/s one way; scalars or arrays that broadcast. Returns s, 0 for one accelerator. nan where n is
    below 1, B is 0 or negative, or another is negative. For experts, S counts each token once for every accelerator
    it is sent to. Even routing; skew makes it longer.
    Source: "How to Scale Your Model" (jax-ml/scaling-book), GPUs.
    """
    return all_gather_time(accelerators, size / positive(accelerators), hop_latency, bandwidth)


def tensor_parallel_step_time(step, accelerators, layers, all_reduce):
    """Time of a step whose matrices are split over n accelerators: T = t / n + 2 L A, and t alone for n = 1.

    step t: s on one accelerator (of any one that could hold it); accelerators n: count, 1 or more; layers L: count;
    all_reduce A: s of one all-reduce, two a layer; scalars or arrays that broadcast. Returns s. nan where n is below
    1 or another is negative.
    Overheads that do not divide belong outside. Source: Shoeybi et al. (2019), "Megatron-LM".
    """
    exchanges = np.where(accelerators > 1, 2, 0) * not_negative(layers) * not_negative(all_reduce)
    return not_negative(step) / (not_negative(accelerators - 1) + 1) + exchanges


def tensor_parallel_limit(ffn_dim, batch, memory_bandwidth, link_bandwidth):
    """Accelerators from which exchanging activations takes longer than reading weights: n = F W_link / (B W_memory).

    ffn_dim F: values; batch B: tokens per step; memory_bandwidth W_memory, link_bandwidth W_link: bytes/s; scalars or
    arrays that broadcast. Returns accelerators, a real number. nan where a bandwidth or B is 0 or negative or F
    negative. Leaves out latency, which ends the gain earlier for small batches. Source: "How to Scale Your Model"
    (jax-ml/scaling-book), inference.
    """
    return not_negative(ffn_dim) * positive(link_bandwidth) / (positive(batch) * positive(memory_bandwidth))


def pipeline_bubble(stages, microbatches):
    """Part of the time that stages of a pipeline stand idle: (p - 1) / (m + p - 1).

    stages p, microbatches m: counts, 1 or more; scalars or arrays that broadcast. Returns a ratio. nan where either
    is below 1.
    A pipeline passes more through and makes no single token come sooner. Source: Huang et al. (2019), "GPipe".
    """
    idle = not_negative(stages - 1)
    return idle / (not_negative(microbatches - 1) + 1 + idle)


def prefill_response_time(rate, service_time):
    """Mean time to read a prompt on one accelerator, waiting included: T = D + R D^2 / (2 (1 - R D)).

    rate R: prompts per s, arriving at random; service_time D: s each; scalars or arrays that broadcast. Returns s.
    nan where R D is 1 or more or an argument negative. Source: Zhong et al. (2024), "DistServe", equation 1.
    """
    return service_time + md1_wait(rate, service_time)


def prefill_response_time_pipelined(rate, service_time):
    """The same with the layers on two accelerators in turn: T = D + R D^2 / (4 (2 - R D)).

    rate R: prompts per s, arriving at random; service_time D: s on one accelerator; scalars or arrays that broadcast.
    Returns s.
    nan where R D is 2 or more or an argument negative. Source: Zhong et al. (2024), "DistServe", equation 2.
    """
    return service_time + md1_wait(rate, service_time / 2)


def prefill_response_time_split(rate, service_time, speedup):
    """The same with every layer split over two accelerators: T = D / K + R D^2 / (2 K (K - R D)).

    rate R: prompts per s, arriving at random; service_time D: s on one accelerator; speedup K: how many times faster
    two are, 1 to 2 as exchanges cost something; scalars or arrays that broadcast. Returns s. nan where R D is K or
    more, K is 0 or negative, or another argument negative. Source: Zhong et al. (2024), "DistServe", equation 3.
    """
    return prefill_response_time(rate, service_time / positive(speedup))
