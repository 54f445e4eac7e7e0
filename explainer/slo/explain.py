"""Why the tool said something else: its own rules, applied to its own rows, and which of them moves the number."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from explainer.results.summary import Summary
from explainer.results.table import RequestTable, ToolReport
from explainer.results.text import counted
from explainer.slo.durations import spoken
from explainer.slo.rules import Limits, Rules, Verdict
from explainer.slo.verdict import judge

# What each tool does, as read in its code (the versions are those of 2026-11).
TOOL_RULES = {
    "aiperf": Rules(one_token="fail", cancelled="fail"),
    "genai-perf": Rules(one_token="fail", denominator="served"),
    "guidellm": Rules(one_token="exclude"),
    "vllm": Rules(in_band_error="answer"),
    "sglang": Rules(in_band_error="answer"),
    "inference-perf": Rules(one_token="fail", denominator="served", in_band_error="answer"),
}
_RATE_ONLY = {
    "vllm": "prints only a rate over the wall clock, in which one hung request weighs as much as all the others",
    "genai-perf": "prints only a rate, and no ratio",
}


def explain(run: RequestTable | Summary, limits: Limits, rules: Rules, verdict: Verdict) -> list[str]:
    """Sentences that lay the tool's own number beside ours and name the rule between them; each counts the requests it
    concerns."""
    report, tool = run.facts.report, run.facts.tool
    if report is None:
        known = tool in TOOL_RULES or tool in ("genai-bench", "llmperf", "inferencex")
        return (
            [
                f"{tool} states no goodput of its own for these {_number(verdict.attempted)} requests, so there is"
                " nothing to compare."
            ]
            if known
            else []
        )
    if isinstance(run, Summary):
        return []
    own_limits = Limits(**report.limits) if report.limits else limits
    sentences = []
    if report.limits and own_limits != limits:
        sentences.append(f"{tool} judged its {counted(len(run))} under other limits ({_spoken(own_limits)}).")
    ours = judge(run, own_limits, rules)
    theirs = judge(run, own_limits, TOOL_RULES.get(tool, rules))
    if report.share != report.share and tool in _RATE_ONLY:
        good = f"{report.good:,.0f} good, " if report.good == report.good else ""
        sentences.append(
            f"{tool} {_RATE_ONLY[tool]}: {good}{report.rate:.3g}/s; of {counted(len(run))} attempted that is the share"
            " it leaves out."
        )
    sentences += _moves(run, own_limits, rules, tool, ours)
    if _agrees(report, ours):
        sentences.append(f"{tool}'s own count and ours agree: {_outcome(report, ours)}.")
    elif _agrees(report, theirs):
        sentences.append(
            f"With its rules its own rows give its own number again: {theirs.good:,.0f} of {theirs.attempted:,.0f},"
            f" where the project's definition gives {ours.good:,.0f} of {ours.attempted:,.0f}."
        )
    else:
        limits_known = "" if report.limits else "; its file does not state the limits it used"
        sentences.append(
            f"{tool} says {_outcome(report, theirs)}, and its rules on its own rows give {theirs.good:,.0f} of "
            f"{theirs.attempted:,.0f}: the rest is not in the file ({run.facts.ends}{limits_known})."
        )
    return sentences


def _moves(run: RequestTable, limits: Limits, rules: Rules, tool: str, ours: Verdict) -> Iterator[str]:
    """A sentence for each of the tool's rules that changes the count on these rows."""
    own = TOOL_RULES.get(tool, rules)
    if own.in_band_error != rules.in_band_error and (n := int(run.in_band_error.sum())):
        good = judge(run, limits, replace(rules, in_band_error="answer")).good - ours.good
        yield (
            f"{tool} calls {counted(n, 'answer')} that ended in an error event a success, and {good:.0f} of them good."
        )
    if own.denominator != rules.denominator:
        answered = judge(run, limits, replace(rules, denominator="served", in_band_error=own.in_band_error)).attempted
        if answered != ours.attempted:
            yield (
                f"{tool} divides by the {answered:,.0f} it calls successes, not by the {ours.attempted:,.0f} attempted."
            )
    ones = int((run.served & (run.output_tokens == 1)).sum())
    if own.one_token != rules.one_token and ones and limits.tpot is not None:
        words = {"fail": "counts as not good", "exclude": "leaves out", "pass": "counts as good on TPOT"}[own.one_token]
        yield f"{tool} {words} the {counted(ones, 'answer')} of one token."
    if own.cancelled != rules.cancelled and (n := int((run.outcome == 2).sum())):
        yield f"{tool} counts {counted(n, 'cancelled request')} as attempted."


def _agrees(report: ToolReport, verdict: Verdict) -> bool:
    same_good = report.good == report.good and report.good == verdict.good
    same_share = report.share != report.share or abs(report.share - verdict.share) < 5e-4
    return same_good and same_share if report.good == report.good else report.share == report.share and same_share


def _outcome(report: ToolReport, verdict: Verdict) -> str:
    share = f", {report.share:.1%}" if report.share == report.share else ""
    good = report.good if report.good == report.good else report.share * verdict.attempted
    return f"{good:,.0f} good of {_number(report.of if report.of == report.of else verdict.attempted)}{share}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if np.isfinite(value) else "an unknown number of"


def _spoken(limits: Limits) -> str:
    return ", ".join(f"{name} {spoken(value)}" for name, value in limits.items())
