"""The words of a verdict: limits, the rules of counting, what was found, and when a count decides."""

from dataclasses import dataclass, field, fields

import numpy as np

from explainer.formulas.goodput import wilson_interval

MET, NOT_MET, NOT_DECIDABLE = "met", "not met", "not decidable"
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Limits:
    """The most that is accepted: ttft and e2e in s, tpot in s per token; None where there is no such limit."""

    ttft: float | None = None
    tpot: float | None = None
    e2e: float | None = None

    def items(self) -> list[tuple[str, float]]:
        """The limits that are set, by name."""
        return [(limit.name, value) for limit in fields(self) if (value := getattr(self, limit.name)) is not None]


@dataclass(frozen=True)
class Rules:
    """What counts as what. The defaults are the project's definition; the other values are what other tools do.

    one_token: 'pass', 'fail' or 'exclude' for an answer of one token under a TPOT limit; cancelled: 'exclude' or
    'fail'; clock: 'send' or 'scheduled', where TTFT and E2E begin; denominator: 'attempted' or 'served';
    in_band_error: 'failed' or 'answer', for an error event inside a stream that began with 200; length: 'measured' or
    'requested', the tokens that TPOT divides by.
    """

    one_token: str = "pass"
    cancelled: str = "exclude"
    clock: str = "send"
    denominator: str = "attempted"
    in_band_error: str = "failed"
    length: str = "measured"


@dataclass(frozen=True)
class Verdict:
    """One run judged. Shares are of `attempted`; interval: two-sided 95 % Wilson; bounds: of the share where the file
    has no rows.

    attempted = ok + failed; good + missed + unjudged = ok. nan is 'not known'. notes: sentences that count the
    requests they concern. ttft, tpot, e2e: the rows' values in s as judged, with `counts` the rows in the denominator
    and `good_rows` those that met every limit.
    """

    attempted: float
    ok: float
    failed: float
    good: float
    missed: float
    unjudged: float
    share: float
    interval: tuple[float, float]
    verdict: str
    bounds: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    ttft: np.ndarray = field(default_factory=lambda: np.empty(0))
    tpot: np.ndarray = field(default_factory=lambda: np.empty(0))
    e2e: np.ndarray = field(default_factory=lambda: np.empty(0))
    answered: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))
    counts: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))
    good_rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))


def decide(good: float, attempted: float, attainment: float) -> str:
    """Met if the lower end of the 95 % Wilson interval reaches the attainment, not met if the upper end stays below,
    else not decidable.

    good, attempted: counts; attainment: share asked for, 0 to 1. Not decidable where nothing was attempted.
    """
    low, high = wilson(good, attempted)
    return MET if low >= attainment else NOT_MET if high < attainment else NOT_DECIDABLE


def promised(attainment: float) -> str:
    """The share asked for, as it was asked: 95%, 99.9999%."""
    return f"{100 * attainment:.12g}%"


def wilson(good: float, attempted: float) -> tuple[float, float]:
    """The two-sided 95 % Wilson interval as floats; (nan, nan) where nothing was attempted."""
    low, high = wilson_interval(np.float64(good), np.float64(attempted), CONFIDENCE)
    return float(low), float(high)
