"""genai-bench: one JSON document a run, totals and per-request records together."""

import re
from collections.abc import Iterator

import numpy as np

from explainer.results.builder import TableBuilder
from explainer.results.jsontext import member, number
from explainer.results.records import document
from explainer.results.source import Sample, Source, Unreadable
from explainer.results.table import FAILED, SERVED, RequestTable, RunFacts
from explainer.results.text import clean, counted

TOOL = "genai-bench"
_ENDS = "E2E and TPOT end at the usage event or the end of the stream, as in genai-bench"
_UNITS = {"s": 1.0, "ms": 1e-3, None: 1.0}
_FIXED_LENGTH = re.compile(r"D\(\d+,\s*(\d+)\)")


def recognises(sample: Sample) -> str | None:
    """'requests' or None where the file is not genai-bench's."""
    return (
        "requests"
        if sample.has("aggregated_metrics", "num_concurrency") or sample.has("individual_request_metrics")
        else None
    )


def read(source: Source) -> list[RequestTable]:
    """The run in the file."""
    value = document(source)
    totals, rows = member(value, "aggregated_metrics"), member(value, "individual_request_metrics")
    if not isinstance(rows, list) or not rows:
        raise Unreadable(f"{source.name}: genai-bench's file, and no request in it.")
    unit = value.get("_time_unit")
    if unit not in _UNITS:
        raise Unreadable(f"{source.name}: the time unit {clean(unit)!r} is not known; s or ms was expected.")
    fixed = _FIXED_LENGTH.fullmatch(str(member(totals, "scenario")))
    requested = float(fixed[1]) if fixed else np.nan
    builder = TableBuilder()
    for row in rows:
        scale = _UNITS[unit]
        code, message = member(row, "error_code"), member(row, "error_message")
        builder.add(
            SERVED if code is None else FAILED,
            "" if code is None else f"{code} {message or ''}",
            ttft=number(member(row, "ttft")) * scale,
            e2e=number(member(row, "e2e_latency")) * scale,
            input_tokens=number(member(row, "num_input_tokens")),
            output_tokens=number(member(row, "num_output_tokens")),
            requested_tokens=requested,
            reported_tpot=number(member(row, "tpot")) * scale,
        )
    table = builder.build(
        RunFacts(
            TOOL,
            source.name,
            concurrency=number(member(totals, "num_concurrency")),
            duration=number(member(totals, "run_duration")),
            ends=_ENDS,
            stated={
                "request_rate": number(member(totals, "requests_per_second")),
                "output_rate": number(member(totals, "mean_output_throughput_tokens_per_s")),
            },
        )
    )
    return [table.noting(*_notes(table, totals))]


def _notes(table: RequestTable, totals) -> Iterator[str]:
    failed = int((table.outcome == FAILED).sum())
    if failed and number(member(totals, "error_rate")) == 0:
        yield (
            f"{counted(failed)} failed while genai-bench's own error_rate says 0: it divides before it has counted; the"
            " rows are right."
        )
    if not (table.output_tokens == 1).any():
        yield (
            f"0 one-token answers among {counted(len(table))}: genai-bench drops every one of them before it writes the"
            " file, so whether there were any cannot be seen."
        )
    sent = number(member(totals, "num_requests"))
    if sent > len(table):
        yield f"{counted(int(sent - len(table)))} that genai-bench counts have no row."
