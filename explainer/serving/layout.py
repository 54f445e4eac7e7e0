"""The machines: what one engine can hold and do, and how several of them share the work."""

from dataclasses import dataclass
from math import floor, isfinite

from explainer.formulas.memory import requests_that_fit
from explainer.formulas.offload import transfer_time
from explainer.serving.checks import require
from explainer.serving.costs import PassCosts

ROUTINGS = ("least loaded", "round robin")


def kv_tokens(memory, weight_bytes, kv_bytes_per_token):
    """Tokens whose caches fit beside the weights, rounded down: floor((M - W) / k).

    memory: usable bytes of all accelerators (formulas.memory.usable_memory); weight_bytes, kv_bytes_per_token: bytes.
    Returns an int. Raises ValueError where the weights leave no room or a size is not positive. Source:
    formulas.memory.requests_that_fit for one token.
    """
    tokens = float(requests_that_fit(memory, weight_bytes, kv_bytes_per_token, 1))
    require(
        tokens >= 1,
        f"The weights ({weight_bytes:.4g} bytes) leave no room for a KV cache in {memory:.4g} bytes of usable memory.",
    )
    return floor(tokens)


@dataclass(frozen=True)
class Engine:
    """costs: of a pass; seats: requests that run at once; budget: tokens a pass; kv_capacity: KV tokens that memory
    holds."""

    costs: PassCosts
    seats: int = 256
    budget: int = 2048
    kv_capacity: int = 1_000_000

    def __post_init__(self):
        for name in ("seats", "budget", "kv_capacity"):
            value = getattr(self, name)
            require(
                isfinite(value) and value == int(value) and value >= 1,
                f"An engine's {name} must be a whole number of 1 or more, not {value!r}.",
            )
        require(
            self.budget >= self.seats,
            f"The token budget ({self.budget}) must be at least the seats ({self.seats}): every running "
            "answer takes one token a pass. Raise the budget or take seats away.",
        )


@dataclass(frozen=True)
class OnePhase:
    """Replicas of one engine that read prompts and decode in the same passes.

    routing: 'least loaded' sends a request to the replica with the fewest requests, the first among equals; 'round
    robin' in turn. front_delay: s between sending a request and its place in the queue (network, tokenizer), the same
    for all.
    """

    engine: Engine
    replicas: int = 1
    routing: str = "least loaded"
    front_delay: float = 0.0

    def __post_init__(self):
        _check_sharing(self, ("replicas",))

    @property
    def engines(self):
        """One engine per server."""
        return [self.engine] * self.replicas

    @property
    def entries(self):
        """Servers that take prompts: all."""
        return self.replicas

    def link(self):
        """(fixed s, s per token) of a hand-over: there is none."""
        return 0.0, 0.0

    def holds(self, input_tokens, output_tokens):
        """Whether a request fits a server that runs nothing else."""
        return input_tokens + output_tokens <= self.engine.kv_capacity


@dataclass(frozen=True)
class Separated:
    """Engines that read prompts and engines that decode; the KV cache of each prompt crosses a link in between.

    prefill, decode: the engines; prefill_replicas, decode_replicas: how many; link_latency: s per cache;
    link_bandwidth: bytes/s of each prefill engine's link, which carries one cache at a time; kv_bytes_per_token: bytes.
    The first token comes from the prefill engine at once; the cache stays there until a decode engine (the least
    loaded) has room and the transfer is over. Others as in OnePhase.
    """

    prefill: Engine
    decode: Engine
    kv_bytes_per_token: float
    link_bandwidth: float
    link_latency: float = 0.0
    prefill_replicas: int = 1
    decode_replicas: int = 1
    routing: str = "least loaded"
    front_delay: float = 0.0

    def __post_init__(self):
        _check_sharing(self, ("prefill_replicas", "decode_replicas"))
        require(self.link_bandwidth > 0, f"The link's bandwidth must be above 0 bytes/s, not {self.link_bandwidth!r}.")
        for name in ("link_latency", "kv_bytes_per_token"):
            value = getattr(self, name)
            require(isfinite(value) and value >= 0, f"{name} must be 0 or more, not {value!r}.")

    @property
    def engines(self):
        """One engine per server, those that take prompts first."""
        return [self.prefill] * self.prefill_replicas + [self.decode] * self.decode_replicas

    @property
    def entries(self):
        """Servers that take prompts."""
        return self.prefill_replicas

    def link(self):
        """(fixed s, s per token) of a hand-over."""
        return float(transfer_time(self.link_latency, 0, self.link_bandwidth)), float(
            transfer_time(0, self.kv_bytes_per_token, self.link_bandwidth)
        )

    def holds(self, input_tokens, output_tokens):
        """Whether a request fits servers that run nothing else; a one-token answer never needs the decode engine."""
        decoded = (output_tokens <= 1) | (input_tokens + output_tokens <= self.decode.kv_capacity)
        return (input_tokens <= self.prefill.kv_capacity) & decoded


def _check_sharing(layout, counts):
    for name in counts:
        value = getattr(layout, name)
        require(value == int(value) and value >= 1, f"{name} must be a whole number of 1 or more, not {value!r}.")
    require(layout.routing in ROUTINGS, f"The routing is {' or '.join(map(repr, ROUTINGS))}, not {layout.routing!r}.")
    require(
        isfinite(layout.front_delay) and layout.front_delay >= 0,
        f"front_delay must be 0 s or more, not {layout.front_delay!r}.",
    )
