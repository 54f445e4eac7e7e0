"""What a reader can vary, a row each. Slider, number box, address, accessible name, reset and docs are all derived from the row."""

import math
from dataclasses import dataclass

import numpy as np

from explainer.page.trace import Traced, name
from explainer.page.units import UNITS, Unit

_RUNGS = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)


@dataclass(frozen=True)
class Parameter:
    """One row. default, low, high and step are in the unit the reader sees; meaning names the colour (theme.py); help is one line.

    A quantity that spans decades climbs a ladder instead of even steps: "decimal" (1, 1.2, 1.5, 2, 2.5 ...) or "binary" (1, 2, 3, 4, 6, 8,
    12 ...), or stops of its own; typed values may lie between the rungs. A choice among options has no number: its value is the option's index.
    """

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
    ladder: str | tuple[float, ...] = ""
    options: tuple[str, ...] = ()

    @property
    def unit(self) -> Unit:
        """The unit, with as many decimals as the step has; on a ladder, with three significant digits."""
        if self.options:
            return Unit("", self.label.lower(), options=self.options)
        unit = UNITS[self.unit_name]
        return unit if self.ladder else unit.with_decimals(max(0, -math.floor(math.log10(self.step) + 1e-9)))

    @property
    def rungs(self) -> list[float]:
        """The values a slider stops at, where it climbs a ladder; empty where it goes in even steps."""
        if not self.ladder:
            return []
        if isinstance(self.ladder, tuple):
            return list(self.ladder)
        if self.ladder == "binary":
            climbed = [base * 2**power for power in range(-1, 40) for base in (1, 1.5)]
        else:
            climbed = [round(rung * 10**power, 12) for power in range(-9, 13) for rung in _RUNGS]
        inside = [each for each in climbed if self.low < each < self.high and (self.step < 1 or each == int(each))]
        return sorted({self.low, *inside, self.default, self.high})

    @property
    def default_rung(self) -> int:
        """The rung nearest to the default, where a slider starts."""
        return min(range(len(self.rungs)), key=lambda index: abs(self.rungs[index] - self.default))

    @property
    def accessible_name(self) -> str:
        return f"{self.owner}: {self.label.lower()}" if self.owner else self.label

    @property
    def traced(self) -> Traced:
        """The symbol that formulas take: an SI value, from the signal that holds the shown one."""
        return name(self.name, times=self.unit.times, over=self.unit.over, symbol=self.symbol)

    def as_json(self) -> dict:
        """What the script needs to bound, print and announce the value."""
        return {
            "name": self.name,
            "label": self.accessible_name,
            "default": self.default,
            "low": self.low,
            "high": self.high,
            "step": self.step,
            "rungs": self.rungs,
            "unit": self.unit.as_json(),
        }


# What the charts of chapter 4 choose from: names in the catalogue.
ACCELERATORS = ("A100 SXM 80 GB", "H100 SXM", "H200 SXM", "B200 SXM", "MI300X", "MI355X", "TPU v6e", "L40S", "RTX 4090")
MODELS = ("Llama 3.1 8B", "Qwen3 32B", "Llama 3.3 70B", "Llama 3.1 405B")
# The stops of chapter 7, where every setting is a simulation.
RATES = (1, 2, 5, 10, 16, 22, 30, 36, 42, 48, 56, 70, 90, 120, 150, 200)
BUDGETS = (256, 512, 1024, 2048, 4096, 8192, 16384)
PAIR_RATES = (2, 6, 8, 10, 12, 14, 16, 18, 20, 24, 30)
MEASURED = ("H100 SXM", "A100 SXM 80 GB")


# What chapter 12 chooses from: the groups of the evidence, the laws held against a measured sweep, and its rows.
EVIDENCE_GROUPS = (
    "The clocks of one answer",
    "One machine",
    "Sizes",
    "Many at once",
    "Dividing the work",
    "Shares and chances",
    "All of them",
)
SWEEP_LAWS = ("Little’s law, the wait counted", "Streams alone, no wait", "Bound from one client and the peak")
SWEEP_CLIENTS = (1, 5, 25, 50, 100, 150, 200, 250)


