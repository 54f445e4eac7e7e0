"""Published values of dividing the work: transfers, exchanges, pipelines, prefill and decode apart."""

from functools import partial

from explainer.formulas.concurrency import aggregate_rate
from explainer.formulas.disaggregation import kv_traffic, prefill_decode_ratio, split_rate_per_accelerator
from explainer.formulas.memory import kv_bytes, kv_bytes_per_token
from explainer.formulas.offload import exchange_time, fetch_break_even_bandwidth, streamed_step_time
from explainer.formulas.parallel import (
    all_gather_time,
    all_reduce_time,
    pipeline_bubble,
    prefill_response_time_pipelined,
    prefill_response_time_split,
    tensor_parallel_limit,
)
from explainer.formulas.roofline import operation_time

from .machine import V5E_BANDWIDTH, V5E_FLOPS, book, kipply
from .row import BY_HAND, MEASURED, NOT_REPRODUCED, PUBLISHED_WRONG, Evidence

_article = partial(
    Evidence,
    source="“Why the fastest GPU does not necessarily deliver the fastest response” (2026)",
    scope="an example with round numbers",
)
_distserve = partial(Evidence, source="DistServe (Zhong et al. 2024)", scope="OPT on A100, 512 in, 64 out")
_offload = partial(
    Evidence, source="vllm-project/vllm #57771", scope="64 requests, 35 GB a GPU streamed in every step, eight GPUs"
)
_equations = partial(
    Evidence,
    source="DistServe, equations 2 and 3, worked by hand",
    scope="prefill on two accelerators, random arrivals",
    kind=BY_HAND,
)
_NO_END = 1e12  # a ring so long that (n - 1) / n is 1, as both sources round it

_KV_66B = kv_bytes_per_token(64, 72, 128, 2)
_GIB = "512 tokens of 64 layers and 72 heads of 128 are 1.125 GiB, which are 1.208 GB. The printed rate takes the GiB for GB and loses 7 % on the way."
_LAYER = 2 * 8192 * 28672  # weights of the book's feed-forward layer, at 8 bits its bytes
_LINK = "An estimate from bandwidth and one microsecond a hop. The book prints the profile beside it."


def _gain_of_splitting(load, speedup):
    """How much sooner the split is than the pipeline, at service time 1."""
    return prefill_response_time_pipelined(load, 1) - prefill_response_time_split(load, 1, speedup)


def load_where_equal(speedup):
    """The load at which the two ways to use two accelerators end together, halved into."""
    low, high = 0.0, min(speedup, 2) - 1e-9
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if _gain_of_splitting(middle, speedup) > 0 else (low, middle)
    return high


def slowdown(before, after):
    """How many times fewer tokens come."""
    return aggregate_rate(1, 1 / before) / aggregate_rate(1, 1 / after)


