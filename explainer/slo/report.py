"""What `check` says: one JSON object for machines, a page of text for people."""

import math

import numpy as np

from explainer.results.summary import Distribution, Summary
from explainer.results.table import RequestTable, ToolReport
from explainer.results.text import clean
from explainer.slo.durations import spoken
from explainer.slo.rules import Limits, Rules, Verdict
from explainer.slo.statistics import METHOD, PERCENTILES, Statistics, describe
from explainer.slo.traffic import Traffic

_NAMES = {"ttft": "first token", "tpot": "time per token", "e2e": "whole answer"}


def statistics(run: RequestTable | Summary, verdict: Verdict) -> dict[str, Statistics]:
    """ttft, tpot and e2e over the served requests, as judged; from a summary what it states."""
    if isinstance(run, Summary):
        return {name: _stated(run.metric(name)) for name in _NAMES}
    return {name: describe(getattr(verdict, name)[verdict.answered]) for name in _NAMES}


def as_object(
    run: RequestTable | Summary,
    verdict: Verdict,
    limits: Limits,
    rules: Rules,
    attainment: float,
    traffic: Traffic,
    notes: list[str],
) -> dict:
    """One run's answer as JSON types: times in s, null where something is not defined."""
    facts = run.facts
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
        **{name: _statistics(values) for name, values in statistics(run, verdict).items()},
        "chunk_gap": _statistics(_stated(run.metric("itl")) if isinstance(run, Summary) else describe(run.gaps)),
        "limits": {
            **{name: _real(value) if value else None for name, value in vars(limits).items()},
            "attainment": attainment,
        },
        "rules": {**vars(rules), "percentiles": METHOD, "interval": "two-sided 95 % Wilson"},
        "traffic": {name: _real(value) for name, value in vars(traffic).items()},
        "tool_reports": None if facts.report is None else _tool_reports(facts.report),
        "ends": facts.ends,
        "notes": notes,
    }


def _stated(metric: Distribution) -> Statistics:
    """A metric of a summary; its count only where the file states it."""
    percentiles = (metric.percentile(q) for q in PERCENTILES)
    return Statistics(metric.count if metric.counted else np.nan, metric.mean, *percentiles)


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


def as_text(
    run: RequestTable | Summary,
    verdict: Verdict,
    limits: Limits,
    rules: Rules,
    attainment: float,
    traffic: Traffic,
    notes: list[str],
) -> str:
    """One run's answer for a person: the verdict first, then what it was measured on, then what to know about it."""
    facts = run.facts
    title = " · ".join(
        part for part in (facts.source, " ".join(filter(None, (facts.tool, facts.version))), facts.model) if part
    )
    lines = [
        title,
        _headline(verdict, attainment),
        f"  Limits, all on the same request: {_limits(limits)}.",
        f"  Counted: {_rules(rules)}.",
        *([f"  Measured: {facts.ends}."] if facts.ends else []),
        "",
        *_table(run, verdict),
        "",
        *(f"  {line}" for line in _load(traffic)),
    ]
    if facts.report is not None:
        lines.append(f"  The tool's own word: {_own_word(facts.report)}.")
    if notes:
        lines += ["", "  Notes", *(f"  - {note}" for note in notes)]
    return "\n".join(lines)


def _headline(verdict: Verdict, attainment: float) -> str:
    low, high = verdict.interval
    if verdict.bounds is not None and not np.isfinite(verdict.good):
        return (
            f"{verdict.verdict.upper()}: between {verdict.bounds[0]:.1%} and {verdict.bounds[1]:.1%} were good;"
            f" {attainment:.1%} was asked for."
        )
    if not verdict.attempted > 0:
        return f"{verdict.verdict.upper()}: no request is left to judge."
    return (
        f"{verdict.verdict.upper()}: {verdict.good:,.0f} of {verdict.attempted:,.0f} requests were good"
        f" ({verdict.share:.1%}; 95 % interval {low:.1%} to {high:.1%}); {attainment:.1%} was asked for."
    )


def _limits(limits: Limits) -> str:
    return " and ".join(f"{_NAMES[name]} within {spoken(value)}" for name, value in limits.items())


def _rules(rules: Rules) -> str:
    clock = "TTFT from the send" if rules.clock == "send" else "TTFT from the scheduled time"
    return (
        f"every attempted request; one-token answers {rules.one_token}; cancelled {rules.cancelled}; {clock}; Wilson"
        " interval"
    )


def _table(run: RequestTable | Summary, verdict: Verdict) -> list[str]:
    head = f"  {'':16}{'answers':>9}{'mean':>13}{'p50':>13}{'p95':>13}{'p99':>13}"
    rows = [
        f"  {_NAMES[name]:16}{_known(values.count):>9}"
        + "".join(f"{spoken(getattr(values, column)):>13}" for column in ("mean", "p50", "p95", "p99"))
        for name, values in statistics(run, verdict).items()
    ]
    parts = f"{_known(verdict.attempted)} attempted = {_known(verdict.ok)} answered + {_known(verdict.failed)} failed"
    method = "as the tool states them" if isinstance(run, Summary) else f"by {METHOD}"
    return [f"  {parts}. Over the answers, percentiles {method}:", head, *rows]


def _known(count: float) -> str:
    return f"{count:,.0f}" if math.isfinite(count) else "unknown"


def _load(traffic: Traffic) -> list[str]:
    def rate(value: float, unit: str) -> str:
        return f"{value:.3g} {unit}"

    lines = []
    if traffic.served_rate == traffic.served_rate:
        parts = [f"{rate(traffic.served_rate, 'answers/s')} served"]
        if traffic.attempted_rate == traffic.attempted_rate:
            parts.insert(0, f"{rate(traffic.attempted_rate, 'requests/s')} attempted")
        if traffic.good_rate == traffic.good_rate:
            parts.append(f"{rate(traffic.good_rate, 'good requests/s')}")
        lines.append(f"Load over {spoken(traffic.window)}: {', '.join(parts)}.")
    if traffic.in_flight == traffic.in_flight:
        steady = (
            f", {traffic.steady_in_flight:.3g} in its steady part"
            if traffic.steady_in_flight == traffic.steady_in_flight
            else ""
        )
        lines.append(f"Requests under way at once: {traffic.in_flight:.3g} over the whole run{steady}.")
    if traffic.output_rate == traffic.output_rate and traffic.user_rate == traffic.user_rate:
        lines.append(
            f"The server as a whole gave {traffic.output_rate:.4g} tokens/s; one user saw {traffic.user_rate:.3g}"
            " tokens/s after the first token."
        )
    return lines


def _own_word(report: ToolReport) -> str:
    parts = []
    if report.good == report.good:
        parts.append(f"{report.good:,.0f} good" + (f" of {report.of:,.0f}" if report.of == report.of else ""))
    if report.share == report.share:
        parts.append(f"{report.share:.1%}")
    if report.rate == report.rate:
        parts.append(f"{report.rate:.3g} good requests/s")
    under = " and ".join(f"{name} {spoken(limit)}" for name, limit in report.limits.items())
    return clean(", ".join(parts) + (f" under its own limits {under}" if under else "") + f" (from {report.source})")
