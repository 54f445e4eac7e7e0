"""Measured tables that models are held against: a serving sweep, one layer's times, exchanges of GPUs, traffic."""
from dataclasses import dataclass
from functools import cache

from .table import DATA, one_named, read_table


@dataclass(frozen=True)
class ServingPoint:
    """One row of a load test at fixed concurrency; times in s, means."""

    model: str
    accelerator: str
    accelerators: int
    concurrency: int
    input_tokens: int
    output_tokens: int
    ttft_seconds: float
    itl_seconds: float
    output_tokens_per_s: float
    scope: str
    kind: str
    source: str


@dataclass(frozen=True)
class LayerTime:
    """Time of one linear layer (or the sum of a few) for a number of tokens, on one accelerator."""

    accelerator: str
    layer: str
    tokens: int
    time_seconds: float
    weights: int
    inputs: int
    outputs: int
    bytes_per_value: int
    scope: str
    kind: str
    source: str

    @property
    def flops(self) -> float:
        """Arithmetic of the layer: two operations for each weight and token."""
        return 2.0 * self.weights * self.tokens

    @property
    def bytes_moved(self) -> float:
        """Bytes the layer reads and writes once: its weights, and each token's inputs and outputs."""
        return float(self.bytes_per_value * (self.weights + self.tokens * (self.inputs + self.outputs)))


@dataclass(frozen=True)
class AllReduceCost:
    """Fixed cost of a small all-reduce and bandwidths of a large one, by implementation; None: not measured."""

    accelerator: str
    accelerators: int
    implementation: str
    mode: str
    version: str
    fixed_seconds: float | None
    large_message_bytes: float
    algorithm_bytes_per_s: float
    bus_bytes_per_s: float
    scope: str
    kind: str
    source: str


@dataclass(frozen=True)
class TraceStatistics:
    """Quantiles of a production trace: arrivals, input and output lengths."""

    name: str
    requests: int
    duration_seconds: float
    requests_per_s: float
    input_tokens_mean: float
    input_tokens_p10: float
    input_tokens_p25: float
    input_tokens_p50: float
    input_tokens_p75: float
    input_tokens_p90: float
    input_tokens_p95: float
    input_tokens_p99: float
    input_tokens_max: float
    output_tokens_mean: float
    output_tokens_p10: float
    output_tokens_p25: float
    output_tokens_p50: float
    output_tokens_p75: float
    output_tokens_p90: float
    output_tokens_p95: float
    output_tokens_p99: float
    output_tokens_max: float
    interarrival_variation: float
    prefix_block_hit_share: float | None
    scope: str
    kind: str
    source: str
    note: str | None


@cache
def nim_sweep() -> tuple[ServingPoint, ...]:
    """The NIM sweep of Llama 3.3 70B (5,000 in, 500 out) by rising concurrency."""
    return read_table(DATA / "nim_sweep.csv", ServingPoint)


@cache
def linear_layer_times() -> tuple[LayerTime, ...]:
    """Measured times of linear layers, by layer and accelerator, then by rising tokens."""
    return read_table(DATA / "linear_layer_times.csv", LayerTime)


@cache
def allreduce_fixed_costs() -> tuple[AllReduceCost, ...]:
    """Measured costs of all-reduce, by accelerator, implementation and number of accelerators."""
    return read_table(DATA / "allreduce_fixed_costs.csv", AllReduceCost)


@cache
def trace_statistics() -> tuple[TraceStatistics, ...]:
    """Quantiles of the production traces of the catalogue."""
    return read_table(DATA / "trace_statistics.csv", TraceStatistics)


def trace(name: str) -> TraceStatistics:
    """The quantiles of one trace by its name. Raises NotInCatalogue with the nearest names."""
    return one_named(trace_statistics(), name, "trace")
