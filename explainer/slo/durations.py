"""Durations as people type them: 200ms, 0.2s, 2 s, 1.5 min."""

import math
import re

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "sec": 1.0, "min": 60.0}
_DURATION = re.compile(r"\s*(\d+\.?\d*|\.\d+)\s*([a-zµμ]+)\s*", re.IGNORECASE)


def seconds(text: str) -> float:
    """The duration in s; raises ValueError with a sentence where the number, the unit or a positive finite value is
    missing."""
    match = _DURATION.fullmatch(text)
    if not match or match[2].lower() not in _UNITS:
        hint = "; write a decimal point" if "," in text else ""
        raise ValueError(f"{text!r} is no duration: write a number and its unit, such as 200ms, 0.2s or 2s{hint}")
    value = float(match[1]) * _UNITS[match[2].lower()]
    if not 0 < value < math.inf:
        raise ValueError(f"{text!r} is no limit: it must be longer than 0")
    return value


def spoken(value: float) -> str:
    """A time in s as text with three significant digits: '83.1 ms', '4.40 s'; 'not defined' where it is not finite."""
    if not math.isfinite(value):
        return "not defined"
    if abs(value) >= 1e7:
        return f"{value:.2e} s"
    if abs(value) >= 1:
        return f"{_digits(value)} s"
    return f"{_digits(value * 1e3)} ms" if abs(value) >= 1e-3 or not value else f"{_digits(value * 1e6)} µs"


def _digits(value: float) -> str:
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}" if value else "0"
