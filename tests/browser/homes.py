"""The homes of a page (static from a server, static from the disk, live in Voila), handled alike by the tests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Home:
    """Where a page is published, and how its controls are found."""

    kind: str
    root: str
    suffix: str

    def url(self, chapter: str, query: str = "") -> str:
        return f"{self.root}/{chapter}{self.suffix}{query}"

    def slider(self, figure, name: str):
        """The element of a figure that takes the keys for a parameter."""
        control = f".x-p-{name}" if self.kind == "live" else f'[data-parameter="{name}"]'
        return figure.locator(f"{control} .noUi-handle, {control} input[type=range], {control} select")

    def box(self, figure, name: str):
        live = self.kind == "live"
        return figure.locator(f".x-p-{name} input" if live else f'[data-parameter="{name}"] input[type=text]')


def home_of(kind: str, request) -> Home:
    """The home of a kind, its server started by the session's fixture: static, disk or live."""
    if kind == "live":
        return Home(kind, request.getfixturevalue("voila"), ".ipynb")
    if kind == "disk":
        return Home(kind, request.getfixturevalue("site_folder").as_uri(), ".html")
    return Home(kind, request.getfixturevalue("site"), ".html")


def parameters(figure) -> list[str]:
    """The names of a figure's parameters, in order, from its controls."""
    return figure.evaluate(
        """figure => [...figure.querySelectorAll('.x-control')].map(each => each.dataset.parameter
             ?? [...each.classList].find(name => name.startsWith('x-p-'))?.slice(4))"""
    )


def sentence(figure) -> str:
    return figure.locator(".x-sentence").inner_text()


def is_choice(control) -> bool:
    return control.evaluate("control => control.tagName") == "SELECT"


def said(figure) -> str:
    return sentence(figure) + "".join(figure.locator(".x-equation").all_inner_texts())


def settled(page) -> None:
    """The next frame, and what is being computed for it."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.wait_for_function("!document.querySelector('[data-stale]')")
