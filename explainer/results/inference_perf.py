"""inference-perf: per_request_lifecycle_metrics.json, and the summary and stage files with totals only."""

import re

import numpy as np

from explainer.results.builder import TableBuilder
from explainer.results.jsontext import member, number, numbers
from explainer.results.records import Records, document
from explainer.results.source import Sample, Source, Unreadable
from explainer.results.streams import has_error_event
from explainer.results.summary import Distribution, Summary
from explainer.results.table import FAILED, SERVED, RequestTable, RunFacts, ToolReport
from explainer.results.text import clean, counted

TOOL = "inference-perf"
_ENDS = "TPOT ends at the last piece of text; E2E at the end of the stream, as in inference-perf"
_METRICS = {
    "ttft": ("time_to_first_token", False),
    "tpot": ("time_per_output_token", False),
    "e2e": ("request_latency", False),
    "itl": ("inter_token_latency", True),
}
_REQUESTED = re.compile(r'"max_(?:completion_)?tokens"\s*:\s*(\d{1,9})')
_MODEL = re.compile(r'"model"\s*:\s*"([^"\\]{1,200})"')


def recognises(sample: Sample) -> str | None:
    """'requests', 'summary', or None where the file is not inference-perf's."""
    if sample.has("start_time", "end_time", "request") and (
        sample.keys & {"response_metrics", "request_metrics"} or sample.start == "["
    ):
        return "requests"
    return "summary" if sample.has("load_summary", "successes") else None


def read(source: Source) -> list[RequestTable | Summary]:
    """The run in the file."""
    return [_summary(source) if recognises(source.sample) == "summary" else _requests(source)]


def _requests(source: Source) -> RequestTable:
    builder, records = TableBuilder(), Records(source)
    broken, model = 0, None
    for record in records:
        start, end, error = number(record.get("start_time")), number(record.get("end_time")), record.get("error")
        request = record.get("request") if isinstance(record.get("request"), str) else ""
        asked = _REQUESTED.search(request)
        model = model or (found[1] if (found := _MODEL.search(request)) else None)
        measured = member(record, "info", "response_metrics")
        in_band = error is None and has_error_event(record.get("response"))
        broken += in_band
        reason = "error event in the stream" if in_band else member(error, "error_type") or error or ""
        builder.add(
            FAILED if in_band or error is not None else SERVED,
            reason,
            in_band_error=in_band,
            start=start,
            e2e=end - start,
            input_tokens=number(member(record, "info", "input_tokens")),
            requested_tokens=float(asked[1]) if asked else np.nan,
            **_streamed(measured, start, builder),
        )
    if not len(builder):
        raise Unreadable(f"{source.name}: inference-perf's file, and no request in it.")
    notes = records.notes()
    if broken:
        notes.append(
            f"{counted(broken, 'answer')} that inference-perf calls a success ended in an error event inside the"
            " stream: counted as failed here."
        )
    return builder.build(
        RunFacts(
            TOOL,
            source.name,
            model=clean(model) if model else None,
            unread=len(records.unread),
            ends=_ENDS,
            notes=tuple(notes),
        )
    )


def _streamed(measured, start: float, builder: TableBuilder) -> dict[str, float]:
    """First and last token and the length; the server's own count where there is one."""
    times = numbers(member(measured, "chunk_times")) or numbers(member(measured, "output_token_times"))
    recounted, usage = number(member(measured, "output_tokens")), number(
        member(measured, "server_usage", "completion_tokens")
    )
    found = {"output_tokens": recounted if usage != usage else usage, "retokenized_tokens": recounted}
    if times:
        found.update(
            ttft=times[0] - start,
            last_token=times[-1] - start,
            **builder.add_gaps([later - earlier for earlier, later in zip(times, times[1:])]),
        )
    return found


def _summary(source: Source) -> Summary:
    value = document(source)
    successes, failures = member(value, "successes"), member(value, "failures")
    completed, failed, sent = (
        number(member(part, "count")) for part in (successes, failures, member(value, "load_summary"))
    )
    # Answers of less than two tokens have neither TTFT nor TPOT; the lengths' own percentiles say how many there can
    # be.
    lengths = _distribution(member(successes, "output_len"), completed, False, 0)
    short = np.nan if lengths is None else lengths.share_within(1)[1] * completed
    metrics = {
        name: _distribution(member(successes, "latency", tag), completed, pooled, 0 if name == "e2e" else short)
        for name, (tag, pooled) in _METRICS.items()
    }
    stated, load = member(successes, "goodput_metrics"), member(value, "load_summary")
    report = (
        None
        if not isinstance(stated, dict)
        else ToolReport(
            good=number(stated.get("good_requests")),
            of=number(stated.get("total_requests")),
            share=number(stated.get("goodput_percentage")) / 100,
            rate=number(stated.get("request_goodput")),
            source=source.name,
        )
    )
    duration = number(member(value, "benchmark_time_seconds"))
    concurrency = number(member(load, "concurrency"))
    return Summary(
        RunFacts(
            TOOL,
            source.name,
            duration=number(member(load, "send_duration")) if duration != duration else duration,
            report=report,
            ends=_ENDS,
            concurrency=concurrency,
            # In a run of fixed concurrency the rate is the number of requests, no rate that anybody asked for.
            rate=np.nan if concurrency == concurrency else number(member(load, "requested_rate")),
            stated={
                "request_rate": number(member(successes, "throughput", "requests_per_sec")),
                "output_rate": number(member(successes, "throughput", "output_tokens_per_sec")),
            },
        ),
        attempted=completed + failed if sent != sent else sent,
        completed=completed,
        failed=failed,
        metrics={name: metric for name, metric in metrics.items() if metric is not None},
        mean_output_tokens=number(member(successes, "output_len", "mean")),
    )


def _distribution(stated, completed: float, pooled: bool, unmeasured: float) -> Distribution | None:
    if not isinstance(stated, dict):
        return None
    named = {"min": 0.0, "median": 50.0, "max": 100.0}
    points = {
        named[key] if key in named else float(key[1:]): number(value)
        for key, value in stated.items()
        if key in named or key[:1] == "p" and key[1:].replace(".", "", 1).isdecimal()
    }
    points = {q: value for q, value in points.items() if value == value}
    count = completed - unmeasured if unmeasured == unmeasured else completed
    return Distribution(count, number(stated.get("mean")), points, pooled, unmeasured, counted=not unmeasured > 0)
