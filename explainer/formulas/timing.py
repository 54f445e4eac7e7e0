"""The clocks of one answer: first token, each next token, last token.

The model is a straight line: after the first token, every further token takes the same time. Real streams pause and burst; TPOT is
then the mean over the answer, so completion_time is exact for the request it was measured on and a model for any other length.
"""

import numpy as np


def completion_time(ttft, tpot, output_tokens):
    """Time from sending the request to its last token: T = TTFT + (N - 1) * TPOT.

    ttft: s; tpot: s per token; output_tokens: count, 1 or more; scalars or arrays that broadcast. Returns s.
    nan below one token: an answer without a token has no last one.
    Source: the definition of TPOT (NVIDIA AIPerf and MLPerf: (latency - TTFT) / (N - 1)), solved for latency.
    """
    following = np.where(output_tokens >= 1, output_tokens - 1, np.nan)
    return ttft + following * tpot


def tpot(ttft, end_to_end, output_tokens):
    """Time per output token after the first: TPOT = (T - TTFT) / (N - 1).

    ttft, end_to_end: s from the same start; output_tokens: count; scalars or arrays that broadcast. Returns s per token.
    nan at one token and below: the first token ends the first wait, and there is no next one to time.
    Source: NVIDIA AIPerf metrics reference; MLPerf inference rules; vLLM bench serve.
    """
    following = np.where(output_tokens > 1, output_tokens - 1, np.nan)
    return (end_to_end - ttft) / following


def generation_rate(tpot):
    """Tokens a second that one user sees after the first token: r = 1 / TPOT.

    tpot: s per token, scalar or array. Returns tokens per s. nan where tpot is 0 or less: all the tokens came at once, which is no rate.
    Source: NVIDIA AIPerf, "output token throughput per user".
    """
    return 1 / np.where(tpot > 0, tpot, np.nan)


def crossover_tokens(ttft_a, tpot_a, ttft_b, tpot_b):
    """Length at which answers from A and B end together: N* = 1 + (TTFT_A - TTFT_B) / (TPOT_B - TPOT_A).

    ttft_a, ttft_b: s; tpot_a, tpot_b: s per token; scalars or arrays that broadcast. Returns tokens, a real number.
    nan where there is no such length: lines that are parallel (or the same) never cross, and a crossing before the first token is none.
    Source: both completion times set equal.
    """
    slope = tpot_b - tpot_a
    following = (ttft_a - ttft_b) / np.where(slope != 0, slope, np.nan)
    return 1 + np.where(following >= 0, following, np.nan)


def tokens_within(deadline, ttft, tpot):
    """Tokens that arrive by a deadline: N = 1 + (D - TTFT) / TPOT, a real number and not rounded.

    deadline, ttft: s from sending; tpot: s per token, above 0; scalars or arrays that broadcast. Returns tokens.
    0 where the deadline comes before the first token; else nan where tpot is 0 or less: no rate, no count.
    Source: completion_time solved for N.
    """
    following = (deadline - ttft) / np.where(tpot > 0, tpot, np.nan)
    return np.where(deadline < ttft, 0, 1 + following)


def tpot_for_deadline(deadline, ttft, output_tokens):
    """Slowest TPOT that still ends an answer by the deadline: TPOT = (D - TTFT) / (N - 1).

    deadline, ttft: s from sending; output_tokens: count; scalars or arrays that broadcast. Returns s per token.
    nan at one token and below (no token follows the first) and where the first token comes after the deadline (no TPOT can help).
    Source: completion_time solved for TPOT.
    """
    spare = np.where(deadline >= ttft, deadline - ttft, np.nan)
    return tpot(0, spare, output_tokens)
