"""Speculative decoding: a cheap draft proposes several tokens, the model checks them all in one step.

Each proposed token is accepted with the same chance, independently of the others; the first rejection ends the run.
"""

import numpy as np

from .domain import not_negative, positive, share


def expected_tokens(acceptance, draft_tokens):
    """Tokens that one checking step yields on average: E = (1 - a^(g + 1)) / (1 - a), and g + 1 at a = 1.

    acceptance a: chance that a drafted token is accepted, 0 to 1; draft_tokens g: drafted per step; scalars or arrays
    that broadcast.
    Returns tokens, from 1 to g + 1. nan where a lies outside 0 to 1 or g is negative.
    Source: Leviathan, Kalman, Matias (2023), "Fast inference from transformers via speculative decoding", equation 1.
    """
    most = not_negative(draft_tokens) + 1
    chance = share(acceptance)
    certain = chance == 1
    return np.where(certain, most, (1 - chance**most) / np.where(certain, np.nan, 1 - chance))


def speculative_speedup(acceptance, draft_tokens, draft_cost):
    """How many times sooner tokens come: E / (g c + 1).

    acceptance a, draft_tokens g: as in expected_tokens; draft_cost c: time of one drafted token over the time of one
    step of the model; scalars or arrays that broadcast. Returns a ratio, below 1 where drafting does not pay. nan
    outside the domain of expected_tokens or where c is negative. Checking g + 1 tokens takes as long as one: true
    only while memory is the limit.
    Source: Leviathan, Kalman, Matias (2023), theorem 3.8.
    """
    return expected_tokens(acceptance, draft_tokens) / (draft_tokens * not_negative(draft_cost) + 1)


def operations_factor(acceptance, draft_tokens, draft_operations):
    """How many times more arithmetic each token costs: (g c + g + 1) / E.

    acceptance a, draft_tokens g: as in expected_tokens; draft_operations c: FLOP of a drafted token over FLOP of one
    of the model; scalars or arrays that broadcast. Returns a ratio of 1 or more. nan outside the domain of
    expected_tokens or where c is negative.
    Source: Leviathan, Kalman, Matias (2023), theorem 3.11.
    """
    operations = draft_tokens * not_negative(draft_operations) + draft_tokens + 1
    return operations / expected_tokens(acceptance, draft_tokens)


def speculative_tpot(acceptance, draft_tokens, draft_step_time, verify_step_time):
    """Time per token when each step drafts and checks: TPOT = (g t_d + t_v) / E.

    acceptance a, draft_tokens g: as in expected_tokens; draft_step_time t_d: s per drafted token; verify_step_time
    t_v: s to check g + 1 tokens of every request at once, from the step-time model at that many tokens; scalars or
    arrays that broadcast. Returns s per token.
    nan outside the domain of expected_tokens, where t_d is negative or t_v 0 or negative.
    Source: Leviathan, Kalman, Matias (2023), with the checking time left open, as at load it grows.
    """
    step = draft_tokens * not_negative(draft_step_time) + positive(verify_step_time)
    return step / expected_tokens(acceptance, draft_tokens)
