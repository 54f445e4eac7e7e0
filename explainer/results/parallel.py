"""Rows that vLLM and SGLang keep as lists side by side: ttfts[i], itls[i], output_lens[i], errors[i], ..."""

from dataclasses import replace

import numpy as np

from explainer.results.builder import TableBuilder
from explainer.results.jsontext import number, numbers
from explainer.results.source import Unreadable
from explainer.results.table import FAILED, SERVED, RequestTable, RunFacts
from explainer.results.text import counted

INVISIBLE = "an error event inside a stream that began with 200 leaves no trace in this file, so each may be cut short."


def has_rows(record: dict) -> bool:
    """Whether the run was saved with its requests."""
    return isinstance(record.get("ttfts"), list) and isinstance(record.get("output_lens"), list)


def table(record: dict, facts: RunFacts, attempted: float = np.nan, requested_tokens: float = np.nan) -> RequestTable:
    """The rows of one run. attempted: how many the tool says it sent; requested_tokens: length asked for, where it is
    one for all."""
    ttfts, output_lens, input_lens = (numbers(record.get(name)) for name in ("ttfts", "output_lens", "input_lens"))
    itls, errors = record.get("itls"), record.get("errors")
    latencies, starts, queued = (numbers(record.get(name)) for name in ("latencies", "start_times", "queue_times"))
    rows = len(ttfts)
    for name, column in (
        ("output_lens", output_lens),
        ("input_lens", input_lens),
        ("itls", itls),
        ("errors", errors),
        ("latencies", latencies),
        ("start_times", starts),
        ("queue_times", queued),
    ):
        if column and len(column) != rows:
            raise Unreadable(
                f"{facts.source}: {rows:,} ttfts and {len(column):,} {name} stand side by side; a row's parts cannot be"
                " told apart."
            )
    builder = TableBuilder()
    unended = 0
    for place in range(rows):
        error = errors[place] if errors else ""
        gaps = numbers(itls[place]) if itls else []
        ttft, tokens = ttfts[place], output_lens[place]
        latency = latencies[place] if latencies else np.nan
        start = starts[place] if starts else np.nan
        failed = bool(error) or not errors and not tokens
        if not failed and not latency > 0:
            latency = ttft + sum(gaps) if itls else np.nan
            unended += 1
        streamed = builder.add_gaps(gaps) if itls and not failed else {}
        builder.add(
            FAILED if failed else SERVED,
            _last_line(error),
            start=start,
            scheduled=start - queued[place] if queued else np.nan,
            ttft=ttft,
            last_token=latency,
            e2e=latency if not failed else np.nan,
            input_tokens=input_lens[place] if input_lens else np.nan,
            output_tokens=tokens,
            requested_tokens=requested_tokens,
            **streamed,
        )
    notes = list(facts.notes)
    if unended:
        notes.append(
            f"{counted(unended, 'answer')} without an end-to-end time in the file: it is the first token plus the gaps,"
            " which leaves out whatever came after the last streamed piece."
        )
    if (served := sum(1 for place in range(rows) if not (errors and errors[place]))) and errors:
        notes.append(f"{counted(served, 'answer')} without an error message taken as finished: {INVISIBLE}")
    missing = int(attempted - rows) if attempted > rows else 0
    if missing:
        notes.append(f"{counted(missing)} of the {int(attempted):,} sent have no row: what became of them is unknown.")
    return builder.build(replace(facts, notes=tuple(notes), unread=facts.unread + missing))


def _last_line(error) -> str:
    lines = str(error).strip().splitlines() if error else []
    return lines[-1] if lines else ""


def length_setting(record: dict) -> float:
    """The answer's length that SGLang asked for, where it is the same for every request; else nan."""
    fixed = number(record.get("random_output_len")) if number(record.get("random_range_ratio")) == 1 else np.nan
    return fixed if fixed == fixed else number(record.get("sharegpt_output_len"))
