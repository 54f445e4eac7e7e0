"""GuideLLM: benchmarks.json (versions 0.2 to 0.8), a run per benchmark in it; the rows where they were kept, else the
totals."""

from collections.abc import Iterator

import numpy as np

from explainer.results.builder import TableBuilder
from explainer.results.jsontext import member, number
from explainer.results.records import document
from explainer.results.source import Sample, Source, Unreadable
from explainer.results.summary import Distribution, Summary
from explainer.results.table import CANCELLED, FAILED, SERVED, RequestTable, RunFacts, ToolReport
from explainer.results.text import clean, counted
from explainer.results.totals import numbered

TOOL = "guidellm"
_ENDS = "TPOT ends at the last token; E2E at the end of the stream, as in GuideLLM"
_PERCENTILES = {
    "p001": 0.1,
    "p01": 1.0,
    "p05": 5.0,
    "p10": 10.0,
    "p25": 25.0,
    "p50": 50.0,
    "p75": 75.0,
    "p90": 90.0,
    "p95": 95.0,
    "p99": 99.0,
    "p999": 99.9,
}
_OUTCOMES = {"successful": SERVED, "errored": FAILED, "incomplete": CANCELLED}


def recognises(sample: Sample) -> str | None:
    """'requests' (rows or not is told inside) or None where the file is not GuideLLM's."""
    known = (
        "guidellm_version" in sample.keys
        or b'"generative_benchmark"' in sample.text
        or {"benchmarks", "args", "metadata"} <= sample.keys
    )
    return "requests" if sample.has("benchmarks") and known else None


def read(source: Source) -> list[RequestTable | Summary]:
    """Every benchmark in the file."""
    value = document(source)
    benchmarks = [item for item in member(value, "benchmarks") or [] if isinstance(item, dict)]
    if not benchmarks:
        raise Unreadable(f"{source.name}: GuideLLM's file, and no benchmark in it; let the run finish.")
    version = member(value, "metadata", "guidellm_version")
    model = member(value, "config", "spec", "backend", "model") or member(value, "args", "model")
    return [
        _run(
            item,
            numbered(source.name, place, len(benchmarks)),
            clean(version) if version else None,
            clean(model) if model else None,
        )
        for place, item in enumerate(benchmarks, 1)
    ]


def _run(benchmark: dict, name: str, version: str | None, model: str | None) -> RequestTable | Summary:
    lists = {kind: rows for kind in _OUTCOMES if isinstance(rows := member(benchmark, "requests", kind), list)}
    totals = {kind: number(member(benchmark, "metrics", "request_totals", kind)) for kind in _OUTCOMES}
    strategy = member(benchmark, "config", "strategy") or member(benchmark, "args", "strategy") or {}
    report = _report(benchmark, name)
    rate = number(member(strategy, "rate"))
    facts = RunFacts(
        TOOL,
        name,
        version=version,
        model=model,
        duration=number(benchmark.get("duration")),
        report=report,
        ends=_ENDS,
        concurrency=number(member(strategy, "streams")),
        rate=np.inf if member(strategy, "type_") == "throughput" else rate,
        stated={"output_rate": number(member(benchmark, "metrics", "output_tokens_per_second", "successful", "mean"))},
    )
    rows = sum(len(items) for items in lists.values())
    return _table(lists, rows, totals, facts) if rows else _summary(benchmark, totals, facts)


def _report(benchmark: dict, name: str) -> ToolReport | None:
    share = number(member(benchmark, "metrics", "slo_attainment"))
    if share != share:
        return None
    determined = number(member(benchmark, "metrics", "slo_determined_requests"))
    slo = member(benchmark, "config", "slo")
    names = {"ttft_ms": "ttft", "tpot_ms": "tpot", "e2el_ms": "e2e"}
    limits = {ours: limit * 1e-3 for theirs, ours in names.items() if (limit := number(member(slo, theirs))) == limit}
    return ToolReport(
        good=round(share * determined) if determined == determined else np.nan,
        of=determined,
        share=share,
        limits=limits,
        source=f"slo_attainment in {name}",
    )


def _table(lists: dict[str, list], rows: int, totals: dict[str, float], facts: RunFacts) -> RequestTable:
    builder = TableBuilder()
    unread = 0
    for kind, items in lists.items():
        for request in items:
            if isinstance(request, dict):
                builder.add(
                    _OUTCOMES[kind],
                    clean(member(request, "info", "error") or ("" if kind == "successful" else kind)),
                    **_row(request),
                )
            else:
                unread += 1
    notes = []
    counted_by_tool = sum(value for value in totals.values() if value == value)
    if counted_by_tool and counted_by_tool != rows:
        notes.append(
            f"GuideLLM's own totals are over {counted_by_tool:,.0f} of the {counted(rows)} in the file: those inside"
            " its measurement window; here all count."
        )
    return builder.build(RunFacts(**{**vars(facts), "notes": tuple(notes), "unread": unread}))


def _row(request: dict) -> dict[str, float]:
    """One request's columns, from its time stamps where they were kept, else from the durations beside them."""
    timings = member(request, "info", "timings") or {}

    def stamp(*names: str) -> float:
        return next(
            (
                value
                for name in names
                for holder in (timings, request)
                if (value := number(member(holder, name))) == value
            ),
            np.nan,
        )

    start = stamp("request_start", "request_start_time", "start_time")
    first, last = (stamp(f"{which}_token_iteration", f"{which}_token_time") - start for which in ("first", "last"))
    tokens, gap = number(request.get("output_tokens")), number(request.get("inter_token_latency_ms")) * 1e-3
    ttft = number(request.get("time_to_first_token_ms")) * 1e-3 if first != first else first
    latency = number(request.get("request_latency"))
    ended = stamp("request_end", "request_end_time", "end_time", "resolve_end") - start
    return {
        "scheduled": stamp("targeted_start"),
        "start": start,
        "ttft": ttft,
        "last_token": ttft + gap * (tokens - 1) if last != last else last,
        "e2e": ended if latency != latency else latency,
        "input_tokens": number(request.get("prompt_tokens")),
        "output_tokens": tokens,
        "chunks": stamp("token_iterations"),
        "reported_tpot": gap,
    }


def _summary(benchmark: dict, totals: dict[str, float], facts: RunFacts) -> Summary:
    return Summary(
        facts,
        attempted=sum(_known(totals.values())),
        completed=totals["successful"],
        failed=totals["errored"],
        metrics={
            "ttft": _distribution(benchmark, "time_to_first_token_ms", 1e-3, False),
            "tpot": _distribution(benchmark, "inter_token_latency_ms", 1e-3, True),
            "e2e": _distribution(benchmark, "request_latency", 1.0, False),
        },
        mean_output_tokens=number(member(benchmark, "metrics", "output_token_count", "successful", "mean")),
    )


def _known(values) -> Iterator[float]:
    return (value for value in values if value == value)


def _distribution(benchmark: dict, metric: str, scale: float, pooled: bool) -> Distribution:
    stated = member(benchmark, "metrics", metric, "successful")
    points = {
        q: value * scale
        for key, q in _PERCENTILES.items()
        if (value := number(member(stated, "percentiles", key))) == value
    }
    count = number(member(stated, "count"))
    served = number(member(benchmark, "metrics", "request_totals", "successful"))
    return Distribution(count, number(member(stated, "mean")) * scale, points, pooled, unmeasured=served - count)