def choice(name: str, owner: str, label: str, options: tuple[str, ...], default: str, help: str) -> Parameter:
    """A row whose values are named options."""
    return Parameter(
        name, owner, label, "", "", options.index(default), 0, len(options) - 1, 1, "ink", help, options=options
    )


# fmt: off
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
    choice("accelerator", "Hardware", "Accelerator", ACCELERATORS, "H100 SXM", "Dense 16-bit arithmetic and memory bandwidth, as announced."),
    choice("model", "Model", "Model", MODELS, "Llama 3.1 8B", "A dense model's shape, its weights at 16 bits."),
    Parameter("prompt_tokens", "Work", "Prompt", "n", "tokens", 2048, 1, 32768, 1, "prefill", "Tokens that are read before the first one is written.", ladder="binary"),
    Parameter("batch", "Work", "Requests decoded together", "b", "requests", 1, 1, 1024, 1, "decode", "Each gets one token from a step.", ladder="binary"),
    Parameter("context_tokens", "Work", "Context of each", "s", "tokens", 2048, 256, 131072, 1, "decode", "Tokens whose cache a step reads, for each request.", ladder="binary"),
    Parameter("weight_size", "Model", "Weights", "W", "GB", 70, 1, 1000, 1, "decode", "Read once for each step; here one byte a weight.", ladder="decimal"),
    Parameter("bandwidth", "Hardware", "Memory bandwidth", "B", "TB/s", 2, 0.1, 40, 0.1, "decode", "How fast the weights can be read.", ladder="decimal"),
    Parameter("flop_rate", "Hardware", "Arithmetic", "P", "TFLOP/s", 400, 10, 20000, 1, "prefill", "How fast numbers can be multiplied.", ladder="decimal"),
    choice("measured_gpu", "Measured", "Accelerator", MEASURED, "H100 SXM", "One linear layer of Llama 2 70B (gate and up projection), 16 bits."),
    Parameter("layer_tokens", "Measured", "Tokens in the pass", "n", "tokens", 128, 1, 4096, 1, "ink", "A row of the table, and the dashed line.", ladder="binary"),
    Parameter("mfu", "Model", "Share of the arithmetic reached", "η_P", "share", 68, 10, 100, 1, "prefill", "MFU: of the announced FLOP/s."),
    Parameter("mbu", "Model", "Share of the bandwidth reached", "η_B", "share", 92, 10, 100, 1, "decode", "MBU: of the announced bytes a second."),
    Parameter("limit_ttft", "Limits", "Time to first token", "L_TTFT", "ms", 500, 100, 1000, 10, "limit", "A request that starts later than this is not good."),
    Parameter("limit_tpot", "Limits", "Time per output token", "L_TPOT", "ms", 50, 10, 100, 1, "limit", "A request that streams slower than this is not good."),
    choice("denominator", "Counting", "Out of", ("attempted requests", "served requests"), "attempted requests", "What the good ones are divided by."),
    choice("in_band_error", "Counting", "An error inside a stream", ("is a failure", "is an answer"), "is a failure", "The server answered 200 and then sent an error."),
    choice("counted_length", "Counting", "Length of an answer", ("as measured", "as requested"), "as measured", "What TPOT divides by, where the two differ."),
    choice("one_token", "Counting", "An answer of one token", ("passes", "fails", "is left out"), "passes", "It has no TPOT to hold against a limit."),
    Parameter("observed_share", "The run", "Good requests seen", "p", "share", 97, 50, 100, 0.5, "good", "Share of the run that met every limit."),
    Parameter("target_share", "The promise", "Good requests promised", "t", "share", 95, 50, 99.5, 0.5, "limit", "Share that must be good."),
    Parameter("requests_run", "The run", "Requests in the run", "n", "requests", 200, 10, 100000, 1, "ink", "How many were sent.", ladder="decimal"),
    Parameter("call_share", "Each request", "Good requests", "q", "share", 95, 80, 99.9, 0.1, "good", "Share of single requests that meet the limits."),
    Parameter("calls", "The session", "Requests in a session", "k", "requests", 10, 1, 100, 1, "ink", "One after the other, or all at once."),
    Parameter("arrival_rate", "The load", "Requests that come", "λ", "req/s", 30, 1, 200, 1, "ink", "Poisson arrivals, whatever the engine does.", ladder=RATES),
    Parameter("mean_prompt", "The requests", "Mean prompt", "n", "tokens", 512, 256, 4096, 1, "prefill", "Lognormal, as spread as its mean.", ladder=(256, 512, 1024, 2048, 4096)),
    Parameter("mean_answer", "The requests", "Mean answer", "N", "tokens", 256, 64, 512, 1, "decode", "Lognormal, as spread as its mean.", ladder=(64, 128, 256, 512)),
    Parameter("steady_rate", "The load", "Requests that come", "λ", "req/s", 10, 6, 14, 1, "ink", "Poisson arrivals.", ladder=(6, 8, 10, 12, 14)),
    Parameter("long_prompt", "The load", "Mean prompt", "n", "tokens", 2048, 512, 4096, 1, "prefill", "Lognormal; answers have 256 tokens in the mean.", ladder=(512, 1024, 2048, 4096)),
    Parameter("budget", "The engine", "Token budget of a pass", "C", "tokens", 2048, 256, 16384, 1, "ink", "Decodes and prompt pieces share it.", ladder=BUDGETS),
    Parameter("pair_rate", "The load", "Requests that come", "λ", "req/s", 12, 2, 30, 1, "ink", "Poisson arrivals, for both machines together.", ladder=PAIR_RATES),
    Parameter("link_rate", "The machines", "Link between them", "W", "GB/s", 50, 3, 400, 1, "ink", "What carries the cache from prefill to decode.", ladder=(3, 6, 12, 50, 400)),
    Parameter("pace_limit", "The limits", "Time per output token", "L_TPOT", "ms", 15, 10, 50, 1, "limit", "With 1 s to the first token.", ladder=(10, 15, 20, 30, 50)),
    Parameter("traffic", "The load", "Traffic", "×", "ratio", 1, 0.5, 4, 0.25, "ink", "Of the recorded hour: 5.5 requests a second.", ladder=(0.5, 1, 1.5, 2, 2.5, 3, 4)),
    choice("evidence_group", "Published values", "Subject", EVIDENCE_GROUPS, "All of them", "Published values that the formulas were held against, by subject."),
    Parameter("accepted_error", "You", "Difference you would accept", "ε", "percent", 1, 0.01, 100, 0.01, "limit", "Between a published value and ours.", ladder="decimal"),
    choice("sweep_law", "The law", "Tokens a second by", SWEEP_LAWS, SWEEP_LAWS[0], "What the line is computed from."),
    Parameter("sweep_clients", "Measured", "Clients", "C", "clients", 100, 1, 250, 1, "ink", "A row of the table, and the dashed line.", ladder=SWEEP_CLIENTS),
    Parameter("sweep_mfu", "Model", "Share of the arithmetic reached", "η_P", "share", 55, 10, 100, 1, "prefill", "MFU: of the announced FP8 FLOP/s of two cards."),
    Parameter("sweep_mbu", "Model", "Share of the bandwidth reached", "η_B", "share", 60, 10, 100, 1, "decode", "MBU: of the announced bytes a second of two cards."),
    Parameter("stage_share", "", "Share of the stage", "f", "share", 67, 0, 90, 1, "streaming", "The accelerated part of the whole, before."),
)
# fmt: on
PARAMETERS = {row.name: row for row in _ROWS}


def symbols(names: str) -> list[Traced]:
    """The traced symbols of some parameters: ttft_a, tpot_a = symbols("ttft_a tpot_a")."""
    return [PARAMETERS[each].traced for each in names.split()]


def lookup(chosen: Traced, values) -> Traced:
    """One of several SI values by the index of a choice. nan where the index is none of theirs."""
    found = np.nan
    for index, value in enumerate(values):
        found = np.where(chosen == index, value, found)
    return found
