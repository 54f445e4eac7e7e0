"""An answer for a person: the verdict first, then what it was measured on, then what to know about it."""

import math

from explainer.results.summary import Summary
from explainer.results.table import ToolReport
from explainer.results.text import clean
from explainer.slo.answer import TIMES, Answer
from explainer.slo.durations import spoken
from explainer.slo.rules import Limits, Rules, Verdict, promised
from explainer.slo.statistics import METHOD
from explainer.slo.traffic import Traffic


def as_text(answer: Answer) -> str:
    """The answer as lines of text."""
    facts = answer.run.facts
    title = " · ".join(
        part for part in (facts.source, " ".join(filter(None, (facts.tool, facts.version))), facts.model) if part
    )
    lines = [
        title,
        _headline(answer.verdict, answer.attainment),
        f"  Limits, all on the same request: {_limits(answer.limits)}.",
        f"  Counted: {_rules(answer.rules)}.",
        *([f"  Measured: {facts.ends}."] if facts.ends else []),
        "",
        *_table(answer),
        "",
        *(f"  {line}" for line in _load(answer.traffic)),
    ]
    if facts.report is not None:
        lines.append(f"  The tool's own word: {_own_word(facts.report)}.")
    if answer.notes:
        lines += ["", "  Notes", *(f"  - {note}" for note in answer.notes)]
    return "\n".join(lines)


def _headline(verdict: Verdict, attainment: float) -> str:
    low, high = verdict.interval
    if verdict.bounds is not None and not math.isfinite(verdict.good):
        return (
            f"{verdict.verdict.upper()}: between {verdict.bounds[0]:.1%} and {verdict.bounds[1]:.1%} were good;"
            f" {promised(attainment)} was asked for."
        )
    if not verdict.attempted > 0:
        return f"{verdict.verdict.upper()}: no request is left to judge."
    doubtful = f" and {verdict.unjudged:,.0f} cannot be judged" if verdict.unjudged > 0 else ""
    return (
        f"{verdict.verdict.upper()}: {verdict.good:,.0f} of {verdict.attempted:,.0f} requests were good{doubtful}"
        f" ({verdict.share:.1%}; 95 % interval {low:.1%} to {high:.1%}); {promised(attainment)} was asked for."
    )


def _limits(limits: Limits) -> str:
    return " and ".join(f"{TIMES[name]} within {spoken(value)}" for name, value in limits.items())


def _rules(rules: Rules) -> str:
    clock = "TTFT from the send" if rules.clock == "send" else "TTFT from the scheduled time"
    return (
        f"every attempted request; one-token answers {rules.one_token}; cancelled {rules.cancelled}; {clock}; Wilson"
        " interval"
    )


def _table(answer: Answer) -> list[str]:
    verdict = answer.verdict
    head = f"  {'':16}{'answers':>9}{'mean':>13}{'p50':>13}{'p95':>13}{'p99':>13}"
    rows = [
        f"  {TIMES[name]:16}{_known(values.count):>9}"
        + "".join(f"{spoken(getattr(values, column)):>13}" for column in ("mean", "p50", "p95", "p99"))
        for name, values in answer.statistics().items()
    ]
    parts = f"{_known(verdict.attempted)} attempted = {_known(verdict.ok)} answered + {_known(verdict.failed)} failed"
    method = "as the tool states them" if isinstance(answer.run, Summary) else f"by {METHOD}"
    return [f"  {parts}. Over the answers, percentiles {method}:", head, *rows]


def _known(count: float) -> str:
    return f"{count:,.0f}" if math.isfinite(count) else "unknown"


def _load(traffic: Traffic) -> list[str]:
    def rate(value: float, unit: str) -> str:
        return f"{value:.3g} {unit}"

    lines = []
    if not math.isnan(traffic.served_rate):
        parts = [f"{rate(traffic.served_rate, 'answers/s')} served"]
        if not math.isnan(traffic.attempted_rate):
            parts.insert(0, f"{rate(traffic.attempted_rate, 'requests/s')} attempted")
        if not math.isnan(traffic.good_rate):
            parts.append(f"{rate(traffic.good_rate, 'good requests/s')}")
        lines.append(f"Load over {spoken(traffic.window)}: {', '.join(parts)}.")
    if not math.isnan(traffic.in_flight):
        steady = (
            f", {traffic.steady_in_flight:.3g} in its steady part" if not math.isnan(traffic.steady_in_flight) else ""
        )
        lines.append(f"Requests under way at once: {traffic.in_flight:.3g} over the whole run{steady}.")
    if not math.isnan(traffic.output_rate) and not math.isnan(traffic.user_rate):
        lines.append(
            f"The server as a whole gave {traffic.output_rate:.4g} tokens/s; one user saw {traffic.user_rate:.3g}"
            " tokens/s after the first token."
        )
    return lines


def _own_word(report: ToolReport) -> str:
    parts = []
    if not math.isnan(report.good):
        parts.append(f"{report.good:,.0f} good" + (f" of {report.of:,.0f}" if not math.isnan(report.of) else ""))
    if not math.isnan(report.share):
        parts.append(f"{report.share:.1%}")
    if not math.isnan(report.rate):
        parts.append(f"{report.rate:.3g} good requests/s")
    under = " and ".join(f"{name} {spoken(limit)}" for name, limit in report.limits.items())
    return clean(", ".join(parts) + (f" under its own limits {under}" if under else "") + f" (from {report.source})")
