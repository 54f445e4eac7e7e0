"""What a compiled figure came from: the files that its module and the compiler import, ours only, and the data they may read."""

import ast
import hashlib
from importlib.metadata import version
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_TOOLS = ("altair", "vl-convert-python")


def sources(module: str) -> list[Path]:
    """The files of a module of ours and of all it imports, imports inside functions included."""
    found, waiting = set(), [module]
    while waiting:
        path = _file(waiting.pop())
        if path and path not in found:
            found.add(path)
            waiting += _imported(path)
    if any(path.is_relative_to(_ROOT / "explainer" / "catalog") or path.name == "catalog.py" for path in found):
        found |= set((_ROOT / "data").glob("*.csv"))
    return sorted(found)


def _file(module: str) -> Path | None:
    path = _ROOT.joinpath(*module.split("."))
    return next((each for each in (path.with_suffix(".py"), path / "__init__.py") if each.exists()), None)


def _imported(path: Path) -> list[str]:
    modules = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = ".".join(path.relative_to(_ROOT).parts[: -node.level]) if node.level else ""
            module = ".".join(filter(None, [base, node.module]))
            if module.split(".")[0] == "explainer":
                modules += [module, *(f"{module}.{each.name}" for each in node.names)]
        elif isinstance(node, ast.Import):
            modules += [each.name for each in node.names if each.name.split(".")[0] == "explainer"]
    return modules


def fingerprint(paths: list[Path]) -> dict[str, str]:
    """Each file's hash by its place in the project, and the versions of the tools that draw."""
    files = {path.relative_to(_ROOT).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in paths}
    return files | {tool: version(tool) for tool in _TOOLS}


def unchanged(recorded: dict[str, str]) -> bool:
    """Whether all that a fingerprint recorded is still as it was."""
    paths = [_ROOT / each for each in recorded if each not in _TOOLS]
    return all(path.exists() for path in paths) and fingerprint(paths) == recorded