# fmt: off
ROWS = (
    *(_article(f"trips-{latency * 1e6:g}", f"80 round trips of {latency * 1e6:g} µs", exchange_time, (80, latency, 0, 4.5e11), printed, "ms", "one after another")
      for latency, printed in ((10e-6, "0.8"), (50e-6, "4"))),
    kipply("messages", "Exchanges of a 260B model, small batch", exchange_time, (4 * 80, 8e-6, 0, 300e9), "3", "ms", "four a layer, 80 layers, 8 µs each"),
    kipply("messages-formula", "What its formula line says before the numbers are put in", exchange_time, (2 * 4 * 80, 8e-6, 0, 300e9), "2,560", "µs", "2 · 4 · 80 · 8 µs", status=PUBLISHED_WRONG,
           mistake="contradicts itself", note="The line begins with 2 · 4 · n and goes on with 4 · 80: its own next step drops the 2."),
    kipply("messages-small", "Bytes of the same, small batch", exchange_time, (2 * 80 * 2, 0, 2 * 16384, 300e9), "35", "µs", "16,384 wide, 300 GB/s"),
    kipply("messages-large", "Bytes of the same, batch of 512", all_reduce_time, (_NO_END, 2 * 80 * 512 * 16384 * 2, 0, 300e9), "18", "ms", "300 GB/s, (N − 1)/N rounded up to 1, as the post does",
           note="With sixteen GPUs counted as sixteen it is 16.8 ms."),
    book("gather-long", "Gathering 2,048 × 8,192 values, four chips in a line", all_gather_time, (4, 2048 * 8192 * 2, 0, 4.5e10), "560", "µs", "16 bits, 45 GB/s one way", place=10),
    book("gather-bytes", "The same on a full ring", all_gather_time, (_NO_END, 2048 * 8192 * 2, 0, 9e10), "377", "µs", "33.55 MB at 90 GB/s", status=NOT_REPRODUCED, mistake="rounded on the way",
         note="33.55 MB at 90 GB/s take 373 µs. The book rounds the bytes to 34 MB first."),
    book("gather-profile", "The same four chips, as profiled", all_gather_time, (4, 2048 * 8192 * 2, 1e-6, 4.5e10), "680", "µs", "16 bits, 45 GB/s one way", status=NOT_REPRODUCED, kind=MEASURED,
         within=0.01, mistake="links other than announced", note=_LINK),
    book("gather-small-profile", "Gathering 256 × 256 values, as profiled", all_gather_time, (4, 256 * 256 * 2, 1e-6, 4.5e10), "8", "µs", "16 bits, 1 µs a hop", status=NOT_REPRODUCED, kind=MEASURED,
         within=0.01, mistake="links other than announced", note=_LINK),
    book("layer-exchange", "Exchange of one layer, batch of 32", all_reduce_time, (_NO_END, 32 * 8192 * 2, 0, 9e10), "11", "µs", "90 GB/s, (N − 1)/N taken as 1", cut=True, note="11.65 µs: the rest was cut off."),
    book("layer-reading", "Reading its weights on 32 chips", operation_time, (0, 32 * V5E_FLOPS, _LAYER, 32 * V5E_BANDWIDTH), "18", "µs", "470 MB at 8 bits"),
    book("layer-arithmetic", "Its arithmetic", operation_time, (4 * 32 * 8192 * 28672, 32 * V5E_FLOPS, 0, 1), "4", "µs", "32 tokens, 16-bit arithmetic", cut=True, note="4.77 µs: the rest was cut off."),
    book("prefill-machines", "Prefill machines for each decode machine", prefill_decode_ratio, (0.91, 32, 0.019, 512), "3", "machines", "0.91 s a prompt; 32 requests, 19 ms a step, 512 tokens"),
    _distserve("distserve-rate", "Requests a second and GPU, two for prefill and one for decode", split_rate_per_accelerator, (5.6, 2, 10, 1), "3.3", "requests/s", "5.6 and 10 requests/s a GPU, 13B"),
    _distserve("distserve-gain", "That against one GPU for both", slowdown, (split_rate_per_accelerator(5.6, 2, 10, 1), 1.6), "2.1", "×", "1.6 requests/s together", uses=(split_rate_per_accelerator,)),
    _distserve("distserve-cache", "Cache of one prompt, 66B", kv_bytes, (1, 512, _KV_66B), "1.13", "GB", "64 layers, 72 heads of 128, 16 bits", status=PUBLISHED_WRONG, mistake="GB and GiB confused", note=_GIB,
               uses=(kv_bytes, kv_bytes_per_token)),
    _distserve("distserve-traffic", "Traffic of ten such prompts a second", kv_traffic, (10, 512, _KV_66B), "90", "Gb/s", "10 requests/s", status=PUBLISHED_WRONG, mistake="GB and GiB confused", note=_GIB),
    *(_equations(f"distserve-crossing-{speedup:g}", f"Load from which a pipeline wins, split worth {speedup:g}×", load_where_equal, (speedup,), printed, "", "both equations set equal",
                 uses=(prefill_response_time_pipelined, prefill_response_time_split)) for speedup, printed in ((1.3, "0.611"), (1.5, "0.936"), (1.7, "1.257"), (1.9, "1.626"))),
    _offload("offload-report", "How many times slower the report calls it", slowdown, (2434, 120), "19", "×", "2,434 tok/s became 120", status=PUBLISHED_WRONG, mistake="2,434 ÷ 120 is not 19", uses=(aggregate_rate,),
             note="Its own two rates divide to 20.3."),
    *(_offload(f"offload-step-{words}", f"Step with the transfer {words}", streamed_step_time, (64 / 2434, 35e9, 64e9, overlap), printed, "ms", "26.3 ms, 35 GB at 64 GB/s", kind=BY_HAND)
      for words, overlap, printed in (("added", 0, "573"), ("hidden", 1, "547"))),
    *(_offload(f"offload-rate-{words}", f"Tokens a second with the transfer {words}", aggregate_rate, (64, streamed_step_time(64 / 2434, 35e9, 64e9, overlap)), printed, "tok/s", "26.3 ms, 35 GB at 64 GB/s",
               kind=BY_HAND, uses=(aggregate_rate, streamed_step_time)) for words, overlap, printed in (("added", 0, "112"), ("hidden", 1, "117"))),
    _offload("offload-observed", "Tokens a second that were seen", aggregate_rate, (64, streamed_step_time(64 / 2434, 35e9, 64e9, 1)), "120", "tok/s", "35 GB at 64 GB/s, all of it hidden",
             status=NOT_REPRODUCED, kind=MEASURED, within=0.01, uses=(aggregate_rate, streamed_step_time), mistake="links other than announced",
             note="120 tok/s ask for 65.6 GB/s, more than the 63 GB/s of a PCIe 5 × 16 link. The 35 GB, the 120 or the link is a little off."),
    Evidence("bubble-12", "Idle part of a pipeline, four stages", pipeline_bubble, (4, 12), "0.2", "", "12 microbatches", "GPipe’s formula, worked by hand", "even stages", kind=BY_HAND),
    Evidence("reduce-bytes", "Bytes of one exchange, 70B over eight", all_reduce_time, (8, 32 * 8192 * 2, 0, 450e9), "2.04", "µs", "32 requests, 450 GB/s", "The formula, by hand", "H100, one direction of NVLink", kind=BY_HAND),
    Evidence("tensor-limit", "Cards from which exchange outweighs reading", tensor_parallel_limit, (28672, 32, 3.35e12, 450e9), "120", "accelerators", "batch of 32, 28,672 wide", "The formula, by hand", "H100", kind=BY_HAND),
    *(Evidence(f"fetch-{name}", f"Link from which a stored cache beats computing it, {name}", fetch_break_even_bandwidth, (kv, 2 * weights, cards * 0.5 * 989e12), printed, "GB/s", f"{cards} H100 at half their peak",
               "The formula, by hand", "Llama 3.1, 16 bits", kind=BY_HAND) for name, kv, weights, cards, printed in (("8B", 131_072, 7.505e9, 1, "4.3"), ("70B", 327_680, 69.5e9, 8, "9.3"))),
)
# fmt: on
