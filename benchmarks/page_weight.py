"""What a page costs to get: bytes with everything it needs, and the time to its first text in a new browser."""

import gzip
import statistics
from collections.abc import Iterator

import psutil
from playwright.sync_api import Page

from benchmarks import servers
from benchmarks.browser import opened

CHAPTERS = ("02-start-or-finish", "03-one-stage")
FIRST_TEXT = 0.5  # seconds
WEIGHT = 450  # kB
_FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def weigh(address: str) -> tuple[float, float, int]:
    """kB of all that a page fetches until its figures live, gzip -9 and as it is; how many requests are foreign."""
    with opened() as (page, foreign):
        responses = []
        page.on("response", lambda response: responses.append(response))
        page.goto(address)
        _read_through(page)
        bodies = [response.body() for response in responses if response.url.startswith("http") and response.ok]
        return sum(len(gzip.compress(body, 9)) for body in bodies) / 1e3, sum(map(len, bodies)) / 1e3, len(foreign)


def foreign_requests(address: str) -> int:
    """How many requests a live page makes to other hosts until its figures are alive."""
    with opened() as (page, foreign):
        page.goto(address)
        _read_through(page)
        return len(foreign)


def first_text(address: str, times: int, process: psutil.Process) -> list[float]:
    """Seconds from the navigation to the first text, each time in a new browser process, once the server rests."""
    return [_first_text(address, process) for _ in range(times)]


def _first_text(address: str, process: psutil.Process) -> float:
    servers.rest(process)  # a warm kernel has taken the place of the one that was used
    with opened() as (page, _):
        page.goto(address, wait_until="commit")
        page.wait_for_function(_FIRST_PAINT, timeout=60_000)
        return page.evaluate(_FIRST_PAINT) / 1e3


def _read_through(page: Page) -> None:
    """Scrolls to each figure and waits until it is alive."""
    page.wait_for_function("!document.querySelector('.x-resting')", timeout=90_000)
    for figure in page.query_selector_all(".x-figure"):
        figure.scroll_into_view_if_needed()
    page.wait_for_function(
        "document.querySelectorAll('[data-awake]').length === document.querySelectorAll('.x-picture').length",
        timeout=90_000,
    )
    page.wait_for_load_state("networkidle")


def rows(quick: bool = False) -> Iterator[tuple]:
    """(label, value, unit, target)."""
    times = 2 if quick else 5
    with servers.static() as (base, process):
        for chapter in CHAPTERS:
            packed, plain, foreign = weigh(f"{base}{chapter}.html")
            yield f"static {chapter}, all it fetches, gzip -9", packed, "kB", WEIGHT
            yield f"static {chapter}, all it fetches, as it is", plain, "kB", None
            yield f"static {chapter}, requests to other hosts", foreign, "", 0
        yield from _first_text_rows("static", f"{base}{CHAPTERS[0]}.html", times, process)
    with servers.live() as (base, process):
        yield f"live {CHAPTERS[0]}, requests to other hosts", foreign_requests(f"{base}{CHAPTERS[0]}.ipynb"), "", 0
        yield from _first_text_rows("live", f"{base}{CHAPTERS[0]}.ipynb", times, process)


def _first_text_rows(home: str, address: str, times: int, process: psutil.Process) -> Iterator[tuple]:
    seconds = first_text(address, times, process)
    warm = ", warm kernels" if home == "live" else ""
    yield f"first text, {home}, cold browser{warm}, median of {times}", statistics.median(seconds), "s", FIRST_TEXT
    yield f"first text, {home}, cold browser{warm}, slowest of {times}", max(seconds), "s", None
