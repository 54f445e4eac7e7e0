"""The load that a run really put on the server: rates, requests under way, the wait before the send; for one user and
for all."""

from dataclasses import dataclass

import numpy as np

from explainer.formulas.concurrency import requests_in_flight
from explainer.formulas.timing import completion_time, generation_rate
from explainer.results.summary import Summary
from explainer.results.table import RequestTable


@dataclass(frozen=True)
class Traffic:
    """window: s from the first send to the last end (or the tool's own duration); rates: per s; nan where the file
    cannot tell.

    offered_rate: asked for (the schedule, else the tool's setting); sent_rate: between the first and the last send;
    attempted_rate, served_rate, good_rate, output_rate (tokens): over the window. in_flight: over the whole window;
    steady_in_flight: between the first end and the last send, steady_share that part of the window. queue_wait: mean s
    inside the load generator. user_rate: tokens per s that one user sees after the first token; streaming: answers
    that stream at once.
    """

    window: float = np.nan
    offered_rate: float = np.nan
    sent_rate: float = np.nan
    attempted_rate: float = np.nan
    served_rate: float = np.nan
    good_rate: float = np.nan
    output_rate: float = np.nan
    in_flight: float = np.nan
    steady_in_flight: float = np.nan
    steady_share: float = np.nan
    queue_wait: float = np.nan
    user_rate: float = np.nan
    streaming: float = np.nan


def measure(run: RequestTable | Summary, good: float = np.nan) -> Traffic:
    """The run's load. run: a table or a summary; good: how many requests met the limits, for the goodput rate."""
    return _of_summary(run, good) if isinstance(run, Summary) else _of_table(run, good)


def _spread(times: np.ndarray) -> float:
    """Arrivals per s: one less than their number over the time from the first to the last."""
    span = np.ptp(times) if len(times) > 1 else 0.0
    return (len(times) - 1) / span if span > 0 else np.nan


def _of_table(table: RequestTable, good: float) -> Traffic:
    facts = table.facts
    timed = ~np.isnan(table.start)
    ends = table.finish[~np.isnan(table.finish)]
    known = timed.all() and len(ends) > 0
    window = max(ends.max(), table.start.max()) - table.start.min() if known else facts.duration
    if (
        np.isnan(table.finish).any() and facts.duration > window
    ):  # a request that never ended may have outlived all that did
        window = facts.duration
    window = window if window > 0 else np.nan
    scheduled = table.scheduled[~np.isnan(table.scheduled)]
    busy = np.nansum(np.where(np.isnan(table.e2e), 0, table.e2e))
    steady, steady_share = _steady(table.start[timed], table.finish[timed], window) if known else (np.nan, np.nan)
    wait = (table.start - table.scheduled)[~np.isnan(table.start - table.scheduled)]
    tpot = table.tpot[table.served]
    tpot = float(tpot[~np.isnan(tpot)].mean()) if (~np.isnan(tpot)).any() else np.nan
    tokens = (
        float(np.nansum(table.output_tokens[table.served]))
        if (~np.isnan(table.output_tokens[table.served])).any()
        else np.nan
    )
    rate = _spread(scheduled)
    offered = facts.rate if np.isfinite(facts.rate) else rate if facts.concurrency != facts.concurrency else np.nan
    return Traffic(
        window=float(window),
        offered_rate=float(offered),
        sent_rate=float(_spread(table.start[timed])),
        attempted_rate=len(table) / window,
        served_rate=float(table.served.sum()) / window,
        good_rate=good / window,
        output_rate=tokens / window,
        in_flight=float(busy / window) if busy else np.nan,
        steady_in_flight=steady,
        steady_share=steady_share,
        queue_wait=float(wait.mean()) if len(wait) else np.nan,
        user_rate=float(generation_rate(tpot)),
        streaming=tokens / window * tpot,
    )


def _steady(start: np.ndarray, finish: np.ndarray, window: float) -> tuple[float, float]:
    """Mean requests under way from the first end to the last send, and that stretch's share of the window; nan where
    there is none."""
    begin, end = np.nanmin(finish), start.max()
    if not end > begin:
        return np.nan, 0.0
    overlap = np.clip(np.minimum(finish, end) - np.maximum(start, begin), 0, None)
    return float(np.nansum(overlap) / (end - begin)), float((end - begin) / window)


def _of_summary(run: Summary, good: float) -> Traffic:
    duration = np.float64(run.facts.duration if run.facts.duration > 0 else np.nan)
    stated = run.facts.stated.get
    served = stated("request_rate", np.nan)
    served = run.completed / duration if served != served else served
    output = stated("output_rate", np.nan)
    output = stated("output_tokens", np.nan) / duration if output != output else output
    tokens = stated("output_tokens", np.nan) / np.float64(run.completed)
    tokens = run.mean_output_tokens if tokens != tokens else tokens
    ttft, tpot, e2e = (run.metric(name).mean for name in ("ttft", "tpot", "e2e"))
    e2e = completion_time(ttft, tpot, tokens) if e2e != e2e else e2e
    return Traffic(
        window=duration,
        offered_rate=run.facts.rate if np.isfinite(run.facts.rate) else np.nan,
        served_rate=served,
        attempted_rate=run.attempted / duration,
        good_rate=good / duration,
        output_rate=output,
        in_flight=float(requests_in_flight(served, e2e)),
        user_rate=float(generation_rate(tpot)),
        streaming=float(output * tpot),
    )
