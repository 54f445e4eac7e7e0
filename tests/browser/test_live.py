"""What only the live pages promise: text before kernels, moving on without one; and the same figures in Lab."""

import psutil
import pytest

from tests.browser.conftest import CHAPTERS
from tests.browser.homes import Home, is_choice, parameters, said, sentence


def _kill_kernel(page) -> None:
    """Kills the process of a page's own kernel, for good."""
    kernel = page.evaluate("JSON.parse(document.getElementById('jupyter-config-data').textContent).kernelId")
    (process,) = [
        each for each in psutil.process_iter(["cmdline"]) if any(kernel in word for word in each.info["cmdline"] or [])
    ]
    process.kill()
    process.wait(10)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_with_the_kernel_killed_every_figure_goes_on_moving(visit, voila, chapter):
    home = Home("live", voila, ".ipynb")
    page = visit().go(home.url(chapter))
    _kill_kernel(page)
    page.wait_for_timeout(1000)
    for figure in page.locator(".x-figure").all():
        name = next(each for each in parameters(figure) if not is_choice(home.slider(figure, each)))
        home.slider(figure, name).focus()
        for _ in range(3):
            before = home.box(figure, name).input_value(), said(figure)
            page.keyboard.press("ArrowRight")
            page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            after = home.box(figure, name).input_value(), said(figure)
            assert before[0] != after[0] and before[1] != after[1]


def test_text_and_pictures_are_there_before_voilas_scripts(visit, voila):
    started = visit()
    started.context.route("**/voila/static/**", lambda route: route.abort())
    started.page.goto(f"{voila}/{CHAPTERS[0]}.ipynb")
    assert started.page.get_by_role("heading", level=1).is_visible()
    assert started.page.locator(".x-still svg").first.is_visible()
    assert started.page.locator(".x-controls").first.get_attribute("inert") is not None


def test_the_front_door_leads_to_the_contents(visit, voila):
    page = visit().page
    page.goto(voila.removesuffix("/voila/render") + "/")
    page.get_by_role("link", name="Four times faster can save half").first.click()
    assert page.get_by_role("heading", level=1).inner_text() == "Four times faster can save half"


def test_no_file_of_the_server_is_handed_out(visit, voila):
    page = visit().page
    base = voila.removesuffix("/render")
    for path in ("files/index.ipynb", "files/../README.md", "files/02-start-or-finish.ipynb"):
        assert page.request.get(f"{base}/{path}").status in (403, 404)


def test_the_same_figures_in_lab(visit, lab):
    started = visit(viewport={"width": 1500, "height": 1000})
    page = started.page
    page.goto(f"{lab}/lab/tree/{CHAPTERS[0]}.ipynb?reset")
    page.locator(".jp-Notebook .jp-RenderedMarkdown h1").first.wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    figure = page.locator(".x-figure").first
    figure.wait_for(timeout=60_000)
    figure.scroll_into_view_if_needed()
    page.locator("[data-awake]").first.wait_for(timeout=30_000)
    assert sentence(figure).startswith("At 101 tokens, A is done after 4.40 s and B after 3.00 s")
    home = Home("live", lab, "")
    home.slider(figure, "ttft_a").focus()
    for moved in ("4.45", "4.50", "4.55"):
        page.keyboard.press("ArrowRight")
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert f"A is done after {moved} s" in sentence(figure)
    assert figure.get_by_role("button", name="Copy link").count() == 0, "in Lab the address is Lab's"
