"""The servers under measurement, each a process of its own that is gone, with its kernels, when the block is left."""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

PROJECT = Path(__file__).resolve().parents[1]
NAIVE = Path(__file__).resolve().parent / "naive"
START_LIMIT = 180  # seconds


@contextmanager
def live(pool: int = 2) -> Iterator[tuple[str, psutil.Process]]:
    """Our pages under Voila; gives the address they lie under, and the server's process."""
    port = _free_port()
    with _served(["explainer", "serve", "--port", str(port), "--pool", str(pool)], port) as process:
        yield f"http://127.0.0.1:{port}/voila/render/", process


@contextmanager
def naive() -> Iterator[tuple[str, psutil.Process]]:
    """The naive notebooks under Voila as it comes, but on ipc: on TCP some kernels never start at all."""
    port = _free_port()
    arguments = ["voila", str(NAIVE), f"--port={port}", "--no-browser", "--KernelManager.transport=ipc"]
    with _served(arguments, port) as process:
        yield f"http://127.0.0.1:{port}/voila/render/", process


@contextmanager
def static() -> Iterator[tuple[str, psutil.Process]]:
    """The built site under Python's own file server."""
    from explainer.page.site import build

    port = _free_port()
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder))
        with _served(
            ["http.server", str(port), "--bind", "127.0.0.1", "--directory", folder, "--protocol", "HTTP/1.1"], port
        ) as process:
            yield f"http://127.0.0.1:{port}/", process


def rest(process: psutil.Process, limit: float = 120) -> bool:
    """Waits until the process and its children use under a tenth of a core for 2 s; False where they do not in time."""
    deadline = time.monotonic() + limit
    while time.monotonic() < deadline:
        before = _cpu_seconds(process)
        time.sleep(2)
        if _cpu_seconds(process) - before < 0.2:
            return True
    return False


def _cpu_seconds(process: psutil.Process) -> float:
    total = 0.0
    for each in [process, *process.children(recursive=True)]:
        try:
            total += sum(each.cpu_times()[:2])
        except psutil.NoSuchProcess:
            pass
    return total


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def _served(module_and_arguments: list[str], port: int) -> Iterator[psutil.Process]:
    with tempfile.TemporaryFile() as log:
        started = subprocess.Popen(
            [sys.executable, "-m", *module_and_arguments], cwd=PROJECT, env=os.environ.copy(), stdout=log, stderr=log
        )
        process = psutil.Process(started.pid)
        try:
            _await_port(started, port, log)
            rest(process, START_LIMIT)  # warm kernels are warm once they stop working
            yield process
        finally:
            _end(started, process)


def _await_port(started: subprocess.Popen, port: int, log) -> None:
    deadline = time.monotonic() + START_LIMIT
    while time.monotonic() < deadline and started.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    log.seek(0)
    raise RuntimeError(f"The server did not start: {log.read().decode(errors='replace')[-2000:]}")


def _end(started: subprocess.Popen, process: psutil.Process) -> None:
    """The server first, so that it closes its kernels; then whatever of its own children is left."""
    children = process.children(recursive=True) if started.poll() is None else []
    started.terminate()
    try:
        started.wait(20)
    except subprocess.TimeoutExpired:
        started.kill()
        started.wait()
    for child in psutil.wait_procs(children, timeout=5)[1]:
        child.kill()
