"""Compiled figures on disk: one JSON document each, kept with the hashes of all that it came from, so that none is ever stale."""

import json
import os
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
    """The document of a figure. One that is missing or stale is compiled on the spot (some seconds) and kept."""
    path = _KEPT / f"{name}.json"
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        if unchanged(kept.get("sources", {})):
            return kept
    figure = load_figure(name)
    from explainer.page.compiler import compile_figure  # altair is heavy: only where something is compiled

    came_from = fingerprint(sorted({*sources(_module(name)), *sources("explainer.page.compiler")}))
    made = compile_figure(figure) | {"sources": came_from}
    _KEPT.mkdir(exist_ok=True)
    scratch = path.with_suffix(f".{os.getpid()}")
    scratch.write_text(json.dumps(made, ensure_ascii=False, allow_nan=False), encoding="utf-8")
    scratch.replace(path)  # whole or not at all, should two processes compile at once
    return made
