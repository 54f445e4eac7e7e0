"""Mixture of experts: how many experts one step wakes, and what that costs to read.

Tokens choose their experts independently and evenly here. Real routing is correlated, so a batch wakes fewer: an
upper bound.
"""

from .domain import not_negative, positive, share, where_not_negative


def distinct_experts(experts, active, batch):
    """Experts of a layer that at least one token of the batch chose, on average: E (1 - (1 - k / E)^B).

    experts E: count; active k: different experts per token, 0 to E; batch B: tokens in the step; scalars or arrays
    that broadcast.
    Returns experts. nan where E is 0 or negative, k lies outside 0 to E, or B is negative.
    Source: the chance that all B tokens pass an expert by, each choosing k different ones.
    """
    chosen = share(active / positive(experts))
    return experts * (1 - (1 - chosen) ** not_negative(batch))


def step_weight_bytes(dense_bytes, expert_bytes, layers, distinct):
    """Weights that a step reads: W = W_d + L D w.

    dense_bytes W_d: bytes every token reads; expert_bytes w: bytes of one expert in one layer; layers L: layers with
    experts; distinct D:
    experts woken per layer (distinct_experts); scalars or arrays that broadcast. Returns bytes. nan where any is
    negative.
    Source: the definition.
    """
    total = dense_bytes + layers * distinct * expert_bytes
    return where_not_negative(total, dense_bytes, expert_bytes, layers, distinct)
