"""A real Chromium, the real static site, the real Voila and the real Lab; every request to another host is refused and counted."""

import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from explainer.page.documents import compile_all
from explainer.page.publish import NOTEBOOKS
from explainer.page.site import build

FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
CHAPTERS = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb") if path.stem != "index")


def pytest_collection_modifyitems(items):
    for item in items:
        if "/browser/" in str(item.path):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser():
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=FLAGS.split())
        yield launched
        launched.close()


class Visit:
    """A page, with what went wrong on it: script errors, and requests to other hosts (none of which is let through)."""

    def __init__(self, browser, **context):
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | context)
        self.page = self.context.new_page()
        self.foreign, self.errors = [], []
        self.context.route("**/*", self._route)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _route(self, route):
        url = route.request.url
        if url.startswith(("http://127.0.0.1", "file:", "data:", "blob:")):
            return route.continue_()
        self.foreign.append(url)
        return route.abort()

    def go(self, url: str, awake: bool = True):
        self.page.goto(url)
        if awake:
            self.wake_all()
        return self.page

    def wake_all(self):
        """Brings every figure into view and waits until each has come alive."""
        self.page.wait_for_function("document.querySelectorAll('.x-resting').length === 0", timeout=30_000)
        for figure in self.page.locator(".x-figure").all():
            figure.evaluate("figure => figure.scrollIntoView({ block: 'center' })")
            figure.evaluate(
                "figure => new Promise(done => { const look = () => 'awake' in figure.dataset ? done() : setTimeout(look, 30); look(); })"
            )


@pytest.fixture
def visit(browser):
    visits = []

    def start(**context) -> Visit:
        visits.append(Visit(browser, **context))
        return visits[-1]

    yield start
    for each in visits:
        each.context.close()
        assert each.errors == []
        assert each.foreign == []


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build(folder)
    return folder


@pytest.fixture(scope="session")
def site(site_folder) -> str:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site_folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def started(command: list[str], url: str, log: Path):
    """A server process, once it answers."""
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
    for _ in range(1800):
        try:
            urllib.request.urlopen(url, timeout=30).read()
            return process
        except OSError:
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
    process.terminate()
    raise AssertionError(log.read_text())


@pytest.fixture(scope="session")
def voila(tmp_path_factory):
    compile_all()  # what serve would do first: some minutes on a fresh machine
    port = free_port()
    log = tmp_path_factory.mktemp("voila") / "log"
    process = started(
        [sys.executable, "-m", "explainer", "serve", "--port", str(port), "--pool", "1"],
        f"http://127.0.0.1:{port}/",
        log,
    )
    yield f"http://127.0.0.1:{port}/voila/render"
    process.terminate()
    process.wait(20)


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    port = free_port()
    folder = tmp_path_factory.mktemp("lab")
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
        "--ServerApp.port_retries=0",
        "--IdentityProvider.token=",
        f"--notebook-dir={NOTEBOOKS}",
        f"--LabApp.workspaces_dir={folder}/workspaces",
        f"--LabApp.user_settings_dir={folder}/settings",
    ]
    process = started(command, f"http://127.0.0.1:{port}/lab", folder / "log")
    yield f"http://127.0.0.1:{port}"
    process.terminate()
    process.wait(20)
