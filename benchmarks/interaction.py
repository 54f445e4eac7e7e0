"""From a slider's move to the paint after the last thing it changed: ours and two naive pages, alone and in a class.

The measured page is in a real browser; a move is a real key press on a slider. The clock runs from the event's own time
stamp to the message after the animation frame after the last change of the document, or the last picture loaded
(paint.js). A move counts when its picture is another and its words are what the formula says (a PNG's words nobody can
read).
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as Timeout

from benchmarks.browser import PAINT_SCRIPT, opened
from benchmarks.readers import Crowd, crowd
from benchmarks.subjects import SLIDERS, SUBJECTS, Subject, texts
from explainer.page.parameters import PARAMETERS

OTHERS = 29
LIMIT = 360  # seconds for all moves of one page
LOAD_LIMIT = 90  # seconds for one page to come alive


@dataclass(frozen=True)
class Moves:
    """The moves of one page: each one's seconds, how many were asked for, how long all took, how many other readers."""

    seconds: np.ndarray
    asked: int
    elapsed: float
    others: int

    def at(self, percent: float):
        """A percentile in ms; words, with the median in s of the moves there were, where not all were made in time."""
        if len(self.seconds) < self.asked:
            made = f"{len(self.seconds)} of {self.asked} moves in {self.elapsed:.0f} s"
            return (
                f"not finished ({made}, median {np.median(self.seconds):.1f} s)"
                if len(self.seconds)
                else f"not finished ({made})"
            )
        return 1e3 * float(np.percentile(self.seconds, percent))


def measure(subject: Subject, address: str, count: int, others: int) -> Moves:
    """Moves each slider of the page in turn, count times in all."""
    with opened(PAINT_SCRIPT) as (page, _), _beside(subject, address, page, others) as beside:
        shown = {name: PARAMETERS[name].default for name in SLIDERS}
        is_ready = _is_ready(page, subject, address)
        if beside:
            beside.begin()
        page.wait_for_timeout(3000)  # what loading still has to do is no move's
        seconds, began = [], time.monotonic()
        for name in SLIDERS if is_ready else ():
            page.locator(subject.slider(name)).first.focus()
            page.wait_for_timeout(300)
            for _ in range(count // len(SLIDERS)):
                left = LIMIT - (time.monotonic() - began)
                if left <= 0:
                    break
                shown[name] = round(shown[name] + PARAMETERS[name].step, 9)
                took = _move(page, subject, texts(shown), left)
                if took is None:
                    _said(f"the page did not answer to {name} {shown[name]:g} with {texts(shown)}")
                    break
                seconds.append(took)
        return Moves(
            np.array(seconds),
            count // len(SLIDERS) * len(SLIDERS),
            time.monotonic() - began,
            beside.present if beside else 0,
        )


def _is_ready(page: Page, subject: Subject, address: str) -> bool:
    """Loads the page, a second time where it does not come alive; False where it does not then either."""
    for _ in range(2):
        try:
            page.goto(address, timeout=1e3 * LOAD_LIMIT)
            page.wait_for_selector(subject.ready, timeout=1e3 * LOAD_LIMIT)
            for name in SLIDERS:
                page.wait_for_selector(subject.slider(name), state="attached", timeout=1e3 * LOAD_LIMIT)
        except Timeout as late:
            _said(f"{subject.name} did not come alive: {' '.join(late.message.split())}")
        else:
            return True
    return False


def _move(page: Page, subject: Subject, wanted: dict[str, str], limit: float) -> float | None:
    """One key press; seconds until its paint, None where it takes longer than the limit."""
    page.evaluate("(picture) => moves.arm(picture)", subject.picture)
    page.keyboard.press("ArrowRight")
    settled = f"([picture, texts, limit]) => moves.settled(picture, {subject.says}, texts, limit)"
    took = page.evaluate(settled, [subject.picture, wanted, 1e3 * limit])
    return None if took is None else took / 1e3


@contextmanager
def _beside(subject: Subject, address: str, page: Page, others: int) -> Iterator[Crowd | None]:
    """The other readers, there before the measured one comes."""
    if not others:
        yield None
        return
    addresses = [address]
    if subject.readers == "files":  # what the page asks for, as a browser sees it
        page.on(
            "requestfinished",
            lambda request: request.url != address and request.url.startswith("http") and addresses.append(request.url),
        )
        page.goto(address)
        page.wait_for_selector(subject.ready)
        page.goto("about:blank")
    with crowd(subject.readers, others, list(addresses)) as readers:
        yield readers


def _said(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def _all(count: int) -> Iterator[tuple[Subject, int, Moves]]:
    for others in (0, OTHERS):
        for subject in SUBJECTS:
            with subject.server() as (base, _):
                _said(f"{subject.name}, {others + 1} reader{'s' if others else ''}")
                yield subject, others, measure(subject, base + subject.path, count, others)


def rows(quick: bool = False) -> Iterator[tuple]:
    """(label, value, unit, target): medians and 95th percentiles, and the ratios that the targets are about."""
    targets = {("static", 50): 16.7, ("static", 95): 33.4, ("live", 95): 33.0}
    found: dict[tuple[str, int], Moves] = {}
    for subject, others, moves in _all(24 if quick else 102):
        found[subject.name, others] = moves
        who = f"{subject.name}, {moves.others + 1} reader{'s' if moves.others else ''}"
        for percent, words in ((50, "median"), (95, "95th percentile")):
            yield (
                f"move to paint, {who}, {words}",
                moves.at(percent),
                "ms",
                None if others else targets.get((subject.name, percent)),
            )
    for name in ("static", "live"):
        for percent, words in ((50, "median"), (95, "95th percentile")):
            yield (
                f"{name}: 30 readers over one, {words}",
                _ratio(found[name, OTHERS], found[name, 0], percent),
                "times",
                1.5,
            )
    for subject in SUBJECTS[2:]:
        ratio = _ratio(found[subject.name, OTHERS], found["live", OTHERS], 50)
        yield f"{subject.name} over live, 30 readers, median", ratio, "times", "≥ 50 or not finished"


def _ratio(slow: Moves, fast: Moves, percent: float):
    """The slow page's percentile over the fast one's; words where either has none."""
    above, below = slow.at(percent), fast.at(percent)
    if isinstance(below, str):
        return f"nothing to compare with: {below}"
    return above if isinstance(above, str) else above / below
