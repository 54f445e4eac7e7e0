"""An answer for machines: one JSON object, times in s, null where something is not defined."""

import math

from explainer.results.table import ToolReport
from explainer.slo.answer import Answer
from explainer.slo.statistics import METHOD, Statistics


def as_object(answer: Answer) -> dict:
    """The answer as JSON types."""
    facts, verdict = answer.run.facts, answer.verdict
    return {
        "tool": facts.tool,
        "file": facts.source,
        "version": facts.version,
        "model": facts.model,
        "attempted": _whole(verdict.attempted),
        "ok": _whole(verdict.ok),
        "failed": _whole(verdict.failed),
        "good": _whole(verdict.good),
        "attainment": _real(verdict.share),
        "interval": [_real(end) for end in verdict.interval],
        "verdict": verdict.verdict,
        "bounds": None if verdict.bounds is None else [_real(end) for end in verdict.bounds],
        **{name: _statistics(values) for name, values in answer.statistics().items()},
        "chunk_gap": _statistics(answer.chunk_gaps()),
        "limits": {
            **{name: _real(value) if value else None for name, value in vars(answer.limits).items()},
            "attainment": answer.attainment,
        },
        "rules": {**vars(answer.rules), "percentiles": METHOD, "interval": "two-sided 95 % Wilson"},
        "traffic": {name: _real(value) for name, value in vars(answer.traffic).items()},
        "tool_reports": None if facts.report is None else _tool_reports(facts.report),
        "ends": facts.ends,
        "notes": answer.notes,
    }


def _statistics(values: Statistics) -> dict:
    return {
        "count": _whole(values.count),
        **{name: _real(getattr(values, name)) for name in ("mean", "p50", "p95", "p99")},
    }


def _tool_reports(report: ToolReport) -> dict:
    return {
        "good": _whole(report.good),
        "of": _whole(report.of),
        "share": _real(report.share),
        "rate": _real(report.rate),
        "limits": {name: _real(value) for name, value in report.limits.items()},
        "source": report.source,
    }


def _real(value: float) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _whole(value: float) -> int | None:
    return round(value) if math.isfinite(value) else None
