"""From a slider's move to the new curve where the kernel computes it: each computed control of chapter 7, live, one reader."""

import statistics
from collections.abc import Iterator

import numpy as np
from playwright.sync_api import Page

from benchmarks import servers
from benchmarks.browser import opened
from explainer.page.documents import load_figure
from explainer.page.parameters import PARAMETERS

CHAPTER = "07-queue"
FIGURES = ("knee", "token-budget", "two-machines", "production-hour")
NEW_CURVE = 150  # ms, 95th percentile

# Resolves with the ms from the next key press to the paint after the figure has left its stale state.
_ARM = """figure => {
    const root = document.querySelector(`#${figure} .x-figure`);
    window.move = new Promise((done) => {
        let pressed;
        addEventListener("keydown", (event) => (pressed = event.timeStamp), { once: true, capture: true });
        const watcher = new MutationObserver(() => {
            if ("stale" in root.dataset) return;
            watcher.disconnect();
            requestAnimationFrame(() => {
                const drawn = new MessageChannel();
                drawn.port1.onmessage = () => done(performance.now() - pressed);
                drawn.port2.postMessage(0);
            });
        });
        watcher.observe(root, { attributes: true, attributeFilter: ["data-stale"] });
    });
}"""


def moves(page: Page, figure: str, count: int) -> list[float]:
    """ms of so many moves of each computed slider of a figure, one after the other."""
    taken = []
    page.locator(f"#{figure} .x-figure").scroll_into_view_if_needed()
    page.locator(f"#{figure} [data-awake]").wait_for(timeout=30_000)
    for name in load_figure(figure).computation.grid:
        if PARAMETERS[name].options:
            continue  # a choice, read from its grid
        page.locator(f"#{figure} .x-p-{name} .noUi-handle").focus()
        page.wait_for_timeout(500)
        for key in ("ArrowLeft", "ArrowRight") * (count // 2):
            page.evaluate(_ARM, figure)
            page.keyboard.press(key)
            taken.append(page.evaluate("window.move"))
    return taken


def rows(quick: bool = False) -> Iterator[tuple]:
    """(label, value, unit, target)."""
    with servers.live() as (base, _), opened() as (page, _):
        page.goto(f"{base}{CHAPTER}.ipynb")
        page.wait_for_function("!document.querySelector('.x-resting')", timeout=90_000)
        for figure in FIGURES:
            taken = moves(page, figure, 4 if quick else 20)
            label = f"move to new curve, live, computed: {figure}, {len(taken)} moves"
            yield f"{label}, median", statistics.median(taken), "ms", None
            yield f"{label}, 95th percentile", float(np.percentile(taken, 95)), "ms", NEW_CURVE
