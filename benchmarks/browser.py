"""The measured browser: a fresh headless Chromium that can reach this machine and nothing else."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Page, sync_playwright

PAINT_SCRIPT = Path(__file__).resolve().parent / "paint.js"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
SIZE = {"width": 1280, "height": 900}


@contextmanager
def opened(script: Path | None = None) -> Iterator[tuple[Page, list[str]]]:
    """An empty page in a browser of its own, script in each document; and the growing list of foreign requests."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=found, args=list(FLAGS)) as browser,
    ):
        page = browser.new_page(viewport=SIZE)
        foreign = []
        page.on("request", lambda request: _is_foreign(request.url) and foreign.append(request.url))
        if script:
            page.add_init_script(path=script)
        yield page, foreign


def _is_foreign(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname != "127.0.0.1"
