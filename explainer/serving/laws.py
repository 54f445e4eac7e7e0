"""Laws that hold for any server: a run that breaks one is wrong."""

import numpy as np

from explainer.formulas.concurrency import interactive_response_time, requests_in_flight
from explainer.serving import state


def little(run):
    """(mean requests in the system as the loop counted it, rate times mean time of the rows): equal by Little's law.

    Over the whole run from 0 s to its end, over all that entered the queue; the time excludes the front delay, which
    comes before it. nan where nothing entered or no time passed.
    """
    rows = run.requests
    entered = (rows.outcome == state.SERVED) | (rows.outcome == state.TIMED_OUT)
    if not entered.any() or not run.end > 0:
        return np.nan, np.nan
    front = np.nan_to_num(rows.front)[entered].max()
    rate = entered.sum() / run.end
    return run.requests_seconds / run.end, float(requests_in_flight(rate, np.mean(rows.e2e[entered] - front)))


def interactive(run, think, start=0.0):
    """(mean response time in s of the rows, N / X - Z) of a closed loop, over requests sent from `start` s until none
    was left to send.

    think: mean Z in s. Equal in steady state; the ends of the window cost about one response time over its length.
    """
    rows = run.requests
    stop = np.nanmax(rows.arrival)
    ended = rows.served & (rows.finish > start) & (rows.finish <= stop)
    if not ended.any():
        return np.nan, np.nan
    throughput = ended.sum() / (stop - start)
    return float(np.mean(rows.e2e[ended])), float(interactive_response_time(run.clients, throughput, think))
