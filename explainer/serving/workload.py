"""What is asked of the machines: when requests come, how long they are, and who waits for an answer before asking
again."""

from dataclasses import dataclass, replace

import numpy as np

from explainer.serving.checks import require


@dataclass(frozen=True)
class Workload:
    """Requests in the order in which they are sent, ready to play.

    arrival: s, rising, nan for requests that a client sends once it has its answer; input_tokens, output_tokens:
    counts; think: s that the client waits before it sends the request; clients: how many take turns, 0 where arrivals
    do not depend on answers (open loop); notes: sentences on where this comes from and what it loses.
    """

    arrival: np.ndarray
    input_tokens: np.ndarray
    output_tokens: np.ndarray
    think: np.ndarray
    clients: int = 0
    notes: tuple[str, ...] = ()

    def __post_init__(self):
        count = len(self.arrival)
        require(count >= 1, "A workload needs at least one request.")
        require(
            all(len(column) == count for column in (self.input_tokens, self.output_tokens, self.think)),
            "A workload's columns must be equally long.",
        )
        timed = self.arrival[: self.timed]
        require(
            np.all(np.isfinite(timed)) and np.all(timed >= 0) and np.all(np.diff(timed) >= 0),
            "Arrival times must be numbers of 0 s or more, in rising order.",
        )
        for name in ("input_tokens", "output_tokens"):
            column = getattr(self, name)
            require(np.all(np.isfinite(column)) and np.all(column >= 0), f"{name} must be counts of 0 or more.")
        require(np.all(np.isfinite(self.think)) and np.all(self.think >= 0), "Think times must be 0 s or more.")

    def __len__(self):
        return len(self.arrival)

    @property
    def timed(self):
        """Requests whose arrival is known beforehand."""
        return min(self.clients, len(self)) if self.clients else len(self)

    def draw(self):
        """Itself: a workload that needs no drawing can stand wherever traffic can."""
        return self

    def faster(self, factor):
        """The same requests with arrivals `factor` times as fast (an open loop's)."""
        require(factor > 0, f"The factor on the arrival rate must be above 0, not {factor!r}.")
        require(self.clients == 0, "Only an open loop can be sped up: a closed loop's clients set their own pace.")
        return replace(self, arrival=self.arrival / factor)


@dataclass(frozen=True)
class Poisson:
    """Arrivals that know nothing of each other. rate: requests per s."""

    rate: float

    def draw(self, count, rng):
        """(arrivals, think times, clients); the same rng gives the same pattern at every rate, stretched."""
        return _open(self.rate, rng.exponential(size=count))


@dataclass(frozen=True)
class Bursty:
    """Gamma-distributed times between arrivals. rate: requests per s; cv: their standard deviation over their mean; 1
    is Poisson."""

    rate: float
    cv: float

    def draw(self, count, rng):
        """(arrivals, think times, clients)."""
        require(
            np.isfinite(self.cv) and self.cv > 0,
            f"The burstiness cv must be above 0, not {self.cv!r}; 0 would be a clock.",
        )
        shape = self.cv**-2
        return _open(self.rate, rng.gamma(shape, 1 / shape, size=count))


@dataclass(frozen=True)
class Clients:
    """A fixed number of clients, each with one request under way or thinking. clients: count; think: s between answer
    and next request; ramp: s over which they start, evenly."""

    clients: int
    think: float = 0.0
    ramp: float = 0.0

    def draw(self, count, rng):
        """(arrivals, think times, clients)."""
        require(
            self.clients == int(self.clients) and self.clients >= 1,
            f"A closed loop needs one client or more, not {self.clients!r}.",
        )
        require(self.think >= 0 and self.ramp >= 0, "Think time and ramp must be 0 s or more.")
        arrival = np.full(count, np.nan)
        first = min(self.clients, count)
        arrival[:first] = self.ramp * np.arange(first) / self.clients
        return arrival, np.full(count, float(self.think)), int(self.clients)


@dataclass(frozen=True)
class AllAtOnce:
    """Every request at 0 s, as a benchmark with no rate sends them."""

    def draw(self, count, rng):
        """(arrivals, think times, clients)."""
        return np.zeros(count), np.zeros(count), 0


def _open(rate, gaps):
    require(
        np.isfinite(rate) and rate > 0,
        f"An arrival rate must be above 0 requests per s, not {rate!r}: at 0 nobody ever comes.",
    )
    return np.cumsum(gaps) / rate, np.zeros(len(gaps)), 0


@dataclass(frozen=True)
class Traffic:
    """A recipe for a workload: arrivals (Poisson, Bursty, Clients, AllAtOnce), lengths (lengths.py), count of requests,
    seed.

    Arrivals and lengths have random streams of their own, so a sweep over one keeps the other (common random numbers).
    """

    arrivals: object
    lengths: object
    count: int = 2000
    seed: int = 0

    def draw(self):
        """The workload; the same recipe always gives the same one."""
        require(
            self.count == int(self.count) and self.count >= 1,
            f"A workload needs one request or more, not {self.count!r}.",
        )
        for_arrivals, for_lengths = (np.random.default_rng(part) for part in np.random.SeedSequence(self.seed).spawn(2))
        arrival, think, clients = self.arrivals.draw(self.count, for_arrivals)
        input_tokens, output_tokens = self.lengths.draw(self.count, for_lengths)
        return Workload(arrival, input_tokens, output_tokens, think, clients, getattr(self.lengths, "notes", ()))
