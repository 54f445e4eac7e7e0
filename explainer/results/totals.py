"""Totals under the names that vLLM's benchmark made common (completed, duration, mean_ttft_ms, p99_tpot_ms): a sweep's
rows, a run's end."""

import math

import numpy as np

from explainer.results.jsontext import number
from explainer.results.records import Records
from explainer.results.source import Sample, Source, Unreadable
from explainer.results.summary import Summary, named_statistics
from explainer.results.table import RunFacts, ToolReport
from explainer.results.text import clean, counted

TOOL = "totals"
_RATE_OF_TOKENS = ("output_throughput", "output_tokens_per_s")


def recognises(sample: Sample) -> str | None:
    """'summary' where JSON names a statistic of TTFT, TPOT, ITL or E2E and no request's own times."""
    if sample.start in ("{", "[") and named_statistics(dict.fromkeys(sample.keys, 0.0), np.nan)[0]:
        return "summary"
    return None


def read(source: Source) -> list[Summary]:
    """One summary per row of the file."""
    records = Records(source)
    rows = list(records)
    runs = [
        summarise(row, TOOL, numbered(source.name, place, len(rows)), notes=records.notes() if place == 1 else ())
        for place, row in enumerate(rows, 1)
    ]
    if not any(run.metrics for run in runs):
        raise Unreadable(
            f"{source.name}: every statistic in this file is missing (null, NaN or Infinity): there is nothing to"
            " judge."
        )
    return runs


def numbered(name: str, place: int, of: int) -> str:
    """The file's name, with the run's number where it holds several."""
    return name if of == 1 else f"{name}, run {place} of {of}"


def first(record: dict, *names: str) -> float:
    """The first of these members that is a number; nan where none is."""
    return next((value for name in names if (value := number(record.get(name))) == value), math.nan)


def rate_setting(record: dict) -> float:
    """The requested rate in requests per s; inf where everything was sent at once, nan where the file does not say."""
    setting = record.get("request_rate")
    return math.inf if setting == "inf" or isinstance(setting, float) and setting == math.inf else number(setting)


def facts_of(record: dict, tool: str, source: str, notes=()) -> RunFacts:
    """The run's settings and the tool's totals under these names."""
    return RunFacts(
        tool,
        source,
        model=clean(record["model_id"]) if isinstance(record.get("model_id"), str) else None,
        concurrency=first(record, "max_concurrency", "requested_concurrency", "concurrency"),
        rate=rate_setting(record),
        duration=first(record, "duration", "duration_s"),
        notes=tuple(notes),
        report=report_of(record, source),
        stated={
            "request_rate": first(record, "request_throughput"),
            "output_rate": first(record, *_RATE_OF_TOKENS),
            "output_tokens": first(record, "total_output_tokens"),
        },
    )


def report_of(record: dict, source: str) -> ToolReport | None:
    """The goodput rate times the duration is a count; InferenceX's fork writes the key with a colon."""
    rate, duration = first(record, "request_goodput", "request_goodput:"), first(record, "duration")
    if rate != rate:
        return None
    return ToolReport(
        good=round(rate * duration) if duration == duration else math.nan,
        rate=rate,
        source=f"request_goodput in {source}",
    )


def summarise(record: dict, tool: str, source: str, notes=()) -> Summary:
    """One row of totals as a summary; values that are missing are counted in a note."""
    completed = first(record, "completed", "num_completed")
    attempted = first(record, "num_prompts", "attempted", "num_requests")
    failed = first(record, "failed")
    attempted = completed + failed if attempted != attempted else attempted
    metrics, missing = named_statistics(record, completed)
    notes = [*notes]
    if missing:
        stated = missing + sum(len(metric.points) + (metric.mean == metric.mean) for metric in metrics.values())
        notes.append(
            f"{missing} of {stated} values missing (null, NaN or Infinity) in this row; they are shown as missing, not"
            " as 0."
        )
    if metrics and not any(
        value for metric in metrics.values() for value in (*metric.points.values(), np.nan_to_num(metric.mean))
    ):
        notes.append(
            f"Every latency in the file is 0, over {counted(int(np.nan_to_num(completed)))} completed: nothing was"
            " measured."
        )
        metrics = {}
    return Summary(
        facts_of(record, tool, source, notes),
        attempted=attempted,
        completed=completed,
        failed=failed,
        metrics=metrics,
        mean_input_tokens=(
            first(record, "mean_input_tokens", "prompt_tokens")
            if completed != completed
            else first(record, "total_input_tokens") / completed if completed else math.nan
        ),
        mean_output_tokens=first(record, "mean_output_tokens", "output_tokens"),
    )
