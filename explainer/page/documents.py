"""Compiled figures on disk: one JSON document each, kept under a hash of all that it came from, so that none is ever stale."""
import hashlib
import json
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from explainer.page.figure import Figure

_PACKAGE = Path(__file__).resolve().parents[1]
_KEPT = _PACKAGE / "page" / "compiled"
_TOOLS = ("altair", "vl-convert-python")


def figure_names() -> list[str]:
    """The names of all figures, as notebooks call them."""
    return sorted(path.stem.replace("_", "-") for path in (_PACKAGE / "page" / "figures").glob("[a-z]*.py"))


def load_figure(name: str) -> Figure:
    """The definition of a figure, from the module of its name."""
    if name not in figure_names():
        raise ValueError(f"There is no figure {name!r}. There are: {', '.join(figure_names())}.")
    return import_module(f"explainer.page.figures.{name.replace('-', '_')}").FIGURE


def source_hash() -> str:
    """A hash of the package's own sources, its data, and the versions of the tools that draw."""
    digest = hashlib.sha256(" ".join(version(tool) for tool in _TOOLS).encode())
    for path in sorted([*_PACKAGE.rglob("*.py"), *(_PACKAGE.parent / "data").glob("*.csv")]):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def document(name: str) -> dict:
    """The document of a figure. One that is missing or stale is compiled on the spot (some seconds) and kept."""
    path = _KEPT / f"{name}.json"
    current = source_hash()
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["hash"] == current:
            return kept
    from explainer.page.compiler import compile_figure  # altair is heavy: only where something is compiled

    made = compile_figure(load_figure(name)) | {"hash": current}
    _KEPT.mkdir(exist_ok=True)
    scratch = path.with_suffix(".part")
    scratch.write_text(json.dumps(made, ensure_ascii=False, allow_nan=False), encoding="utf-8")
    scratch.replace(path)  # whole or not at all, should two kernels compile at once
    return made
