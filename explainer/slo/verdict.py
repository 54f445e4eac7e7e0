"""The verdict on a run: every limit on the same request, one stated set of rules, an interval, and the honesty to say
'not decidable'."""

from collections.abc import Mapping

import numpy as np

from explainer.formulas import timing
from explainer.results.summary import Summary
from explainer.results.table import CANCELLED, FAILED, SERVED, RequestTable
from explainer.results.text import counted
from explainer.slo.bounds import judge_summary
from explainer.slo.rules import MET, NOT_DECIDABLE, Limits, Rules, Verdict, decide, wilson

# A limit is reached, not broken, by a value that differs from it only in the last bits of a float.
_EXACT = 1 + 1e-9


def judge(run: RequestTable | Summary, limits: Limits, rules: Rules = Rules(), attainment: float = 0.95) -> Verdict:
    """The verdict on a run, from its rows or, where there are none, from bounds.

    run: a table or a summary; limits: at least one; rules; attainment: share of requests that must be good, above 0
    and up to 1.
    """
    return (
        judge_summary(run, limits, attainment)
        if isinstance(run, Summary)
        else _judge_table(run, limits, rules, attainment)
    )


def judge_groups(
    table: RequestTable, limits: Mapping[str, Limits], rules: Rules = Rules(), attainment: float = 0.95
) -> dict[str, Verdict | None]:
    """A verdict for each class of requests; None ('no target set') for a class that has no limits: it is in no
    denominator.

    table: rows with a class; limits: {class: its limits}.
    """
    return {
        group: (
            _judge_table(table.take(table.group == place), limits[group], rules, attainment)
            if group in limits
            else None
        )
        for place, group in enumerate(table.groups)
    }


def _times(table: RequestTable, rules: Rules) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """ttft, tpot, e2e and output tokens under the rules."""
    waited = table.start - table.scheduled if rules.clock == "scheduled" else 0.0
    tokens = table.output_tokens
    if rules.length == "requested":
        tokens = np.where(np.isnan(table.requested_tokens), tokens, table.requested_tokens)
    end = np.where(np.isnan(table.last_token), table.e2e, table.last_token)
    return table.ttft + waited, timing.tpot(table.ttft, end, tokens), table.e2e + waited, tokens


def _judge_table(table: RequestTable, limits: Limits, rules: Rules, attainment: float) -> Verdict:
    ttft, tpot, e2e, tokens = _times(table, rules)
    answered = table.outcome == SERVED
    if rules.in_band_error == "answer":
        answered = answered | table.in_band_error
    cancelled = table.outcome == CANCELLED
    one_token = answered & (tokens == 1) & (limits.tpot is not None)
    counts = np.ones(len(table), dtype=bool) if rules.denominator == "attempted" else answered.copy()
    if rules.cancelled == "exclude":
        counts &= ~cancelled
    if rules.one_token == "exclude":
        counts &= ~one_token

    missed, unknown = np.zeros(len(table), dtype=bool), np.zeros(len(table), dtype=bool)
    for name, limit in limits.items():
        value = {"ttft": ttft, "tpot": tpot, "e2e": e2e}[name]
        missed |= value > limit * _EXACT
        unknown |= np.isnan(value) & ~one_token if name == "tpot" else np.isnan(value)
    if rules.one_token == "fail":
        missed |= one_token
    # An answer without a length or a first token among answers that have one is no finished answer that anybody has
    # seen.
    for column in (tokens, table.ttft):
        if not np.isnan(column[answered]).all():
            unknown |= np.isnan(column)
    considered = answered & counts
    missed &= considered
    unknown &= considered & ~missed
    good = considered & ~missed & ~unknown

    totals = {
        name: int(rows.sum())
        for name, rows in (
            ("attempted", counts),
            ("ok", considered),
            ("good", good),
            ("missed", missed),
            ("unjudged", unknown),
        )
    }
    unread = table.facts.unread
    worst = decide(totals["good"], totals["attempted"] + unread, attainment)
    best = decide(totals["good"] + totals["unjudged"] + unread, totals["attempted"] + unread, attainment)
    decided = (
        NOT_DECIDABLE if worst != best or table.facts.hidden == "rows" or table.facts.hidden and worst == MET else worst
    )
    flattering = sorted(table.flattered & {name for name, _ in limits.items()})
    doubt = decided == MET and bool(flattering)
    return Verdict(
        **totals,
        failed=totals["attempted"] - totals["ok"],
        verdict=NOT_DECIDABLE if doubt else decided,
        share=totals["good"] / totals["attempted"] if totals["attempted"] else np.nan,
        interval=wilson(totals["good"], totals["attempted"]),
        notes=(
            *_notes(table, rules, limits, one_token, cancelled, unknown, unread, worst != best, tokens, ttft),
            *_own_tpot(table, limits, totals, unknown),
            *(_doubts(totals["good"], flattering) if doubt else ()),
        ),
        ttft=ttft,
        tpot=tpot,
        e2e=e2e,
        answered=considered,
        counts=counts,
        good_rows=good,
    )


