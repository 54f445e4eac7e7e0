"""Does the file agree with itself? Checks on each request's own numbers; every finding is a sentence that counts what
it concerns."""

from collections.abc import Iterator

import numpy as np

from explainer.formulas.timing import completion_time
from explainer.results.summary import Summary
from explainer.results.table import RequestTable
from explainer.results.text import counted
from explainer.slo.durations import spoken
from explainer.slo.rules import CONFIDENCE, NOT_DECIDABLE, Verdict, promised, wilson

_APART = 0.05
_SEVERAL = 1.5
_DATES = (946_684_800.0, 4_102_444_800.0)


def request_notes(run: RequestTable | Summary, verdict: Verdict, attainment: float) -> list[str]:
    """Findings about the requests and about their number."""
    found = list(_few(run, verdict, attainment))
    if isinstance(run, RequestTable):
        for check in (
            _all_zero,
            _no_second_token,
            _ends_apart,
            _one_length,
            _role_chunk,
            _several_tokens,
            _at_once,
            _recounted,
            _clock,
        ):
            found += check(run)
    return found


def _few(run, verdict: Verdict, attainment: float) -> Iterator[str]:
    n = verdict.attempted
    if verdict.verdict == NOT_DECIDABLE and n >= 1 and wilson(n, n)[0] < attainment:
        yield (
            f"{counted(int(n))} {'is' if n == 1 else 'are'} too few: even if all were good, the {CONFIDENCE:.0%} interval would begin at"
            f" {wilson(n, n)[0]:.1%}, below the {promised(attainment)} asked for."
        )
    answered = verdict.ok
    for q in (95, 99):
        needed = 100 // (100 - q)
        if 0 < answered < needed:
            yield (
                f"The {q}th percentile of {counted(int(answered), 'answer')} is hardly more than the slowest of them;"
                f" it takes {needed} to have one beyond it."
            )
            return


def _all_zero(run: RequestTable) -> Iterator[str]:
    times = np.concatenate([run.ttft, run.e2e])
    times = times[~np.isnan(times)]
    if len(times) and not times.any():
        yield f"Every latency in the file is 0, over {counted(len(run))}: nothing was measured, or all of them failed."


def _no_second_token(run: RequestTable) -> Iterator[str]:
    lengths = run.output_tokens[run.served]
    if len(lengths) and (lengths == 1).all():
        yield f"TPOT is not defined: none of {counted(len(lengths), 'answer')} had two or more tokens."


def _ends_apart(run: RequestTable) -> Iterator[str]:
    """TTFT + (N - 1) TPOT against the end-to-end time, with the tool's own TPOT where the file has it."""
    tpot = np.where(np.isnan(run.reported_tpot), run.tpot, run.reported_tpot)
    late = run.e2e - completion_time(run.ttft, tpot, run.output_tokens)
    apart = run.served & (np.abs(late) > _APART * run.e2e)
    if apart.any():
        yield (
            f"{counted(int(apart.sum()), 'answer')}: TTFT + (N - 1) TPOT and the end-to-end time differ by"
            f" {spoken(np.median(np.abs(late[apart])))} at the median: TPOT and E2E do not end at the same event, or N"
            " is not the number of tokens that were streamed."
        )


def _one_length(run: RequestTable) -> Iterator[str]:
    lengths = run.output_tokens[run.served]
    asked = run.requested_tokens[run.served]
    if len(lengths) > 1 and (lengths == asked).all():
        yield (
            f"{counted(len(lengths), 'answer')}: every length is exactly the {asked[0]:.0f} tokens asked for; right if"
            " the end of text was ignored, wrong if the length was never counted."
        )


def _role_chunk(run: RequestTable) -> Iterator[str]:
    """An empty first event taken as the first token leaves the rest of the first wait in the first gap."""
    odd = run.early_first_token
    if odd.sum() > 0.5 * max(1, run.served.sum()):
        yield (
            f"{counted(int(odd.sum()), 'answer')}: the first gap ({spoken(np.median(run.first_gap[odd]))} at the"
            f" median) dwarfs the later ones ({spoken(np.median(run.usual_gap[odd]))}): the first token was probably"
            " taken at the empty role event, so TTFT is too small and TPOT too large."
        )


def _several_tokens(run: RequestTable) -> Iterator[str]:
    several = (
        run.served & (run.chunks >= 1) & (run.output_tokens / np.where(run.chunks >= 1, run.chunks, np.nan) >= _SEVERAL)
    )
    if several.any():
        ratio = np.median(run.output_tokens[several] / run.chunks[several])
        yield (
            f"{counted(int(several.sum()), 'answer')} came with {ratio:.2g} tokens a chunk at the median: a gap between"
            " chunks is no gap between tokens; TPOT divides by tokens."
        )


def _at_once(run: RequestTable) -> Iterator[str]:
    burst = run.served & (run.output_tokens > 1) & (run.tpot == 0)
    if burst.any():
        yield (
            f"{counted(int(burst.sum()), 'answer')}: all the tokens came at one moment, so TPOT is 0: the stream was"
            " held back, or never was one."
        )


def _recounted(run: RequestTable) -> Iterator[str]:
    both = run.served & ~np.isnan(run.retokenized_tokens) & ~np.isnan(run.output_tokens)
    differ = both & (run.retokenized_tokens != run.output_tokens)
    if differ.any():
        worst = np.argmax(np.where(differ, np.abs(run.retokenized_tokens - run.output_tokens), -1))
        yield (
            f"The server's token count and the re-counted text differ on {int(differ.sum()):,} of"
            f" {counted(int(both.sum()))}, worst {run.output_tokens[worst]:.0f} against"
            f" {run.retokenized_tokens[worst]:.0f}; the server's count is used."
        )


def _clock(run: RequestTable) -> Iterator[str]:
    starts = run.start[~np.isnan(run.start)]
    # A clock that begins near 0 says by itself that it counts from the run's start.
    if len(starts) and starts.min() > 60 and not (_DATES[0] < starts.min() and starts.max() < _DATES[1]):
        yield (
            f"{counted(len(starts))}: the start times are seconds of a clock that is no date; they order the requests"
            " and space them, and cannot be laid beside a server's log."
        )
