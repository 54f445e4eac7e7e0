"""A notebook as a page: its prose as HTML, its figures and questions in their places. The live and the static page share this body."""

import ast
import json
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path

import mistune

from explainer.page.markup import bound, controls_html
from explainer.page.notebook import FigureCall, Page
from explainer.page.parameters import PARAMETERS
from explainer.page.theme import variables
from explainer.page.widget import STATIC

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
SITE_TITLE = "Which wait are you buying?"
_SAY = re.compile(r'<p class="x-say"[^>]*>')
_MARKDOWN = mistune.create_markdown(escape=False, plugins=["table", "footnotes"])


@dataclass(frozen=True)
class Chapter:
    """A notebook: its file, its number (None for the index), its title (the first heading) and its lead (the paragraph after it)."""

    path: Path
    number: int | None
    title: str
    lead: str


@dataclass(frozen=True)
class Body:
    """A chapter's page between header and footer, with what its scripts need to know."""

    html: str
    documents: list[dict]
    parameters: list[dict]


def chapters(folder: Path) -> list[Chapter]:
    """The notebooks of a folder in reading order, the index first."""
    found = []
    for path in sorted(folder.glob("*.ipynb"), key=lambda each: (each.stem != "index", each.stem)):
        heading, lead, *_ = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]).split("\n\n")
        number = re.match(r"\d+", path.stem)
        found.append(Chapter(path, int(number[0]) if number else None, heading.lstrip("# "), lead))
    return found


def body(path: Path, live: bool, suffix: str) -> Body:
    """Runs a notebook's calls here and now and sets them into its prose. live: leave the controls to the widgets that will arrive."""
    parts, text, figures, parameters, names = [], [], [], [], {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            # A table of the prose scrolls in its own box on a phone, so it must take the focus.
            text.append(_typeset(_MARKDOWN(source).replace("<table>", '<table tabindex="0">'), suffix))
            continue
        value = _last_value(source, names, path)
        if isinstance(value, FigureCall):
            parts += [_prose(text), _figure(value, live)]
            text = []
            figures.append(value.document)
        elif value is not None and hasattr(value, "_repr_html_"):
            text.append(_typeset(value._repr_html_(), suffix))
    for page in (each for each in names.values() if isinstance(each, Page)):
        parameters = [each.as_json() for each in page.parameters]
    return Body("\n".join([*parts, _prose(text)]), figures, parameters)


def _prose(text: list[str]) -> str:
    return f'<div class="x-text">{"".join(text)}</div>' if text else ""


def _typeset(html: str, suffix: str) -> str:
    """Links from notebook to notebook in the form the page is published in; numbers that stay with their units at a line's end."""
    return bound(re.sub(r'href="([\w-]+)\.ipynb', rf'href="\1{suffix}', html))


def _last_value(source: str, names: dict, path: Path):
    """Runs a cell as a kernel would; what its last expression gives, None where it ends in a statement."""
    tree = ast.parse(source, filename=path.name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, path.name, "exec"), names)
    return eval(compile(ast.Expression(last.value), path.name, "eval"), names) if last else None


def _figure(call: FigureCall, live: bool) -> str:
    document = call.document
    controls = controls_html(call.name, document["controls"], PARAMETERS)
    if live:
        still = controls.replace("<form", "<form inert", 1)
        html = _SAY.sub(r"\g<0>The controls are getting ready.", document["html"], count=1)
        return f'<div class="x-slot" id="{call.name}"><figure class="x-figure x-resting">{html}{still}</figure></div>'
    return f'<figure class="x-figure" id="{call.name}">{document["html"]}{controls}</figure>'


def header(chapter: Chapter, others: list[Chapter], suffix: str) -> str:
    """The top of a page: home, where we are, what comes before and after."""
    numbered = [each for each in others if each.number is not None]
    place = f"<span>Chapter {chapter.number}</span>" if chapter.number is not None else ""
    steps = []
    if chapter in numbered:
        at = numbered.index(chapter)
        before, after = numbered[at - 1 : at] if at else [], numbered[at + 1 : at + 2]
        steps = [f'<a rel="prev" href="{each.path.stem}{suffix}">‹ {escape(each.title)}</a>' for each in before]
        steps += [f'<a rel="next" href="{each.path.stem}{suffix}">{escape(each.title)} ›</a>' for each in after]
    elif numbered:
        steps = [f'<a rel="next" href="{numbered[0].path.stem}{suffix}">{escape(numbered[0].title)} ›</a>']
    nav = f'<nav aria-label="Chapters">{"<span>·</span>".join(steps)}</nav>' if steps else ""
    return f'<a class="x-skip" href="#content">Skip to the text</a><header class="x-top"><div><a class="x-home" href="index{suffix}">{SITE_TITLE}</a>{place}</div>{nav}</header>'


def footer(note: str) -> str:
    """The foot of a page: what it is and what it asks of the network."""
    return f"<footer><span>{note}</span><span>Every invented number is called an example; every measured one names its source.</span></footer>"


def title(chapter: Chapter) -> str:
    return SITE_TITLE if chapter.number is None else f"{chapter.title} · {SITE_TITLE}"


def page_data(page: Body, assets: str) -> str:
    """What the script reads of the page: its parameters, and where the drawing library lies."""
    return f'<script type="application/json" id="x-page">{as_json({"parameters": page.parameters, "assets": assets})}</script>'


def as_json(value) -> str:
    """JSON that is safe inside a script element, and never holds NaN."""
    return (
        json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        .replace("</", "<\\/")
        .replace("<!--", "<\\!--")
    )


def styles() -> str:
    """The style sheet of a page: colours, the page, its figures."""
    return variables() + "".join((STATIC / name).read_text(encoding="utf-8") for name in ("page.css", "figure.css"))
