"""How long one piece of arithmetic takes: as long as its calculation or as long as its reading, whichever is longer.

Calculation and reading overlap completely here, and every part runs at one efficiency. Real kernels overlap less and
lose time to tiles, launches and waiting; where that matters, the efficiencies (MFU, MBU) and overheads of prefill.py
and decode.py carry it.
"""

import numpy as np

from .domain import not_negative, positive


def operation_time(flops, flop_rate, bytes_moved, bandwidth):
    """Time of one operation on a roofline: T = max(F / P, D / B).

    flops F: FLOP; flop_rate P: FLOP/s; bytes_moved D: bytes; bandwidth B: bytes/s; scalars or arrays that broadcast.
    Returns s.
    nan where a rate is 0 or negative (no such machine) or a quantity negative. A lower bound: no overhead, complete
    overlap.
    Source: Williams, Waterman, Patterson (2009), "Roofline: an insightful visual performance model".
    """
    return np.maximum(not_negative(flops) / positive(flop_rate), not_negative(bytes_moved) / positive(bandwidth))


def arithmetic_intensity(flops, bytes_moved):
    """Calculation done for each byte read or written: I = F / D.

    flops F: FLOP; bytes_moved D: bytes; scalars or arrays that broadcast. Returns FLOP per byte.
    nan where no byte moves (D of 0 or less) or F is negative. Source: Williams, Waterman, Patterson (2009).
    """
    return not_negative(flops) / positive(bytes_moved)


def ridge_intensity(flop_rate, bandwidth):
    """Intensity at which calculation and reading take equally long: I* = P / B.

    Below it memory is the limit, above it arithmetic.
    flop_rate P: FLOP/s; bandwidth B: bytes/s; scalars or arrays that broadcast. Returns FLOP per byte.
    nan where a rate is 0 or negative. Source: Williams, Waterman, Patterson (2009).
    """
    return positive(flop_rate) / positive(bandwidth)


def critical_batch(flop_rate, bandwidth, bytes_per_weight):
    """Tokens per step at which multiplying by the weights takes as long as reading them: B* = P b / (2 B).

    flop_rate P: FLOP/s; bandwidth B: bytes/s; bytes_per_weight b: bytes; scalars or arrays that broadcast. Returns
    tokens, a real number.
    nan where a rate or b is 0 or negative. Counts the weight matrices only: attention reads a cache of its own for
    every request.
    Source: "How to Scale Your Model" (jax-ml/scaling-book), inference; kipply, "Transformer inference arithmetic".
    """
    return ridge_intensity(flop_rate, bandwidth) * positive(bytes_per_weight) / 2


def mfu(flops, time, flop_rate):
    """Model FLOP utilisation, the part of the peak arithmetic that was useful: MFU = F / (T P).

    flops F: FLOP the model needs; time T: s; flop_rate P: peak FLOP/s of all accelerators; scalars or arrays that
    broadcast.
    Returns a ratio. nan where T or P is 0 or negative or F negative. Above 1 it is no error here but one in what was
    put in: wrong FLOPs, a peak with or without sparsity, or a time that left something out.
    Source: Chowdhery et al. (2022), "PaLM", appendix B.
    """
    return not_negative(flops) / (positive(time) * positive(flop_rate))


def mbu(bytes_moved, time, bandwidth):
    """Model bandwidth utilisation, the part of the peak memory bandwidth that was useful: MBU = D / (T B).

    bytes_moved D: bytes the model must read (weights and KV cache); time T: s; bandwidth B: peak bytes/s of all
    accelerators; scalars or arrays that broadcast. Returns a ratio. nan where T or B is 0 or negative or D negative.
    Above 1: see mfu.
    Source: Databricks (2023), "LLM inference performance engineering: best practices".
    """
    return not_negative(bytes_moved) / (positive(time) * positive(bandwidth))
