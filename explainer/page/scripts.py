"""The figures' JavaScript: one module a concept, joined into one text, for anywidget takes one text and a page from the disk imports none."""

import re
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent / "script"
_IMPORT = re.compile(r'^import \{[^}]+\} from "\./(\w+)\.js";\n', re.M)
_EXPORT = re.compile(r"^export ", re.M)


def joined(name: str) -> str:
    """A module behind all that it imports, each once; what it exports itself stays exported."""
    *others, last = [_IMPORT.sub("", _source(each)) for each in _order(name)]
    return "\n".join([*(_EXPORT.sub("", each) for each in others), last])


def classic_script() -> str:
    """The static page's script, as it may also be read from the disk, where Chromium refuses modules."""
    return "(() => {\n" + _EXPORT.sub("", joined("site")) + "\nwakePage();\n})();\n"


def _source(name: str) -> str:
    return (_FOLDER / f"{name}.js").read_text(encoding="utf-8")


def _order(name: str) -> list[str]:
    needed = [each for imported in _IMPORT.findall(_source(name)) for each in _order(imported)]
    return [*dict.fromkeys(needed), name]
