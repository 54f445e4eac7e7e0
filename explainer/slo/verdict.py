"""The verdict on a run: every limit on the same request, one stated set of rules, an interval, and the honesty to say 'not decidable'."""
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import numpy as np

from explainer.formulas import timing
from explainer.formulas.goodput import joint_bounds, wilson_interval
from explainer.results.summary import Summary
from explainer.results.table import CANCELLED, SERVED, RequestTable
from explainer.results.text import counted

MET, NOT_MET, NOT_DECIDABLE = "met", "not met", "not decidable"
CONFIDENCE = 0.95
# A limit is reached, not broken, by a value that differs from it only in the last bits of a float.
_EXACT = 1 + 1e-9


@dataclass(frozen=True)
class Limits:
    """The most that is accepted: ttft and e2e in s, tpot in s per token; None where there is no such limit."""

    ttft: float | None = None
    tpot: float | None = None
    e2e: float | None = None

    def items(self) -> list[tuple[str, float]]:
        """The limits that are set, by name."""
        return [(limit.name, value) for limit in fields(self) if (value := getattr(self, limit.name)) is not None]


@dataclass(frozen=True)
class Rules:
    """What counts as what. The defaults are the project's definition; the other values are what other tools do.

    one_token: 'pass', 'fail' or 'exclude' for an answer of one token under a TPOT limit; cancelled: 'exclude' or 'fail'; clock: 'send' or
    'scheduled', where TTFT and E2E begin; denominator: 'attempted' or 'served'; in_band_error: 'failed' or 'answer', for an error event
    inside a stream that began with 200; length: 'measured' or 'requested', the tokens that TPOT divides by.
    """

    one_token: str = "pass"
    cancelled: str = "exclude"
    clock: str = "send"
    denominator: str = "attempted"
    in_band_error: str = "failed"
    length: str = "measured"


@dataclass(frozen=True)
class Verdict:
    """One run judged. Shares are of `attempted`; interval: two-sided 95 % Wilson; bounds: of the share where the file has no rows.

    attempted = ok + failed; good + missed + unjudged = ok. nan is 'not known'. notes: sentences that count the requests they concern.
    ttft, tpot, e2e: the rows' values in s as judged, with `counts` the rows in the denominator and `good_rows` those that met every limit.
    """

    attempted: float
    ok: float
    failed: float
    good: float
    missed: float
    unjudged: float
    share: float
    interval: tuple[float, float]
    verdict: str
    bounds: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    ttft: np.ndarray = field(default_factory=lambda: np.empty(0))
    tpot: np.ndarray = field(default_factory=lambda: np.empty(0))
    e2e: np.ndarray = field(default_factory=lambda: np.empty(0))
    answered: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))
    counts: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))
    good_rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=bool))


def decide(good: float, attempted: float, attainment: float) -> str:
    """Met if the lower end of the 95 % Wilson interval reaches the attainment, not met if the upper end stays below, else not decidable.

    good, attempted: counts; attainment: share asked for, 0 to 1. Not decidable where nothing was attempted.
    """
    low, high = wilson(good, attempted)
    return MET if low >= attainment else NOT_MET if high < attainment else NOT_DECIDABLE


def wilson(good: float, attempted: float) -> tuple[float, float]:
    """The two-sided 95 % Wilson interval as floats; (nan, nan) where nothing was attempted."""
    low, high = wilson_interval(np.float64(good), np.float64(attempted), CONFIDENCE)
    return float(low), float(high)


def judge(run: RequestTable | Summary, limits: Limits, rules: Rules = Rules(), attainment: float = 0.95) -> Verdict:
    """The verdict on a run, from its rows or, where there are none, from bounds.

    run: a table or a summary; limits: at least one; rules; attainment: share of requests that must be good, above 0 and up to 1.
    """
    return _judge_summary(run, limits, attainment) if isinstance(run, Summary) else _judge_table(run, limits, rules, attainment)


def judge_groups(table: RequestTable, limits: Mapping[str, Limits], rules: Rules = Rules(),
                 attainment: float = 0.95) -> dict[str, Verdict | None]:
    """A verdict for each class of requests; None ('no target set') for a class that has no limits: it is in no denominator.

    table: rows with a class; limits: {class: its limits}.
    """
    return {group: _judge_table(table.take(table.group == place), limits[group], rules, attainment) if group in limits else None
            for place, group in enumerate(table.groups)}


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
    # An answer without a length or a first token among answers that have one is no finished answer that anybody has seen.
    for column in (tokens, table.ttft):
        if not np.isnan(column[answered]).all():
            unknown |= np.isnan(column)
    considered = answered & counts
    missed &= considered
    unknown &= considered & ~missed
    good = considered & ~missed & ~unknown

    totals = {name: int(rows.sum()) for name, rows in
              (("attempted", counts), ("ok", considered), ("good", good), ("missed", missed), ("unjudged", unknown))}
    unread = table.facts.unread
    worst = decide(totals["good"], totals["attempted"] + unread, attainment)
    best = decide(totals["good"] + totals["unjudged"] + unread, totals["attempted"] + unread, attainment)
    decided = NOT_DECIDABLE if worst != best or table.facts.hidden == "rows" or table.facts.hidden and worst == MET else worst
    return Verdict(
        **totals, failed=totals["attempted"] - totals["ok"], verdict=decided,
        share=totals["good"] / totals["attempted"] if totals["attempted"] else np.nan, interval=wilson(totals["good"], totals["attempted"]),
        notes=tuple(_notes(table, rules, limits, one_token, cancelled, unknown, unread, worst != best, tokens, ttft)),
        ttft=ttft, tpot=tpot, e2e=e2e, answered=considered, counts=counts, good_rows=good)


