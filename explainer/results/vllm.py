"""vLLM bench serve (0.6 to 0.33) and the InferenceX fork: one JSON object a run, or several, one a line; with or
without its rows."""

from explainer.results import parallel, totals
from explainer.results.jsontext import numbers
from explainer.results.records import Records
from explainer.results.source import Sample, Source
from explainer.results.summary import Summary
from explainer.results.table import RequestTable, RunFacts

TOOL = "vllm"
_ENDS_AT_TEXT = "this vLLM ends E2E and TPOT at the last piece of text (versions since 2026-09)"
_ENDS_UNKNOWN = (
    "the file has no end-to-end times: E2E and TPOT end at the last streamed piece, and the tool's own (up to mid-2026)"
    " at the usage event"
)


def recognises(sample: Sample) -> str | None:
    """'requests' or 'summary' for vLLM's file, else None."""
    if not sample.has("num_prompts", "completed", "duration"):
        return None
    return "requests" if "ttfts" in sample.keys or "input_lens" in sample.keys else "summary"


def read(source: Source) -> list[RequestTable | Summary]:
    """Every run in the file."""
    records = Records(source)
    rows = list(records)
    runs: list[RequestTable | Summary] = []
    for place, record in enumerate(rows, 1):
        name, notes = totals.numbered(source.name, place, len(rows)), records.notes() if place == 1 else []
        if not parallel.has_rows(record):
            runs.append(totals.summarise(record, TOOL, name, notes))
            continue
        facts = totals.facts_of(record, TOOL, name, notes)
        timed = any(value > 0 for value in numbers(record.get("latencies")))
        facts = RunFacts(**{**vars(facts), "ends": _ENDS_AT_TEXT if timed else _ENDS_UNKNOWN})
        runs.append(parallel.table(record, facts, attempted=totals.first(record, "num_prompts")))
    return runs
