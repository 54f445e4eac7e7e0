"""NVIDIA AIPerf: profile_export.jsonl (a record per request) and profile_export_aiperf.json (the run's summary), both
generations."""

import numpy as np

from explainer.results.builder import TableBuilder
from explainer.results.jsontext import member, number, number_array
from explainer.results.records import Records, document
from explainer.results.source import Sample, Source, Unreadable
from explainer.results.summary import Distribution, Summary
from explainer.results.table import CANCELLED, FAILED, SERVED, RequestTable, RunFacts, ToolReport
from explainer.results.text import clean, counted

TOOL = "aiperf"
_SECONDS = {"ms": 1e-3, "s": 1.0, "sec": 1.0, "us": 1e-6, "ns": 1e-9}
_SUMMARY_TAGS = {"ttft": ("time_to_first_token", "ttft"), "tpot": ("inter_token_latency",), "e2e": ("request_latency",)}
_SLO_TAGS = {"time_to_first_token": "ttft", "inter_token_latency": "tpot", "request_latency": "e2e"}
_ENDS = "AIPerf ends both E2E and TPOT at the last piece of text; the closing usage event is outside"


def recognises(sample: Sample) -> str | None:
    """'requests', 'summary', or None where the file is not AIPerf's."""
    if sample.has("metadata", "metrics") and sample.keys & {"benchmark_phase", "credit_phase"}:
        return "requests"
    if sample.has("aiperf_version", "request_throughput") or sample.has("records", "tag", "header", "unit"):
        return "summary"
    return None


def read(source: Source) -> list[RequestTable | Summary]:
    """The run in the file."""
    return [_summary(source) if recognises(source.sample) == "summary" else _requests(source)]


def _seconds(metrics: dict, *tags: str) -> float:
    for tag in tags:
        metric = metrics.get(tag)
        if isinstance(metric, dict):
            return number(metric.get("value")) * _scale(metric.get("unit"))
    return np.nan


def _scale(unit) -> float:
    return _SECONDS.get(unit, np.nan) if isinstance(unit, str) else np.nan


def _count(metrics: dict, *tags: str) -> float:
    for tag in tags:
        value = number(member(metrics, tag, "value"))
        if value == value:
            return value
    return np.nan


def _requests(source: Source) -> RequestTable:
    builder, records = TableBuilder(), Records(source)
    good = warm_up = unmeasured = uncounted = 0
    judged_by_tool = False
    for record in records:
        metadata, metrics, error = record.get("metadata"), record.get("metrics"), record.get("error")
        if not isinstance(metadata, dict) or not isinstance(metrics, dict):
            unmeasured += 1
            continue
        if metadata.get("benchmark_phase", metadata.get("credit_phase")) not in ("profiling", None):
            warm_up += 1
            continue
        start = number(metadata.get("request_start_ns", metadata.get("timestamp_ns"))) * 1e-9
        if error is not None:
            code = member(error, "code")
            cancelled = metadata.get("was_cancelled") is True or code == 499
            reason = " ".join(str(part) for part in (code, member(error, "type") or error) if part is not None)
            builder.add(
                CANCELLED if cancelled else FAILED,
                reason,
                start=start,
                scheduled=number(metadata.get("credit_issued_ns")) * 1e-9,
                e2e=number(metadata.get("request_end_ns")) * 1e-9 - start,
            )
            continue
        judged_by_tool |= "good_request_count" in metrics
        good += _count(metrics, "good_request_count") == 1
        chunk_latency = metrics.get("inter_chunk_latency")
        scale = _scale(member(chunk_latency, "unit"))
        gaps = builder.add_gaps(number_array(member(chunk_latency, "value")) * scale) if chunk_latency else {}
        latency = _seconds(metrics, "request_latency")
        tokens = _count(metrics, "output_sequence_length", "usage_completion_tokens")
        uncounted += tokens != tokens
        builder.add(
            SERVED,
            scheduled=number(metadata.get("credit_issued_ns")) * 1e-9,
            start=start,
            ttft=_seconds(metrics, "time_to_first_token", "ttft"),
            last_token=latency,
            e2e=latency,
            input_tokens=_count(metrics, "input_sequence_length"),
            output_tokens=tokens,
            reported_tpot=_seconds(metrics, "inter_token_latency"),
            **gaps,
        )
    notes = records.notes()
    if warm_up:
        notes.append(f"{counted(warm_up)} of the warm-up, so marked by AIPerf, left out.")
    if uncounted:
        notes.append(
            f"{counted(uncounted, 'answer')} without a token count, though AIPerf calls each a success: an error event"
            " inside a stream that began with 200 looks like this in its records."
        )
    if not len(builder):
        raise Unreadable(
            f"{source.name}: AIPerf records, but none of the measured phase; run AIPerf again and let it finish."
        )
    report = (
        ToolReport(good=good, of=len(builder), share=good / len(builder), source="the rows' good_request_count")
        if judged_by_tool
        else None
    )
    return builder.build(
        RunFacts(
            TOOL,
            source.name,
            report=report,
            unread=len(records.unread) + unmeasured,
            hidden="rows" if source.damage else "",
            ends=_ENDS,
            notes=tuple(notes),
        )
    )


