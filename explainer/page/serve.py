"""Voila on this machine: the notebooks live, a warm kernel ready before the first reader comes."""

import argparse
import os
import socket
import sys
from errno import EADDRINUSE
from functools import cache, partial
from html import escape
from pathlib import Path

from explainer.page.documents import compile_all
from explainer.page.publish import NOTEBOOKS, body, chapters, footer, header, page_data, styles, title

TEMPLATES = Path(__file__).resolve().parent
_NOTE = "The figures of this page run on a server; those drawn from formulas go on moving should it stop."
_SUFFIX = ".ipynb"


@cache
def live_page(name: str) -> dict[str, str]:
    """The parts of a live page that need no kernel, by the notebook's name. The template sets them around the widgets."""
    found = chapters(NOTEBOOKS)
    chapter = next(each for each in found if each.path.stem == name)
    page = body(chapter.path, live=True, suffix=_SUFFIX)
    assets = "../templates/explainer/static/"
    return {
        "title": title(chapter),
        "styles": styles(),
        "header": header(chapter, found, _SUFFIX),
        "html": page.html,
        "footer": footer(escape(_NOTE)),
        "data": page_data(page, assets),
    }


def configuration(port: int, pool: int):
    """Voila's settings: our template, warm kernels on ipc (TCP ports can collide at start), idle ones culled, no code, no foreign file."""
    from traitlets.config import Config

    return Config(
        {
            "Voila": {
                "root_dir": str(NOTEBOOKS),
                "port": port,
                "ip": "127.0.0.1",
                "open_browser": False,
                "port_retries": 0,
            },
            "VoilaConfiguration": {
                "template": "explainer",
                "strip_sources": True,
                "preheat_kernel": pool > 0,
                "default_pool_size": pool,
                "show_tracebacks": False,
                "extension_denylist": ["jupyterlab-jupytext"],
                "file_allowlist": [r"(?!)"],
            },
            # nbclient drops a cell's outputs, figures and all, if its channel is silent for this long (s); 4, its own default, is a busy class.
            "VoilaExecutor": {"iopub_timeout": 180},
            "VoilaExporter": {"filters": {"explainer_page": "explainer.page.serve.live_page"}},
            "MappingKernelManager": {"cull_idle_timeout": 600, "cull_interval": 60, "cull_connected": True},
            "KernelManager": {"transport": "ipc"},
        }
    )


def main(arguments: list[str]) -> int:
    """Serve the notebooks until interrupted; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m explainer serve", description="Voila on 127.0.0.1, kernels warm before the first reader."
    )
    parser.add_argument("--port", type=_whole(1, 65535), default=8866)
    parser.add_argument(
        "--pool",
        type=_whole(0, 100),
        default=2,
        metavar="N",
        help="kernels kept warm for each page (a class of thirty: 8)",
    )
    options = parser.parse_args(arguments)
    if not _free(options.port):
        print(f"Port {options.port} is taken. Choose another: --port {options.port % 65535 + 1}, say.", file=sys.stderr)
        return 3
    compile_all(partial(print, flush=True))  # here, once, so that no reader's kernel has to
    launch(configuration(options.port, options.pool))
    return 0


def _whole(low: int, high: int):
    """What argparse reads a whole number with."""

    def read(word: str) -> int:
        if not word.lstrip("+-").isdecimal() or not low <= int(word) <= high:
            raise argparse.ArgumentTypeError(f"“{word}” is not a whole number from {low} to {high:,}")
        return int(word)

    return read


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            return error.errno != EADDRINUSE  # of another hindrance Voila tells itself
    return True


def launch(settings) -> None:
    """Runs Voila with these settings until it is interrupted."""
    from explainer.page.application import Explainer

    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(TEMPLATES), os.environ.get("JUPYTER_PATH")]))
    Explainer.launch_instance(argv=[], config=settings)