def _failures(table: RequestTable, failed: np.ndarray) -> str:
    """Why requests failed, the most frequent reasons first."""
    numbers = np.bincount(table.reason[failed], minlength=len(table.reasons))
    kinds = [
        f"{numbers[place]} {table.reasons[place] or 'without a reason'}"
        for place in np.argsort(-numbers, kind="stable")[:5]
        if numbers[place]
    ]
    others = int(failed.sum()) - int(np.sort(numbers)[::-1][:5].sum())
    return (
        f"{counted(int(failed.sum()))} failed: {'; '.join(kinds)}{f'; {others} for other reasons' if others else ''}."
    )


def _own_tpot(table: RequestTable, limits: Limits, totals: dict[str, int], unknown: np.ndarray):
    """What the file's own TPOT would say where there is nothing to work it out from."""
    own = unknown & ~np.isnan(table.reported_tpot)
    if limits.tpot is None or not own.any():
        return
    kept = int((own & (table.reported_tpot <= limits.tpot * _EXACT)).sum())
    yield (
        f"The file states a TPOT for {int(own.sum()):,} of them, and not from which times and which length it comes:"
        f" by it {totals['good'] + kept:,} of {totals['attempted']:,} would be good. Add each answer's length (out_tok) and"
        " end (e2e_s or e2e_ms), and it can be judged."
    )


def _doubts(good: int, flattering: list[str]):
    """Why a run that keeps its limits by the file is not said to keep them."""
    names = " and ".join(name.upper() for name in flattering)
    yield (
        f"{counted(good)} keep the limits by this file, but its {names} is probably too small for most of them (see the"
        " other notes): not decidable, and not met."
    )


def _notes(table, rules, limits, one_token, cancelled, unknown, unread, matters, tokens, ttft):
    if (failed := table.outcome == FAILED).any():
        yield _failures(table, failed)
    if n := int(one_token.sum()):
        effect = {
            "pass": "there is no second token to wait for, so they pass the TPOT limit",
            "fail": "they fail the TPOT limit",
            "exclude": "they are left out",
        }[rules.one_token]
        yield (
            f"{counted(n, 'answer')} of one token: TPOT is not defined for them; {effect} (--one-token"
            f" {rules.one_token})."
        )
    if n := int(cancelled.sum()):
        effect = "left out of both counts" if rules.cancelled == "exclude" else "counted as failed"
        yield (
            f"{counted(n)} cancelled by the tester or cut by the end of the run: {effect} (--cancelled"
            f" {rules.cancelled})."
        )
    if n := int(unknown.sum()):
        lacks = [
            f"{int((unknown & np.isnan(column)).sum())} without {what}"
            for column, what in ((ttft, "a first-token time"), (tokens, "a length"), (table.e2e, "an end"))
            if (unknown & np.isnan(column)).any()
        ]
        end = (
            "they could change the verdict, so it is not decidable" if matters else "they could not change the verdict"
        )
        yield (
            f"{counted(n, 'finished answer')} cannot be judged ({', '.join(lacks)}): counted as attempted and not good;"
            f" {end}."
        )
    if unread and matters and not unknown.any():
        yield f"{counted(unread, 'record')} that could not be read could change the verdict, so it is not decidable."
    if table.facts.hidden:
        yield (
            f"An unknown number of {'failed requests' if table.facts.hidden == 'failures' else 'requests'} is missing"
            f" beside the {counted(len(table))} read:"
            f" {'the true share is lower or equal' if table.facts.hidden == 'failures' else 'not decidable'}."
        )
    if rules.clock == "scheduled" and (n := int((np.isnan(table.scheduled) & table.served).sum())):
        yield f"{counted(n)} without a scheduled time: the wait inside the load generator cannot be seen for them."
