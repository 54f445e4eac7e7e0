"""SGLang bench_serving: JSON lines, a run per line; with or without its rows."""

from dataclasses import replace

import numpy as np

from explainer.results import parallel, totals
from explainer.results.jsontext import member, number
from explainer.results.records import Records
from explainer.results.source import Sample, Source
from explainer.results.summary import Summary
from explainer.results.table import RequestTable, RunFacts, ToolReport
from explainer.results.text import clean, counted

TOOL = "sglang"
_ENDS = (
    "the file has no end-to-end times: E2E and TPOT end at the last piece of text, and the tool's own at the end of the"
    " stream"
)


def recognises(sample: Sample) -> str | None:
    """'requests' or 'summary' for SGLang's file, else None."""
    if not sample.has("completed", "duration") or not sample.keys & {
        "total_output_tokens_retokenized",
        "sharegpt_output_len",
    }:
        return None
    return "requests" if sample.keys & {"ttfts", "input_lens"} else "summary"


def read(source: Source) -> list[RequestTable | Summary]:
    """Every run in the file."""
    records = Records(source)
    rows = list(records)
    return [
        _run(record, totals.numbered(source.name, place, len(rows)), records.notes() if place == 1 else [])
        for place, record in enumerate(rows, 1)
    ]


def _run(record: dict, name: str, notes: list[str]) -> RequestTable | Summary:
    facts = totals.facts_of(record, TOOL, name, notes)
    model = member(record, "server_info", "model_path")
    facts = replace(
        facts,
        ends=_ENDS,
        model=clean(model) if isinstance(model, str) else facts.model,
        concurrency=number(record.get("max_concurrency")),
        report=_report(record, facts),
    )
    if not parallel.has_rows(record):
        return replace(totals.summarise(record, TOOL, name, notes), facts=facts, shares=_shares(record))
    requested = parallel.length_setting(record)
    return _warned(parallel.table(record, facts, requested_tokens=requested), record)


def _report(record: dict, facts: RunFacts) -> ToolReport | None:
    share = number(record.get("slo_attainment"))
    if share != share:
        return facts.report
    attempted = len(record["errors"]) if isinstance(record.get("errors"), list) else np.nan
    return ToolReport(
        good=round(share * attempted) if attempted == attempted else np.nan,
        of=attempted,
        share=share,
        rate=number(record.get("request_goodput")),
        limits=_limits(record),
        source=f"slo_attainment in {facts.source}",
    )


def _limits(record: dict) -> dict[str, float]:
    limits = record.get("goodput_slos_ms")
    names = {"ttft": "ttft", "tpot": "tpot", "e2el": "e2e"}
    return (
        {names[name]: number(value) * 1e-3 for name, value in limits.items() if name in names}
        if isinstance(limits, dict)
        else {}
    )


def _shares(record: dict) -> dict[str, tuple[float, float]]:
    """Each limit's own share, which the tool states of all it attempted."""
    stated = record.get("slo_attainment_by_metric")
    if not isinstance(stated, dict):
        return {}
    return {
        name: (limit, share) for name, limit in _limits(record).items() if (share := number(stated.get(name))) == share
    }


def _warned(table: RequestTable, record: dict) -> RequestTable:
    """SGLang puts the requested length where the server reports none; its own re-count of the text gives that away."""
    told, recounted = number(record.get("total_output_tokens")), number(record.get("total_output_tokens_retokenized"))
    lengths = table.output_tokens[table.served]
    if not len(lengths) or not (lengths == lengths[0]).all() or not abs(told - recounted) > 0.05 * told:
        return table
    doubted = replace(table, facts=replace(table.facts, flattered=table.facts.flattered | {"tpot"}))
    return doubted.noting(
        f"{counted(len(lengths), 'answer')}: every length is the requested {lengths[0]:.0f} tokens, {told:,.0f} in all,"
        f" while the texts hold {recounted:,.0f}: the server reported no usage, so TPOT is too small by about"
        f" {told / recounted:.1f} times where it is stated; measure again with the usage switched on."
    )
