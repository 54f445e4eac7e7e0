"""From a slider's move to the paint after the last thing it changed: our live and static page, and two naive ones, alone and in a class.

The measured page is in a real browser; a move is a real key press on a slider. The clock runs from the event's own time stamp to the message
after the animation frame after the last change of the document, or the last picture loaded (paint.js). A move of ours only counts when the
sentence says what the formula says; a naive one when its picture is new.
"""
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as Timeout

from benchmarks import servers
from benchmarks.browser import PAINT_SCRIPT, opened
from benchmarks.readers import crowd
from explainer.formulas.timing import completion_time
from explainer.page.parameters import PARAMETERS
from explainer.page.units import UNITS

SLIDERS = ("ttft_a", "tpot_a", "ttft_b", "tpot_b", "tokens", "longest")
OTHERS = 29
LIMIT = 240  # seconds for all moves of one page
LOAD_LIMIT = 90  # seconds for one page to come alive
_CHAPTER = "02-start-or-finish"

# What must be true once a move is done. texts: what the sentence must say of the values after the move.
_OURS = """(texts) => {
    const says = document.querySelectorAll('#start-or-finish .x-sentence [data-choice] > :not([hidden]) [data-x]');
    const told = Object.fromEntries([...says].map((each) => [each.dataset.x, each.textContent]));
    return Object.entries(texts).every(([key, text]) => told[key] === text);
}"""
_NEW_PICTURE = "(texts, {images}) => images > 0"
_NEW_CHART = """(texts) => {
    const title = document.querySelector('.vega-embed svg .role-title-text')?.textContent ?? '';
    return title === `At ${parseInt(texts.tokens.replace(',', ''))} tokens: A ${texts.done_a}, B ${texts.done_b}`;
}"""


@dataclass(frozen=True)
class Subject:
    """A page to measure: its name, its server, its address there, when it is ready, where a slider is, when a move is done."""

    name: str
    server: Callable
    path: str
    ready: str
    slider: Callable[[str], str]
    done: str
    readers: str = "kernel"


@dataclass(frozen=True)
class Moves:
    """The moves of one page: each one's seconds, how many were asked for, how long it all took, how many readers there were beside."""

    seconds: np.ndarray
    asked: int
    elapsed: float
    others: int

    def at(self, percent: float):
        """A percentile in ms; words where not all moves were made in time."""
        if len(self.seconds) < self.asked:
            return f"not finished ({len(self.seconds)} of {self.asked} moves in {self.elapsed:.0f} s)"
        return 1e3 * float(np.percentile(self.seconds, percent))


def _handle(name: str) -> str:
    return f".noUi-handle >> nth={SLIDERS.index(name)}"


SUBJECTS = (
    Subject("static", servers.static, f"{_CHAPTER}.html", "#start-or-finish[data-awake]", '#start-or-finish [data-parameter="{}"] input[type=range]'.format, _OURS, "files"),
    Subject("live", servers.live, f"{_CHAPTER}.ipynb", "#start-or-finish [data-awake]", "#start-or-finish .x-p-{} .noUi-handle".format, _OURS),
    Subject("naive, matplotlib Image", servers.naive, "matplotlib-image.ipynb", ".jupyter-widgets img", _handle, _NEW_PICTURE),
    Subject("naive, Altair specification", servers.naive, "altair-specification.ipynb", ".vega-embed svg", _handle, _NEW_CHART),
)


def texts(shown: dict[str, float]) -> dict[str, str]:
    """What the sentence says of some settings (in the units a reader sees)."""
    si = {name: PARAMETERS[name].unit.si(value) for name, value in shown.items()}
    done = {each: completion_time(si[f"ttft_{each}"], si[f"tpot_{each}"], si["tokens"]) for each in "ab"}
    return {"tokens": UNITS["tokens"].text(si["tokens"]), "done_a": UNITS["s"].text(done["a"]), "done_b": UNITS["s"].text(done["b"])}


def measure(subject: Subject, address: str, count: int, others: int) -> Moves:
    """Moves each slider of the page in turn, count times in all."""
    with opened(PAINT_SCRIPT) as (page, _), _beside(subject, address, page, others) as present:
        shown = {name: PARAMETERS[name].default for name in SLIDERS}
        seconds, began = [], time.monotonic()
        for name in SLIDERS if _is_ready(page, subject, address) else ():
            page.locator(subject.slider(name)).first.focus()
            page.wait_for_timeout(300)
            for _ in range(count // len(SLIDERS)):
                left = LIMIT - (time.monotonic() - began)
                if left <= 0:
                    break
                shown[name] += PARAMETERS[name].step
                took = _move(page, subject, texts(shown), left)
                if took is None:
                    break
                seconds.append(took)
        return Moves(np.array(seconds), count // len(SLIDERS) * len(SLIDERS), time.monotonic() - began, present)


def _is_ready(page: Page, subject: Subject, address: str) -> bool:
    """Loads the page, a second time where it does not come alive; False where it does not then either."""
    for _ in range(2):
        try:
            page.goto(address, timeout=1e3 * LOAD_LIMIT)
            page.wait_for_selector(subject.ready, timeout=1e3 * LOAD_LIMIT)
            for name in SLIDERS:
                page.wait_for_selector(subject.slider(name), state="attached", timeout=1e3 * LOAD_LIMIT)
        except Timeout as late:
            _said(f"{subject.name} did not come alive: {late.message.splitlines()[0]}")
        else:
            page.wait_for_timeout(3000)  # what loading still has to do is no move's
            return True
    return False


def _move(page: Page, subject: Subject, wanted: dict[str, str], limit: float) -> float | None:
    """One key press; seconds until its paint, None where it takes longer than the limit."""
    page.evaluate("moves.arm()")
    page.keyboard.press("ArrowRight")
    took = page.evaluate(f"([texts, limit]) => moves.settled((facts) => ({subject.done})(texts, facts), limit)", [wanted, 1e3 * limit])
    return None if took is None else took / 1e3


@contextmanager
def _beside(subject: Subject, address: str, page: Page, others: int) -> Iterator[int]:
    """The other readers, there before the measured one comes."""
    if not others:
        yield 0
        return
    addresses = [address]
    if subject.readers == "files":  # what the page asks for, as a browser sees it
        page.on("requestfinished", lambda request: request.url != address and request.url.startswith("http") and addresses.append(request.url))
        page.goto(address)
        page.wait_for_selector(subject.ready)
        page.goto("about:blank")
    with crowd(subject.readers, others, addresses) as present:
        yield present


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
            yield f"move to paint, {who}, {words}", moves.at(percent), "ms", None if others else targets.get((subject.name, percent))
    for name in ("static", "live"):
        for percent, words in ((50, "median"), (95, "95th percentile")):
            yield f"{name}: 30 readers over one, {words}", _ratio(found[name, OTHERS], found[name, 0], percent), "times", 1.5
    for subject in SUBJECTS[2:]:
        yield f"{subject.name} over live, 30 readers, median", _ratio(found[subject.name, OTHERS], found["live", OTHERS], 50), "times", "≥ 50 or not finished"


def _ratio(slow: Moves, fast: Moves, percent: float):
    above, below = slow.at(percent), fast.at(percent)
    return next((each for each in (above, below) if isinstance(each, str)), None) or above / below
