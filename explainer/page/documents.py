"""Compiled figures on disk: one JSON document each, kept with the hashes of all that it came from, so that none is ever stale."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

from explainer.page.figure import Figure
from explainer.page.sources import fingerprint, sources, unchanged

_HERE = Path(__file__).resolve().parent
_KEPT = _HERE / "compiled"


def figure_names() -> list[str]:
    """The names of all figures, as notebooks call them."""
    return sorted(path.stem.replace("_", "-") for path in (_HERE / "figures").glob("[a-z]*.py"))


def load_figure(name: str) -> Figure:
    """The definition of a figure, from the module of its name."""
    if name not in figure_names():
        raise ValueError(f"There is no figure {name!r}. There are: {', '.join(figure_names())}.")
    return import_module(_module(name)).FIGURE


def _module(name: str) -> str:
    return f"explainer.page.figures.{name.replace('-', '_')}"


def document(name: str) -> dict:
    """The document of a figure. One that is missing or stale is compiled (some seconds) and kept."""
    path = _kept(name)
    if not _is_true(path):
        if name not in figure_names():
            raise ValueError(f"There is no figure {name!r}. There are: {', '.join(figure_names())}.")
        _compile([name])
    return json.loads(path.read_text(encoding="utf-8"))


def compile_all(say: Callable[[str], None] = lambda sentence: None) -> None:
    """Every figure whose document is missing or stale, shared out among as many processes as there are processors; say hears how many."""
    stale = [name for name in figure_names() if not _is_true(_kept(name))]
    if stale:
        say(f"Figures to compile: {len(stale)} of {len(figure_names())}; all of them take about a minute, and the next time none.")
    shares = [stale[first :: os.cpu_count()] for first in range(os.cpu_count())]
    with ThreadPoolExecutor(os.cpu_count()) as several:
        list(several.map(_compile, filter(None, shares)))


def _compile(names: list[str]) -> None:
    """Compiles figures in a fresh process, so that what they came from is what stands in the files and not what this process once
    imported."""
    command = [sys.executable, "-m", "explainer", "compile", "--to", str(_KEPT), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=_HERE.parents[1])
    if done.returncode:
        raise RuntimeError(f"Of {', '.join(names)} one could not be compiled:\n{done.stderr.strip()}")


def _kept(name: str) -> Path:
    return _KEPT / f"{name}.json"


def _is_true(path: Path) -> bool:
    """Whether a kept document is there and its sources are as they were."""
    return path.exists() and unchanged(json.loads(path.read_text(encoding="utf-8")).get("sources", {}))


def compile_to(folder: Path, name: str) -> None:
    """Compiles a figure in this process, and keeps its document in a folder."""
    from explainer.page.compiler import compile_figure  # altair is heavy: only where something is compiled

    came_from = fingerprint(sorted({*sources(_module(name)), *sources("explainer.page.compiler")}))
    made = compile_figure(load_figure(name)) | {"sources": came_from}
    folder.mkdir(exist_ok=True)
    scratch = folder / f"{name}.{os.getpid()}"
    scratch.write_text(json.dumps(made, ensure_ascii=False, allow_nan=False), encoding="utf-8")
    scratch.replace(folder / f"{name}.json")  # whole or not at all, should two processes compile at once
