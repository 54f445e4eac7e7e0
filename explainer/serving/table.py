"""A row per request: when it came, when it was started, when its first and last token came, and what became of it."""

from dataclasses import dataclass, fields

import numpy as np

from explainer.formulas import timing
from explainer.serving import state


@dataclass(frozen=True)
class RequestRows:
    """Read-only arrays of one length, in the order of sending; nan where it never happened.

    arrival, prefill_start, first_token, finish: s on the run's clock; input_tokens, output_tokens: counts asked for;
    outcome: position in state.OUTCOMES; worst_gap: s, longest gap between two tokens of the answer. The parts of TTFT
    in s, which add up to it: front (before the queue), in_flight (the pass under way at arrival), queue (all other
    waiting), prefill (from its first prompt token's pass on).
    """

    arrival: np.ndarray
    prefill_start: np.ndarray
    first_token: np.ndarray
    finish: np.ndarray
    input_tokens: np.ndarray
    output_tokens: np.ndarray
    outcome: np.ndarray
    worst_gap: np.ndarray
    front: np.ndarray
    in_flight: np.ndarray
    queue: np.ndarray
    prefill: np.ndarray

    @classmethod
    def from_table(cls, table, front_delay):
        """From the loop's structured rows, whose arrivals are those at the queue."""
        started = ~np.isnan(table["prefill_start"])
        waited = table["prefill_start"] - table["arrival"]
        in_flight = np.where(started, np.minimum(table["in_flight"], waited), np.nan)
        columns = {
            name: table[name].copy()
            for name in ("prefill_start", "first_token", "finish", "input_tokens", "output_tokens", "worst_gap")
        }
        columns.update(
            arrival=table["arrival"] - front_delay,
            outcome=table["outcome"].astype(np.int8),
            front=np.where(started, front_delay, np.nan),
            in_flight=in_flight,
            queue=waited - in_flight,
            prefill=table["first_token"] - table["prefill_start"],
        )
        for column in columns.values():
            column.flags.writeable = False
        return cls(**columns)

    def __len__(self):
        return len(self.arrival)

    @property
    def served(self):
        """Which requests got their whole answer."""
        return self.outcome == state.SERVED

    @property
    def ttft(self):
        """s from sending to the first token; nan where none came."""
        return self.first_token - self.arrival

    @property
    def e2e(self):
        """s from sending to the last token, or to the refusal or cancellation."""
        return self.finish - self.arrival

    @property
    def tpot(self):
        """s per token after the first; nan below two tokens and where no answer came."""
        return np.where(self.served, timing.tpot(self.ttft, self.e2e, self.output_tokens), np.nan)

    def outcomes(self):
        """How many requests met each outcome that occurs, by its name."""
        counts = np.bincount(self.outcome, minlength=len(state.OUTCOMES))
        return {name: int(count) for name, count in zip(state.OUTCOMES, counts) if count}

    def take(self, rows):
        """Some rows, by mask or position."""
        return RequestRows(**{column.name: getattr(self, column.name)[rows] for column in fields(self)})

    def as_measured(self):
        """The columns as a load test would have recorded them, by the names of explainer.results: scheduled and start
        (s, both the moment of sending), ttft, last_token, e2e (s), input_tokens, output_tokens, requested_tokens
        (counts), served, reason (position in state.OUTCOMES)."""
        ended = self.served
        answered = np.where(ended, self.e2e, np.nan)
        return {
            "scheduled": self.arrival,
            "start": self.arrival,
            "ttft": self.ttft,
            "last_token": answered,
            "e2e": self.e2e,
            "input_tokens": self.input_tokens.astype(float),
            "output_tokens": np.where(ended, self.output_tokens, 0.0),
            "requested_tokens": self.output_tokens.astype(float),
            "served": ended,
            "reason": self.outcome,
        }
