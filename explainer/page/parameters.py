"""What a reader can vary, a row each. Slider, number box, address, accessible name, reset and docs are all derived from the row."""
import math
from dataclasses import dataclass

from explainer.page.trace import Traced, name
from explainer.page.units import UNITS, Unit


@dataclass(frozen=True)
class Parameter:
    """One row. default, low, high and step are in the unit the reader sees; meaning names the colour (theme.py); help is one line."""

    name: str
    owner: str
    label: str
    symbol: str
    unit_name: str
    default: float
    low: float
    high: float
    step: float
    meaning: str
    help: str
    logarithmic: bool = False

    @property
    def unit(self) -> Unit:
        """The unit with as many decimals as the step has (a logarithmic slider gets three significant digits)."""
        unit = UNITS[self.unit_name]
        return unit if self.logarithmic else unit.with_decimals(max(0, -math.floor(math.log10(self.step) + 1e-9)))

    @property
    def accessible_name(self) -> str:
        return f"{self.owner}: {self.label.lower()}" if self.owner else self.label

    @property
    def traced(self) -> Traced:
        """The symbol that formulas take: an SI value, from the signal that holds the shown one."""
        return name(self.name, times=UNITS[self.unit_name].times, over=UNITS[self.unit_name].over, symbol=self.symbol)

    def as_json(self) -> dict:
        """What figure.js needs to bound, print and announce the value."""
        return {
            "name": self.name, "label": self.accessible_name, "default": self.default, "low": self.low, "high": self.high,
            "step": self.step, "logarithmic": self.logarithmic, "unit": self.unit.as_json(),
        }


_ROWS = (
    # name, owner, label, symbol, unit, default, low, high, step, meaning, help
    Parameter("ttft_a", "A", "Time to first token", "TTFT_A", "s", 0.4, 0.05, 5, 0.05, "a", "How long A's reader looks at nothing."),
    Parameter("tpot_a", "A", "Time per output token", "TPOT_A", "ms", 40, 2, 100, 1, "a", "How long each next token of A takes."),
    Parameter("ttft_b", "B", "Time to first token", "TTFT_B", "s", 1, 0.05, 5, 0.05, "b", "How long B's reader looks at nothing."),
    Parameter("tpot_b", "B", "Time per output token", "TPOT_B", "ms", 20, 2, 100, 1, "b", "How long each next token of B takes."),
    Parameter("tokens", "The answer", "Length", "N", "tokens", 101, 1, 1500, 1, "ink", "Tokens in the answer, the first one included."),
    Parameter("longest", "The picture", "Longest answer shown", "", "tokens", 400, 50, 1500, 50, "ink", "How far the picture reaches."),
    Parameter("start_gap", "You", "Head start of A", "d", "s", 0.6, -5, 5, 0.05, "ink", "How much sooner A shows its first token; below 0, how much later."),
    Parameter("waiting", "", "Waiting for the first token", "T_wait", "s", 10, 0, 25, 0.5, "waiting", "The part that stays as it is."),
    Parameter("streaming", "", "Streaming the rest", "T_stream", "s", 20, 0, 25, 0.5, "streaming", "The part that is made faster."),
    Parameter("stage_speedup", "", "Streaming made faster", "k", "ratio", 4, 1, 20, 0.5, "ink", "How many times faster that part runs."),
    Parameter("stage_share", "", "Share of the stage", "f", "share", 67, 0, 90, 1, "streaming", "The accelerated part of the whole, before."),
)
PARAMETERS = {row.name: row for row in _ROWS}


def symbols(names: str) -> list[Traced]:
    """The traced symbols of some parameters: ttft_a, tpot_a = symbols("ttft_a tpot_a")."""
    return [PARAMETERS[each].traced for each in names.split()]
