"""Units at the edge: how a number in SI becomes the number and the words that a person reads.

The same few lines stand once more in script/words.js, because a page must print while no Python runs; a browser test holds
the two together on thousands of values.
"""

import math
from dataclasses import asdict, dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

UNDEFINED = "undefined"


@dataclass(frozen=True)
class Unit:
    """shown = SI value * over / times; fixed decimals, or significant digits where decimals is None; suffix and its singular; as spoken.

    Where there are options, the value is the index of one of them, and its words are the option itself.
    """

    suffix: str
    spoken: str
    times: float = 1
    over: float = 1
    decimals: int | None = None
    significant: int = 3
    singular: str | None = None
    options: tuple[str, ...] = ()

    def with_decimals(self, decimals: int) -> "Unit":
        return replace(self, decimals=decimals)

    def shown(self, value: float) -> float:
        """The number a person sees for an SI value."""
        return value * self.over / self.times

    def si(self, shown: float) -> float:
        """The SI value of a number that a person sees."""
        return shown * self.times / self.over

    def text(self, value: float, bare: bool = False) -> str:
        """The words for an SI value: "4.40 s", "101 tokens", "undefined"; bare leaves the suffix out."""
        return self.text_of_shown(self.shown(value), bare)

    def text_of_shown(self, shown: float, bare: bool = False) -> str:
        """The words for a number in this unit, as a control holds it."""
        if self.options:
            return self.options[int(shown)]
        if math.isnan(shown):
            return UNDEFINED
        if math.isinf(shown):
            number = "∞" if shown > 0 else "−∞"
        else:
            number = _digits(shown, self._places(shown))
        if bare:
            return number
        return number + (self.singular if self.singular and number == "1" else self.suffix)

    def ending(self, shown: float) -> str:
        """What stands behind a number in its box: "tokens", but "token" behind 1."""
        return self.text_of_shown(shown)[len(self.text_of_shown(shown, bare=True)) :].strip()

    def _places(self, shown: float) -> int:
        if self.decimals is not None:
            return self.decimals
        exponent = int(f"{shown:.{self.significant - 1}e}".split("e")[1]) if shown else 0
        return min(max(self.significant - 1 - exponent, 0), 6)

    def as_json(self) -> dict:
        """What the script needs to print the same words."""
        return asdict(self)


def _digits(value: float, places: int) -> str:
    """Fixed decimals with thousands separated, halves away from 0 as JavaScript's toFixed rounds them, a true minus sign."""
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    return f"{abs(rounded) if rounded == 0 else rounded:,}".replace("-", "−")


# fmt: off
UNITS = {
    "s": Unit(" s", "seconds", decimals=2),
    "wait": Unit(" s", "seconds", significant=2),  # seconds that span decades
    "ms": Unit(" ms", "milliseconds", over=1e3),
    "us": Unit(" µs", "microseconds", over=1e6),
    "tokens": Unit(" tokens", "tokens", decimals=0, singular=" token"),
    "ratio": Unit("×", "times", decimals=2),
    "share": Unit(" %", "percent", over=100, decimals=0),
    "percent": Unit(" %", "percent", over=100, significant=2),
    "tok/s": Unit(" tok/s", "tokens per second"),
    "requests": Unit(" requests", "requests", decimals=0, singular=" request"),
    "req/s": Unit(" req/s", "requests per second"),
    "count": Unit("", "count", decimals=0),
    "clients": Unit(" clients", "clients", decimals=0, singular=" client"),
    "GB": Unit(" GB", "gigabytes", times=1e9),
    "GB/s": Unit(" GB/s", "gigabytes per second", times=1e9),
    "TB/s": Unit(" TB/s", "terabytes per second", times=1e12),
    "TFLOP": Unit(" TFLOP", "trillions of operations", times=1e12),
    "TFLOP/s": Unit(" TFLOP/s", "trillions of operations per second", times=1e12),
    "FLOP/B": Unit(" FLOP/B", "operations per byte"),
}
# fmt: on
