"""InferenceX (once InferenceMAX), multi-turn benchmark: metrics_client_metrics.csv, a line per finished request."""

import csv

from explainer.results.builder import TableBuilder
from explainer.results.decimals import parse
from explainer.results.source import Sample, Source, Unreadable
from explainer.results.table import SERVED, RequestTable, RunFacts
from explainer.results.text import clean, counted

TOOL = "inferencex"
_ENDS = "E2E and TPOT end where the client's latency ends (the usage event, in the vLLM code it is built on)"
_COLUMNS = {"start_time_ms": "start", "ttft_ms": "ttft", "latency_ms": "e2e", "tpot_ms": "reported_tpot"}
_COUNTS = {"input_num_tokens": "input_tokens", "output_num_tokens": "output_tokens", "output_num_chunks": "chunks"}


def recognises(sample: Sample) -> str | None:
    """'requests' or None where the file is not InferenceX's."""
    names = set(sample.header.split(","))
    return "requests" if {"start_time_ms", "ttft_ms", "latency_ms", "output_num_tokens"} <= names else None


def read(source: Source) -> list[RequestTable]:
    """The run in the file."""
    builder, unread = TableBuilder(), 0
    names: list[str] = []
    for cells in csv.reader(line.decode("utf-8", "replace").rstrip("\r").replace("\0", "") for line in source.lines()):
        if not names:
            names = cells
            continue
        if not cells:
            continue
        row = dict(zip(names, cells))
        try:
            if len(cells) != len(names):
                raise ValueError("a line that was cut")
            times = {ours: parse(row[theirs], ".") * 1e-3 for theirs, ours in _COLUMNS.items() if theirs in row}
            counts = {ours: parse(row[theirs], ".") for theirs, ours in _COUNTS.items() if theirs in row}
        except ValueError:
            unread += 1
            continue
        builder.add(
            SERVED, group=clean(row.get("input_num_turns", "") and f"turn {row['input_num_turns']}"), **times, **counts
        )
    if not len(builder):
        raise Unreadable(f"{source.name}: InferenceX's columns, and no request below them.")
    notes = [
        f"{counted(len(builder), 'finished request')} in the file and no other: requests that failed were never"
        " written, so how many were attempted cannot be seen."
    ]
    if unread:
        notes.append(f"{counted(unread, 'line')} could not be read: what became of those requests is unknown.")
    return [
        builder.build(
            RunFacts(
                TOOL,
                source.name,
                unread=unread,
                hidden="rows" if source.damage else "failures",
                ends=_ENDS,
                notes=tuple(notes),
            )
        )
    ]
