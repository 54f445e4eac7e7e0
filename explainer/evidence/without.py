"""Formulas for which no published value was found: what is known of them instead."""

_DEFINITION = "a definition or a plain product"
_SOLVED = "another formula, solved for a different symbol"
_GUARD = "no formula: it marks the edge of a domain"
_TEXTBOOK = "derived; held to limits and to the formulas around it"

WITHOUT = {
    "agents.chain_time": _TEXTBOOK,
    "agents.expected_attempts": _TEXTBOOK,
    "agents.sequential_share": "the inverse of sequential_percentile, which has values",
    "agents.step_time": _DEFINITION,
    "agents.total_distribution": "a convolution; held to sums worked by hand",
    "concurrency.frontier_rate": _SOLVED,
    "decode.decode_overhead": "two constants that are fitted, not derived",
    "domain.efficiency": _GUARD,
    "domain.not_negative": _GUARD,
    "domain.positive": _GUARD,
    "domain.share": _GUARD,
    "domain.where_not_negative": _GUARD,
    "domain.whole_number": _GUARD,
    "memory.average_context": _DEFINITION,
    "memory.peak_context": _DEFINITION,
    "memory.kv_bytes_of_request": "held to the shapes of two models with windows",
    "moe.step_weight_bytes": _DEFINITION,
    "offload.break_even_bandwidth": _SOLVED,
    "offload.effective_bandwidth": _SOLVED,
    "offload.half_bandwidth_size": _SOLVED,
    "offload.offload_saving": _DEFINITION,
    "offload.transfer_time": "a latency and a size over a bandwidth; its values are those of exchange_time",
    "parallel.all_to_all_time": "published values are for rings, ours is for a switch",
    "parallel.tensor_parallel_step_time": "no published step time gives its parts",
    "queueing.spare_share": _DEFINITION,
    "speculative.speculative_tpot": _TEXTBOOK,
}
