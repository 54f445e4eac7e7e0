"""GenAI-Perf: profile_export.json (every streamed piece of every request) and the aggregates beside it."""

import numpy as np

from explainer.results.builder import TableBuilder
from explainer.results.jsontext import member, number, numbers
from explainer.results.records import document
from explainer.results.source import Sample, Source, Unreadable
from explainer.results.streams import events, is_error, text_of, usage_of
from explainer.results.summary import Distribution, Summary
from explainer.results.table import FAILED, SERVED, RequestTable, RunFacts, ToolReport
from explainer.results.text import counted
from explainer.results.totals import numbered

TOOL = "genai-perf"
_ENDS = "E2E and TPOT end at the last piece of text, as in GenAI-Perf"
_METRICS = {"ttft": "time_to_first_token", "tpot": "inter_token_latency", "e2e": "request_latency"}
_TAGS = {tag: name for name, tag in _METRICS.items()}


def recognises(sample: Sample) -> str | None:
    """'requests', 'summary', or None where the file is not GenAI-Perf's."""
    if sample.has("experiments", "requests") and sample.keys & {"response_timestamps", "request_inputs", "experiment"}:
        return "requests"
    if (
        sample.has("request_throughput", "time_to_first_token", "inter_token_latency", "unit")
        and "aiperf_version" not in sample.keys
    ):
        return "summary"
    return None


def read(source: Source) -> list[RequestTable | Summary]:
    """Every experiment in the file, or its summary."""
    value = document(source)
    if recognises(source.sample) == "summary":
        return [_summary(value, source.name)]
    experiments = [item for item in member(value, "experiments") or [] if isinstance(member(item, "requests"), list)]
    if not experiments:
        raise Unreadable(f"{source.name}: GenAI-Perf's file, and no experiment with requests in it.")
    return [
        _experiment(item, numbered(source.name, place, len(experiments))) for place, item in enumerate(experiments, 1)
    ]


def _experiment(experiment: dict, name: str) -> RequestTable:
    builder = TableBuilder()
    unanswered = uncounted = unread = 0
    for request in experiment["requests"]:
        if not isinstance(request, dict):
            unread += 1
            continue
        start = number(request.get("timestamp"))
        stamps = [(stamp - start) * 1e-9 for stamp in numbers(request.get("response_timestamps"))]
        outputs = request.get("response_outputs") if isinstance(request.get("response_outputs"), list) else []
        if not stamps:
            unanswered += 1
            builder.add(FAILED, "no response", start=start * 1e-9)
            continue
        row, failed = _answer(stamps, outputs, builder)
        uncounted += not failed and np.isnan(row.get("output_tokens", np.nan))
        builder.add(
            FAILED if failed else SERVED,
            "error event in the stream" if failed else "",
            in_band_error=failed,
            start=start * 1e-9,
            **row,
        )
    if not len(builder):
        raise Unreadable(f"{name}: GenAI-Perf's file, and no request in it.")
    notes = []
    if unanswered:
        notes.append(
            f"{counted(unanswered)} without any response counted as failed; GenAI-Perf itself leaves them out."
        )
    if uncounted:
        notes.append(
            f"{counted(uncounted, 'answer')} came in pieces of several words and without the server's count: their"
            " length is not known."
        )
    mode, load = member(experiment, "experiment", "mode"), number(member(experiment, "experiment", "value"))
    return builder.build(
        RunFacts(
            TOOL,
            name,
            concurrency=load if mode == "concurrency" else np.nan,
            rate=load if mode == "request_rate" else np.nan,
            unread=unread,
            ends=_ENDS,
            notes=tuple(notes),
        )
    )


def _answer(stamps: list[float], outputs: list, builder: TableBuilder) -> tuple[dict[str, float], bool]:
    """One answer's columns, and whether its stream says that it failed. One token a piece, unless a piece has several
    words."""
    times, usage, words, failed = [], np.nan, 1, False
    for stamp, output in zip(stamps, outputs):
        for event in events(member(output, "response")):
            failed |= is_error(event)
            usage = count if (count := usage_of(event)) == count else usage
            if piece := text_of(event):
                times.append(stamp)
                words = max(words, len(piece.split()))
    if not times:
        return {"e2e": stamps[-1]}, failed
    tokens = usage if usage == usage else float(len(times)) if words <= 1 else np.nan
    gaps = builder.add_gaps([later - earlier for earlier, later in zip(times, times[1:])])
    return {"ttft": times[0], "last_token": times[-1], "e2e": times[-1], "output_tokens": tokens, **gaps}, failed


def _summary(value: dict, name: str) -> Summary:
    """The aggregates; stats_ns_unscaled is the calculator's own output, in ns whatever its unit says."""
    unscaled = member(value, "stats_ns_unscaled")
    metrics, scale = (unscaled, 1e-9) if isinstance(unscaled, dict) else (value, 1e-3)
    count = number(member(metrics, "request_count", "avg"))
    distributions = {}
    for ours, tag in _METRICS.items():
        if isinstance(metric := member(metrics, tag), dict):
            points = {
                float(key[1:]) if key[0] == "p" else {"min": 0.0, "max": 100.0}[key]: number(point) * scale
                for key, point in metric.items()
                if key in ("min", "max") or key[:1] == "p" and key[1:].isdecimal()
            }
            distributions[ours] = Distribution(count, number(metric.get("avg")) * scale, points)
    goodput = member(value, "goodput") if unscaled else member(value, "request_goodput", "avg")
    slos = member(value, "goodput_constraints_ms") or member(value, "input_config", "goodput")
    limits = (
        {_TAGS[tag]: number(limit) * 1e-3 for tag, limit in slos.items() if tag in _TAGS}
        if isinstance(slos, dict)
        else {}
    )
    good = number(member(value, "good_count"))
    report = (
        ToolReport(good=good, rate=number(goodput), limits=limits, source=name)
        if number(goodput) == number(goodput)
        else None
    )
    sent = number(member(value, "n_requests_in_file"))
    return Summary(
        RunFacts(
            TOOL,
            name,
            duration=number(member(value, "benchmark_duration_s")),
            report=report,
            ends=_ENDS,
            stated={"request_rate": number(member(metrics, "request_throughput", "avg"))},
        ),
        attempted=sent if sent == sent else count,
        completed=count,
        metrics=distributions,
        mean_output_tokens=number(member(metrics, "output_sequence_length", "avg")),
    )
