"""Was the load what was asked for? Checks on rates, requests under way and arrivals; every finding counts what it
concerns."""

from collections.abc import Iterator

import numpy as np

from explainer.formulas.concurrency import requests_in_flight
from explainer.results.summary import Summary
from explainer.results.table import RequestTable
from explainer.results.text import counted
from explainer.slo.durations import spoken
from explainer.slo.traffic import Traffic

_APART = 0.10
_FAR_BELOW = 0.90
_SHORT_STEADY = 0.5
_BURST = 0.01


def load_notes(run: RequestTable | Summary, traffic: Traffic) -> list[str]:
    """Findings about the load as a whole."""
    checks = (_little, _tokens, _offered, _streams)
    if isinstance(run, RequestTable):
        checks += (_concurrency, _ramp, _arrivals, _queue)
    else:
        checks += (_summary_concurrency,)
    return [sentence for check in checks for sentence in check(run, traffic)]


def _size(run) -> int:
    return len(run) if isinstance(run, RequestTable) else int(np.nan_to_num(run.completed))


def _little(run, traffic: Traffic) -> Iterator[str]:
    """The tool's own rate of answers times the mean time of one, against its own count over the duration."""
    stated = run.facts.stated.get("request_rate", np.nan)
    measured = traffic.served_rate
    if abs(stated - measured) > _APART * max(stated, measured):
        answers = counted(int(run.served.sum()) if isinstance(run, RequestTable) else _size(run), "answer")
        yield (
            f"The tool states {stated:.3g} answers/s, and {answers} over {spoken(traffic.window)} give {measured:.3g}:"
            " its window is another, or it counts others."
        )
    limit = run.facts.concurrency
    if limit >= 1 and requests_in_flight(traffic.served_rate, _mean_e2e(run)) > limit * (1 + _APART):
        yield (
            f"Little's law: {traffic.served_rate:.3g} answers/s times {spoken(_mean_e2e(run))} needs"
            f" {traffic.served_rate * _mean_e2e(run):.3g} requests under way, more than the {limit:.0f} allowed, over"
            f" {counted(_size(run))}: one of the three is wrong."
        )


def _mean_e2e(run) -> float:
    if isinstance(run, Summary):
        return run.metric("e2e").mean
    e2e = run.e2e[run.served & ~np.isnan(run.e2e)]
    return float(e2e.mean()) if len(e2e) else np.nan


def _tokens(run, traffic: Traffic) -> Iterator[str]:
    """The tool's own tokens per second against the rows' tokens over the time."""
    stated = run.facts.stated.get("output_rate", np.nan)
    if isinstance(run, RequestTable) and abs(stated - traffic.output_rate) > _APART * max(stated, traffic.output_rate):
        yield (
            f"The tool states {stated:.4g} output tokens/s; the lengths of {counted(int(run.served.sum()), 'answer')}"
            f" over {spoken(traffic.window)} give {traffic.output_rate:.4g}: it counts other tokens or another time."
        )


def _offered(run, traffic: Traffic) -> Iterator[str]:
    achieved = traffic.sent_rate if traffic.sent_rate == traffic.sent_rate else traffic.attempted_rate
    if achieved < _FAR_BELOW * traffic.offered_rate:
        yield (
            f"Offered {traffic.offered_rate:.3g} requests/s, achieved {achieved:.3g} over {counted(_size(run))}: the"
            " load generator held requests back, so this is not the load that was asked for."
        )


def _streams(run, traffic: Traffic) -> Iterator[str]:
    """Of totals alone: how many people the server's tokens per second are shared among."""
    if isinstance(run, Summary) and traffic.streaming > 0:
        yield (
            f"About {traffic.streaming:.0f} of {counted(_size(run))} streamed at once, each at {traffic.user_rate:.3g}"
            f" tokens/s; the {traffic.output_rate:.4g} tokens/s, {spoken(1 / traffic.output_rate)} between tokens"
            " leaving the server, are all of them together."
        )


def _concurrency(run: RequestTable, traffic: Traffic) -> Iterator[str]:
    asked = run.facts.concurrency
    measured = traffic.steady_in_flight if traffic.steady_in_flight == traffic.steady_in_flight else traffic.in_flight
    if asked >= 1 and len(run) > asked and measured < (1 - 2 * _APART) * asked:
        yield (
            f"Asked for {counted(round(asked))} under way, measured {measured:.3g} over {counted(len(run))}: the rest"
            " of the time was spent between requests, in ramp-up and drain, or on requests whose time is not in the"
            " file."
        )


def _summary_concurrency(run: Summary, traffic: Traffic) -> Iterator[str]:
    if traffic.in_flight > 0:
        asked = f", where {run.facts.concurrency:.0f} were asked for" if run.facts.concurrency >= 1 else ""
        yield (
            f"Little's law: {traffic.served_rate:.4g} answers/s of {spoken(traffic.in_flight / traffic.served_rate)}"
            f" each are {traffic.in_flight:.3g} requests under way{asked} ({counted(_size(run), 'answer')})."
        )


def _ramp(run: RequestTable, traffic: Traffic) -> Iterator[str]:
    if traffic.steady_share < _SHORT_STEADY and len(run) > 1:
        steady = f"{traffic.steady_in_flight:.3g}" if traffic.steady_in_flight == traffic.steady_in_flight else "none"
        yield (
            f"Only {traffic.steady_share:.0%} of the run lies between the first end and the last send: ramp-up and"
            f" drain make up the rest of these {counted(len(run))}; under way {traffic.in_flight:.3g} over the whole"
            f" run, {steady} in the steady part."
        )


def _arrivals(run: RequestTable, traffic: Traffic) -> Iterator[str]:
    starts = run.start[~np.isnan(run.start)]
    if len(starts) > 2 and np.ptp(starts) <= _BURST * traffic.window:
        yield (
            f"All {counted(len(starts))} were sent within {spoken(float(np.ptp(starts)))}: a burst shows how a queue"
            " drains, not how a steady load is served."
        )


def _queue(run: RequestTable, traffic: Traffic) -> Iterator[str]:
    wait = run.start - run.scheduled
    known = ~np.isnan(wait)
    if not known.any():
        yield f"No scheduled times for {counted(len(run))}: a wait inside the load generator cannot be seen."
    elif traffic.queue_wait > _APART * np.nan_to_num(
        np.nanmean(run.ttft) if (~np.isnan(run.ttft)).any() else np.nan, nan=np.inf
    ):
        yield (
            f"{counted(int(known.sum()))} waited {spoken(traffic.queue_wait)} on the mean inside the load generator"
            " before they were sent; TTFT from the send leaves that out (--from scheduled counts it)."
        )
