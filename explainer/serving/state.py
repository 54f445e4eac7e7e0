"""What the loop reads and writes: a row per request and a row per server.

Rows of a NumPy structured array for numba, plain objects with the same attributes for plain Python: `row.finish = now`
means the same on both, so one source serves both.
"""

from typing import NamedTuple

import numpy as np

from explainer.serving.passes import GAP_BINS

NONE = -1  # no request: the end of a queue, an empty slot

SERVED, TIMED_OUT, TOO_LARGE, NO_PROMPT, NO_OUTPUT, UNFINISHED = range(6)
OUTCOMES = (
    "served",
    "timed out",
    "rejected: larger than the KV memory",
    "rejected: empty prompt",
    "rejected: no output asked for",
    "unfinished",
)

# Where a gap between two tokens of one answer came from.
DECODE_ONLY, BESIDE_PREFILL, HAND_OFF = range(3)

REQUEST = np.dtype(
    [
        ("arrival", float),  # s; of a closed loop's later requests it is written when they are sent
        ("input_tokens", int),
        ("output_tokens", int),
        ("think", float),  # s between the answer that releases this request and its arrival
        ("outcome", int),
        ("prefill_start", float),  # s
        ("first_token", float),  # s
        ("finish", float),  # s
        ("in_flight", float),  # s of waiting for the pass under way at arrival
        ("worst_gap", float),  # s, the longest gap between two tokens
        ("prefilled", int),  # prompt tokens done
        ("following", int),  # the next request in the same queue or chain
        ("home", int),  # the server where the prompt is read
    ]
)

SERVER = np.dtype(
    [
        ("number", int),
        # the engine, unchanged by the loop
        ("step", float),  # s per pass
        ("weights", float),  # s per pass for reading the weights
        ("kv_read", float),  # s per cached token read
        ("token", float),  # s of computing per token
        ("emit", float),  # s of computing per token that is put out
        ("pair", float),  # s of computing per pair of tokens in attention
        ("budget", int),  # tokens a pass
        ("seats", int),  # requests at once
        ("kv_capacity", float),  # KV tokens
        ("reserves_output", bool),  # False where a prompt is read here and its answer decoded elsewhere
        ("decode_only", bool),
        # who is where
        ("queue_head", int),
        ("queue_tail", int),
        ("partial", int),  # the request whose prompt is partly read
        ("completing", int),  # chain of the prompts that this pass completes
        ("joining", int),  # chain of the hand-offs that join when this pass ends
        ("joined", int),  # chain of the hand-offs that joined when this stretch began
        ("decodes", int),
        ("context", int),  # tokens in the caches of the running decodes
        ("seats_used", int),
        ("kv_used", int),
        ("load", int),  # requests here, waiting or running
        # the stretch of passes under way
        ("planned", int),  # passes; 0 when idle
        ("began", float),  # s
        ("ends", float),  # s; inf when idle
        ("memory", float),
        ("memory_growth", float),
        ("compute", float),
        ("compute_growth", float),
        ("prompt_tokens", int),  # prompt tokens in this pass
        ("link_free", float),  # s from which the link is free
        # what is counted
        ("passes", int),
        ("tokens", int),  # tokens processed
        ("busy", float),  # s
        ("kv_peak", int),
        ("seats_peak", int),
    ]
)


class Rules(NamedTuple):
    """What holds for all servers."""

    entries: int  # the first so many servers take prompts; the others, if any, only decode
    least_loaded: bool  # else round robin
    jump: bool
    timed: int  # requests whose arrival is known beforehand
    patience: float  # s in the queue; inf for ever
    link_latency: float  # s
    link_per_token: float  # s
    most_rounds: int


class _Row:
    """One row as a plain object: several times faster to read in plain Python than a row of a structured array."""


class _Request(_Row):
    __slots__ = REQUEST.names


class _Server(_Row):
    __slots__ = SERVER.names


def as_objects(table):
    """A structured table as a list of plain objects with the same attributes."""
    kind = _Request if table.dtype == REQUEST else _Server
    rows = []
    for values in table.tolist():
        row = kind()
        for name, value in zip(kind.__slots__, values):
            setattr(row, name, value)
        rows.append(row)
    return rows


def as_table(rows, dtype):
    """The list of plain objects as a structured table again."""
    table = np.empty(len(rows), dtype)
    for name in dtype.names:
        table[name] = [getattr(row, name) for row in rows]
    return table


def request_table(arrival, input_tokens, output_tokens, think, outcome):
    """Fresh rows for one run."""
    table = np.zeros(len(arrival), REQUEST)
    for name, column in (
        ("arrival", arrival),
        ("input_tokens", input_tokens),
        ("output_tokens", output_tokens),
        ("think", think),
        ("outcome", outcome),
        ("home", NONE),
        ("following", NONE),
    ):
        table[name] = column
    for name in ("prefill_start", "first_token", "finish", "worst_gap"):
        table[name] = np.nan
    return table


def server_table(engines, entries):
    """Fresh rows, one per engine, of which the first `entries` take prompts."""
    table = np.zeros(len(engines), SERVER)
    for number, engine in enumerate(engines):
        row = table[number]
        row["number"] = number
        for name in ("step", "weights", "kv_read", "token", "emit", "pair"):
            row[name] = getattr(engine.costs, name)
        for name in ("budget", "seats", "kv_capacity"):
            row[name] = getattr(engine, name)
        row["reserves_output"] = number >= entries or entries == len(engines)
        row["decode_only"] = number >= entries
    for name in ("queue_head", "queue_tail", "partial", "completing", "joining", "joined"):
        table[name] = NONE
    table["ends"] = np.inf
    return table


def empty_gaps():
    """Counts of gaps between tokens, one run of bins per kind."""
    return np.zeros(3 * GAP_BINS)
