"""What a notebook calls: the page's parameters, its figures, its question. Nothing heavy is imported until something is shown."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

from explainer.page.parameters import PARAMETERS


class Page:
    """A chapter's parameters, by name; its figures share them, so that a value set in one figure holds in all."""

    def __init__(self, names: str):
        unknown = [each for each in names.split() if each not in PARAMETERS]
        if unknown:
            raise ValueError(f"No parameter {', '.join(unknown)}. There are: {', '.join(PARAMETERS)}.")
        self.parameters = [PARAMETERS[each] for each in names.split()]
        self._inputs = {}

    def figure(self, name: str) -> "FigureCall":
        """A figure of this page, by name; shown where it is the last value of a cell."""
        return FigureCall(self, name)


@dataclass(frozen=True)
class FigureCall:
    """A figure that a page asks for: widgets where a kernel shows it, markup where the site is built."""

    page: Page
    name: str

    @property
    def document(self) -> dict:
        """The compiled document; a figure may only vary what its page declares."""
        from explainer.page.documents import document

        found = document(self.name)
        missing = {each["name"] for each in found["parameters"]} - {each.name for each in self.page.parameters}
        if missing:
            raise ValueError(
                f"Figure {self.name} varies {', '.join(sorted(missing))}; name them in this notebook's Page(...)."
            )
        return found

    def _ipython_display_(self) -> None:
        from IPython.display import display

        from explainer.page.widget import figure_box

        display(figure_box(self.document, self.page._inputs), metadata={"figure": self.name})


@dataclass(frozen=True)
class Question:
    """A prediction before the reveal: plain disclosure, so that it answers without a script."""

    asked: str
    answers: dict[str, str]

    def _repr_html_(self) -> str:
        answers = "".join(
            f"<details name='question'><summary>{escape(answer)}</summary><p>{escape(reply)}</p></details>"
            for answer, reply in self.answers.items()
        )
        return f'<div class="x-question" role="group" aria-label="A question before the figure"><p>{self.asked}</p><div class="x-answers">{answers}</div></div>'


def question(asked: str, answers: dict[str, str]) -> Question:
    """A question for the reader and, for each answer, what it is worth. asked may hold markup, answers are plain text."""
    return Question(asked, answers)


class Contents:
    """The list of chapters, for the index: each notebook's title and first paragraph, read from the notebooks beside it."""

    def __init__(self, folder: Path):
        self.folder = folder

    def _repr_html_(self) -> str:
        from explainer.page.publish import chapters

        rows = (
            f'<li><a href="{each.path.name}">{each.number} · {escape(each.title)}</a><p>{escape(each.lead)}</p></li>'
            for each in chapters(self.folder)
            if each.number is not None
        )
        return f'<ol class="x-contents">{"".join(rows)}</ol>'


def contents() -> Contents:
    """The chapters of the project's notebooks folder."""
    from explainer.page.publish import NOTEBOOKS

    return Contents(NOTEBOOKS)
