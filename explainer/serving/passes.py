"""What a pass costs, and a stretch of passes in closed form: plain scalar functions that numba compiles as they stand.

While nobody joins or leaves, every running answer grows by one token a pass, so the bytes read and the operations done
both grow along a straight line, and a pass takes step + max(memory + j * memory_growth, compute + j * compute_growth)
for j = 0, 1, 2, ... The five numbers come from the formulas once, before the loop starts (costs.py); nothing here knows
about hardware.
"""

from math import ceil, log10

FINEST_GAP = 1e-5  # s, lower edge of the first bin of gaps between tokens
BINS_PER_DECADE = 100
GAP_BINS = 8 * BINS_PER_DECADE  # up to 1,000 s; the last bin takes the rest


def pass_time(step, memory, memory_growth, compute, compute_growth, index):
    """Duration in s of pass number `index` (from 0) of a stretch."""
    return step + max(memory + index * memory_growth, compute + index * compute_growth)


def line_sum(first, growth, start, stop):
    """Sum of first + j * growth for start <= j < stop."""
    count = stop - start
    return count * (first + growth * (start + stop - 1) / 2)


def stretch_time(step, memory, memory_growth, compute, compute_growth, passes):
    """Duration in s of the first `passes` passes of a stretch: two straight lines, of which the upper one counts, cross
    at most once."""
    lead = memory - compute
    last_lead = lead + (passes - 1) * (memory_growth - compute_growth)
    if lead >= 0 and last_lead >= 0:
        return passes * step + line_sum(memory, memory_growth, 0, passes)
    if lead <= 0 and last_lead <= 0:
        return passes * step + line_sum(compute, compute_growth, 0, passes)
    crossing = min(max(int(ceil(lead / (compute_growth - memory_growth))), 0), passes)
    if lead > 0:
        before, after = (
            line_sum(memory, memory_growth, 0, crossing),
            line_sum(compute, compute_growth, crossing, passes),
        )
    else:
        before, after = (
            line_sum(compute, compute_growth, 0, crossing),
            line_sum(memory, memory_growth, crossing, passes),
        )
    return passes * step + before + after


def passes_until(step, memory, memory_growth, compute, compute_growth, passes, elapsed):
    """Fewest passes, 1 to `passes`, after which at least `elapsed` s of the stretch are over."""
    low, high = 1, passes
    while low < high:
        middle = (low + high) // 2
        if stretch_time(step, memory, memory_growth, compute, compute_growth, middle) >= elapsed:
            high = middle
        else:
            low = middle + 1
    return low


def gap_bin(gap):
    """Number of the logarithmic bin that a gap of `gap` s falls into."""
    if gap <= FINEST_GAP:
        return 0
    return min(int(log10(gap / FINEST_GAP) * BINS_PER_DECADE), GAP_BINS - 1)


def count_gaps(bins, offset, tokens, step, memory, memory_growth, compute, compute_growth, passes):
    """Add `tokens` gaps for each pass of a stretch to the bins that start at `offset`; durations only grow, so each bin
    is one run."""
    last_bin = gap_bin(pass_time(step, memory, memory_growth, compute, compute_growth, passes - 1))
    start = 0
    while start < passes:
        here = gap_bin(pass_time(step, memory, memory_growth, compute, compute_growth, start))
        low, high = start + 1, passes
        if here == last_bin:
            low = passes
        while low < high:
            middle = (low + high) // 2
            if gap_bin(pass_time(step, memory, memory_growth, compute, compute_growth, middle)) > here:
                high = middle
            else:
                low = middle + 1
        bins[offset + here] += tokens * (low - start)
        start = low
