"""JSON under one set of rules, whichever library is installed: NaN and Infinity are read, the last of equal names
wins, no depth bomb.

orjson is tried first where it is installed; whatever it refuses is given to the standard library, so that both answer
alike.
"""

import json
import math

import numpy as np

try:
    import orjson
except ImportError:  # the optional extra explainer[speed]
    orjson = None

# The two libraries stop at different depths. A text with this many brackets is left to the standard library alone.
_SHALLOW = 500
_LONG_INTEGERS = json.JSONDecoder(parse_int=float)


def loads(text: bytes):
    """The value of one JSON text; raises ValueError with a short reason."""
    if orjson is not None and text.count(b"[") + text.count(b"{") <= _SHALLOW:
        try:
            return orjson.loads(text)
        except ValueError:
            pass
    decoded = text.decode("utf-8", "replace")
    try:
        return json.loads(decoded)
    except json.JSONDecodeError:
        raise
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except ValueError:  # an integer of thousands of digits
        return _LONG_INTEGERS.decode(decoded)


def number(value) -> float:
    """A JSON number as a float; nan for null, a text, true or false, NaN, Infinity and what no float can hold."""
    if type(value) not in (float, int):
        return math.nan
    try:
        value = float(value)
    except OverflowError:
        return math.nan
    return value if math.isfinite(value) else math.nan


def member(value, *names: str):
    """value[name][name]... through nested JSON objects; None where one of them is missing or no object."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def numbers(value) -> list[float]:
    """A JSON array as floats, with nan for what number() refuses; empty where it is no array."""
    return [number(item) for item in value] if isinstance(value, list) else []


def number_array(value) -> np.ndarray:
    """numbers() as an array, at the speed that millions of gaps need."""
    if not isinstance(value, list):
        return np.empty(0)
    found = np.array(value) if {float, int}.issuperset(map(type, value)) else np.empty(0, dtype=object)
    return found if found.dtype == np.float64 and math.isfinite(found.sum()) else np.array(numbers(value))
