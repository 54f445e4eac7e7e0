"""The edges of a formula's domain: a value outside becomes nan, so that a result that means nothing is never a
number.

Each helper is elementwise and branches through np.where alone, so a formula that uses one can still be traced.
"""

import numpy as np


def positive(value):
    """The value where it is above 0, else nan: for divisors, and for sizes that a thing cannot lack.

    value: any unit, scalar or array. Returns the same, with nan where it is 0, negative or nan. Source: the
    definition of a domain.
    """
    return np.where(value > 0, value, np.nan)


def not_negative(value):
    """The value where it is 0 or more, else nan: for times, counts and bytes.

    value: any unit, scalar or array. Returns the same, with nan where it is negative or nan. Source: the definition
    of a domain.
    """
    return np.where(value >= 0, value, np.nan)


def share(value):
    """The value where it lies from 0 to 1, else nan: for probabilities and parts of a whole.

    value: a ratio, scalar or array. Returns the same, with nan outside 0 to 1. Source: the definition of a domain.
    """
    return np.where(np.logical_and(value >= 0, value <= 1), value, np.nan)


def efficiency(value):
    """The value where it is above 0 and at most 1, else nan: for the part of a peak rate that is reached (MFU, MBU).

    value: a ratio, scalar or array. Returns the same, with nan at 0 and outside 0 to 1. Source: no machine beats its
    own peak.
    """
    return np.where(np.logical_and(value > 0, value <= 1), value, np.nan)


def where_not_negative(result, *arguments):
    """The result where every argument is 0 or more, else nan: for plain products and sums of quantities.

    result, arguments: any units; scalars or arrays that broadcast. Returns the result. Source: the definition of a
    domain.
    """
    for argument in arguments:
        result = np.where(argument >= 0, result, np.nan)
    return result


def whole_number(value, name, least):
    """The value as an int, for the few formulas that loop that many times.

    value: a whole number, not an array; name: how a sentence calls it; least: the smallest allowed. Returns an int.
    Raises ValueError with one sentence where it is not whole or below least. Source: the definition of a domain.
    """
    try:
        number = int(value) if np.ndim(value) == 0 else None
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or number != value or number < least:
        raise ValueError(f"{name} must be one whole number of {least} or more, not {value!r}.")
    return number
