"""LLMPerf: *_individual_responses.json (a record per request) and *_summary.json (totals)."""

import re

import numpy as np

from explainer.results.builder import TableBuilder
from explainer.results.jsontext import number
from explainer.results.records import Records, document
from explainer.results.source import Sample, Source, Unreadable
from explainer.results.summary import Distribution, Summary
from explainer.results.table import FAILED, SERVED, RequestTable, RunFacts
from explainer.results.text import clean, counted

TOOL = "llmperf"
_ENDS = (
    "E2E and TPOT end where LLMPerf's loop over the stream ends; its own inter-token latency includes the first wait"
    " and is no TPOT"
)
_TOO_SHORT = -100
_METRICS = {"ttft": "ttft_s", "e2e": "end_to_end_latency_s"}
_QUANTILE = re.compile(r"quantiles_p(\d+)")


def recognises(sample: Sample) -> str | None:
    """'requests', 'summary', or None where the file is not LLMPerf's."""
    if sample.has("ttft_s", "end_to_end_latency_s", "number_output_tokens"):
        return "requests"
    return "summary" if sample.has("results_num_requests_started") or sample.has("results_ttft_s_mean") else None


def read(source: Source) -> list[RequestTable | Summary]:
    """The run in the file."""
    return [_summary(source) if recognises(source.sample) == "summary" else _requests(source)]


def _requests(source: Source) -> RequestTable:
    builder, records = TableBuilder(), Records(source)
    too_short = 0
    for record in records:
        code, message = record.get("error_code"), record.get("error_msg") or ""
        too_short += number(code) == _TOO_SHORT
        failed = code is not None or bool(message)
        builder.add(
            FAILED if failed else SERVED,
            " ".join(str(part) for part in (code, message) if part not in (None, "")),
            ttft=number(record.get("ttft_s")),
            e2e=number(record.get("end_to_end_latency_s")),
            input_tokens=number(record.get("number_input_tokens")),
            output_tokens=number(record.get("number_output_tokens")),
        )
    if not len(builder):
        raise Unreadable(f"{source.name}: LLMPerf's file, and no request in it.")
    notes = records.notes()
    if too_short:
        notes.append(
            f"{counted(too_short, 'answer')} marked as an error by LLMPerf itself (code -100) only because it was"
            " shorter than asked for; counted as failed, as the file says, though the server may have finished each."
        )
    return builder.build(RunFacts(TOOL, source.name, unread=len(records.unread), ends=_ENDS, notes=tuple(notes)))


def _summary(source: Source) -> Summary:
    value = document(source)
    if not isinstance(value, dict):
        raise Unreadable(f"{source.name}: LLMPerf's summary is one JSON object, and this is none.")
    sent, failed, completed = (
        number(value.get(f"results_{name}"))
        for name in ("num_requests_started", "number_errors", "num_completed_requests")
    )
    metrics = {name: _distribution(value, f"results_{tag}_", completed) for name, tag in _METRICS.items()}
    # Completed requests a minute and their number give the duration, which the file does not state.
    per_minute = number(value.get("results_num_completed_requests_per_min"))
    return Summary(
        RunFacts(
            TOOL,
            source.name,
            version=clean(value["version"]) if value.get("version") else None,
            model=clean(value["model"]) if value.get("model") else None,
            ends=_ENDS,
            concurrency=number(value.get("num_concurrent_requests")),
            duration=completed / per_minute * 60 if per_minute > 0 else np.nan,
            stated={"output_rate": number(value.get("results_mean_output_throughput_token_per_s"))},
        ),
        attempted=completed + failed if sent != sent else sent,
        completed=completed,
        failed=failed,
        metrics=metrics,
        mean_input_tokens=number(value.get("results_number_input_tokens_mean")),
        mean_output_tokens=number(value.get("results_number_output_tokens_mean")),
    )


def _distribution(value: dict, prefix: str, count: float) -> Distribution:
    points = {
        float(match[1]): number(value[name])
        for name in value
        if name.startswith(prefix) and (match := _QUANTILE.fullmatch(name[len(prefix) :]))
    }
    points |= {q: number(value.get(f"{prefix}{name}")) for name, q in (("min", 0.0), ("max", 100.0))}
    return Distribution(
        count, number(value.get(f"{prefix}mean")), {q: point for q, point in points.items() if point == point}
    )