def _summary(source: Source) -> Summary:
    value = document(source)
    if not isinstance(value, dict):
        raise Unreadable(f"{source.name}: AIPerf's summary is one JSON object, and this is none.")
    metrics = value.get("records") if isinstance(value.get("records"), dict) else value

    def total(tag: str) -> float:
        return number(member(metrics, tag, "avg"))

    completed, failed = total("request_count"), np.nan_to_num(total("error_request_count"))
    distributions = {}
    for name, tags in _SUMMARY_TAGS.items():
        for metric in filter(None, (member(metrics, tag) for tag in tags)):
            scale = _scale(metric.get("unit"))
            points = {
                float(key[1:]) if key[0] == "p" else {"min": 0.0, "max": 100.0}[key]: number(metric[key]) * scale
                for key in metric
                if key in ("min", "max") or key[:1] == "p" and key[1:].isdecimal()
            }
            count = number(metric.get("count"))
            distributions[name] = Distribution(
                count,
                number(metric.get("avg")) * scale,
                {q: seconds for q, seconds in points.items() if seconds == seconds},
                unmeasured=completed - count,
            )
    good, share = total("good_request_count"), total("good_request_fraction")
    slos = member(value, "input_config", "slos")
    limits = (
        {_SLO_TAGS[tag]: number(limit) * 1e-3 for tag, limit in slos.items() if tag in _SLO_TAGS}
        if isinstance(slos, dict)
        else {}
    )
    report = (
        None
        if np.isnan(good) and np.isnan(share)
        else ToolReport(
            good=good, of=completed + failed, share=share, rate=total("goodput"), limits=limits, source=source.name
        )
    )
    model = member(value, "input_config", "models", "items")
    names = (
        [member(item, "name") for item in model]
        if isinstance(model, list)
        else member(value, "input_config", "endpoint", "model_names")
    )
    phases = member(value, "input_config", "phases")
    load = (
        next((phase for phase in phases if member(phase, "kind") == "profiling"), None)
        if isinstance(phases, list)
        else None
    )
    load = load or member(value, "input_config", "loadgen") or {}
    version = value.get("aiperf_version")
    return Summary(
        RunFacts(
            TOOL,
            source.name,
            version=clean(version) if version else None,
            model=clean(names[0]) if isinstance(names, list) and names else None,
            concurrency=number(member(load, "concurrency")),
            rate=number(member(load, "request_rate") or member(load, "rate")),
            duration=total("benchmark_duration"),
            report=report,
            ends=_ENDS,
            stated={"request_rate": total("request_throughput"), "output_rate": total("output_token_throughput")},
        ),
        attempted=completed + failed,
        completed=completed,
        failed=failed,
        metrics=distributions,
        mean_input_tokens=total("input_sequence_length"),
        mean_output_tokens=total("output_sequence_length"),
    )
