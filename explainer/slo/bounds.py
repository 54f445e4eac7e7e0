"""What can be said of a run that kept totals and percentiles only: bounds on the share, and a verdict where they
decide."""

import numpy as np

from explainer.formulas.goodput import joint_bounds
from explainer.results.source import Unreadable
from explainer.results.summary import Summary
from explainer.results.text import counted
from explainer.slo.rules import MET, NOT_DECIDABLE, NOT_MET, Limits, Verdict, wilson


def judge_summary(run: Summary, limits: Limits, attainment: float) -> Verdict:
    """Bounds on the share, from each limit's own; where the file does not say how many were attempted, only the upper
    one holds."""
    completed = run.completed
    if completed < 0 or run.attempted < max(0, completed):
        raise Unreadable(
            f"{run.facts.source}: it states {completed:,.0f} answered of {run.attempted:,.0f} attempted; one of the two"
            " is wrong."
        )
    known = run.attempted == run.attempted
    attempted = run.attempted if known else completed
    shares, notes = [_one_limit(run, name, limit) for name, limit in limits.items()], []
    low, high = shares[0]
    for share_low, share_high in shares[1:]:
        low, high = float(joint_bounds(low, share_low)[0]), float(joint_bounds(high, share_high)[1])
    if known and attempted >= 1 and completed == completed:
        low, high = low * completed / attempted, high * completed / attempted
    else:
        low = 0.0
        notes.append(
            f"How many requests were attempted beside {_size(completed)} answered is not stated: failures cannot be"
            " seen."
        )
    if attempted >= 1 and not completed:
        notes.append(
            f"None of {counted(int(attempted))} was answered: this is a failed run, whatever latencies the file states."
        )
    if (
        limits.tpot is not None
        and run.metric("tpot").points
        and run.metric("tpot").unmeasured != run.metric("tpot").unmeasured
    ):
        notes.append(
            f"The TPOT percentiles leave out one-token answers; how many of {_size(completed)} those are is not stated,"
            " and the bounds hold if there were none."
        )
    ends = wilson(low * attempted, attempted)[0], wilson(high * attempted, attempted)[1]
    decided = MET if ends[0] >= attainment else NOT_MET if ends[1] < attainment else NOT_DECIDABLE
    notes.append(
        f"The file has totals and percentiles only: of {_size(attempted)} between {low:.1%} and {high:.1%} met every"
        " limit, and no closer answer can be had from it; keep the tool's per-request records."
    )
    exact = low == high and attempted >= 1
    return Verdict(
        attempted=attempted,
        ok=completed,
        failed=run.attempted - completed,
        good=low * attempted if exact else np.nan,
        missed=np.nan,
        unjudged=np.nan,
        share=low if exact else np.nan,
        interval=ends,
        verdict=decided,
        bounds=(low, high),
        notes=tuple(notes),
    )


def _one_limit(run: Summary, name: str, limit: float) -> tuple[float, float]:
    """Bounds on the share that keeps one limit: the tool's own count where it used the same limit, else its
    percentiles."""
    stated = run.shares.get(name)
    if stated and abs(stated[0] - limit) <= 1e-9 * limit and 0 <= stated[1] <= 1:
        return stated[1], stated[1]
    return run.metric(name).share_within(limit)


def _size(count: float) -> str:
    return counted(int(count)) if count == count else "an unknown number of requests"