def _notes(table, rules, limits, one_token, cancelled, unknown, unread, matters, tokens, ttft):
    if n := int(one_token.sum()):
        effect = {"pass": "there is no second token to wait for, so they pass the TPOT limit", "fail": "they fail the TPOT limit",
                  "exclude": "they are left out"}[rules.one_token]
        yield f"{counted(n, 'answer')} of one token: TPOT is not defined for them; {effect} (--one-token {rules.one_token})."
    if n := int(cancelled.sum()):
        effect = "left out of both counts" if rules.cancelled == "exclude" else "counted as failed"
        yield f"{counted(n)} cancelled by the tester or cut by the end of the run: {effect} (--cancelled {rules.cancelled})."
    if n := int(unknown.sum()):
        lacks = [f"{int((unknown & np.isnan(column)).sum())} without {what}" for column, what in
                 ((ttft, "a first-token time"), (tokens, "a length"), (table.e2e, "an end")) if (unknown & np.isnan(column)).any()]
        end = "they could change the verdict, so it is not decidable" if matters else "they could not change the verdict"
        yield f"{counted(n, 'finished answer')} cannot be judged ({', '.join(lacks)}): counted as attempted and not good; {end}."
    if unread and matters and not unknown.any():
        yield f"{counted(unread, 'record')} that could not be read could change the verdict, so it is not decidable."
    if table.facts.hidden:
        yield (f"An unknown number of {'failed requests' if table.facts.hidden == 'failures' else 'requests'} is missing beside the "
               f"{counted(len(table))} read: {'the true share is lower or equal' if table.facts.hidden == 'failures' else 'not decidable'}.")
    if rules.clock == "scheduled" and (n := int((np.isnan(table.scheduled) & table.served).sum())):
        yield f"{counted(n)} without a scheduled time: the wait inside the load generator cannot be seen for them."


def _judge_summary(run: Summary, limits: Limits, attainment: float) -> Verdict:
    """Bounds on the share, from each limit's own; where the file does not say how many were attempted, only the upper one holds."""
    completed = run.completed
    known = run.attempted == run.attempted
    attempted = run.attempted if known else completed
    low, high, notes = 1.0, 1.0, []
    for name, limit in limits.items():
        stated = run.shares.get(name)
        a = (stated[1], stated[1]) if stated and abs(stated[0] - limit) <= 1e-9 * limit else run.metric(name).share_within(limit)
        low, high = float(joint_bounds(low, a[0])[0]), float(joint_bounds(high, a[1])[1])
    if known and attempted >= 1 and completed == completed:
        low, high = low * completed / attempted, high * completed / attempted
    else:
        low = 0.0
        notes.append(f"How many requests were attempted beside {_size(completed)} answered is not stated: failures cannot be seen.")
    if attempted >= 1 and not completed:
        notes.append(f"None of {counted(int(attempted))} was answered: this is a failed run, whatever latencies the file states.")
    if limits.tpot is not None and run.metric("tpot").points and run.metric("tpot").unmeasured != run.metric("tpot").unmeasured:
        notes.append(f"The TPOT percentiles leave out one-token answers; how many of {_size(completed)} those are is not stated, "
                     "and the bounds hold if there were none.")
    ends = wilson(low * attempted, attempted)[0], wilson(high * attempted, attempted)[1]
    decided = MET if ends[0] >= attainment else NOT_MET if ends[1] < attainment else NOT_DECIDABLE
    notes.append(f"The file has totals and percentiles only: of {_size(attempted)} between {low:.1%} and {high:.1%} met every limit, and no "
                 "closer answer can be had from it; keep the tool's per-request records.")
    exact = low == high
    return Verdict(
        attempted=attempted, ok=completed, failed=run.attempted - completed, good=low * attempted if exact else np.nan, missed=np.nan,
        unjudged=np.nan, share=low if exact else np.nan, interval=ends, verdict=decided, bounds=(low, high), notes=tuple(notes))


def _size(count: float) -> str:
    return counted(int(count)) if count == count else "an unknown number of requests"
