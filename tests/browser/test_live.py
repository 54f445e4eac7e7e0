"""What only the live pages promise: text before kernels, moving on without one; and the same figures in Lab."""

import sys
import time

import psutil
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import CHAPTERS, free_port, started
from tests.browser.homes import Home, is_choice, parameters, said, sentence


def _kernel(page) -> psutil.Process:
    """The process of a page's own kernel."""
    kernel = page.evaluate("JSON.parse(document.getElementById('jupyter-config-data').textContent).kernelId")
    (process,) = [
        each for each in psutil.process_iter(["cmdline"]) if any(kernel in word for word in each.info["cmdline"] or [])
    ]
    return process


def _kill_kernel(page) -> None:
    process = _kernel(page)
    process.kill()
    process.wait(10)


def _forgive_jupyter(visited) -> None:
    """Jupyter itself complains that it cannot send to a dead kernel; ours must not."""
    visited.errors[:] = [each for each in visited.errors if each != "Cannot send"]


SIMULATED = "07-queue"  # its settings are worked out by the kernel: without one it can only say so


def _until(page, true) -> None:
    """Waits for what the page is about to say; a machine under load takes its time."""
    for _ in range(200):
        if true():
            return
        page.wait_for_timeout(50)
    assert true()


@pytest.mark.parametrize("chapter", [each for each in CHAPTERS if each != SIMULATED])
def test_with_the_kernel_killed_every_figure_goes_on_moving(visit, voila, chapter):
    home = Home("live", voila, ".ipynb")
    visited = visit()
    page = visited.go(home.url(chapter))
    _kill_kernel(page)
    page.wait_for_timeout(1000)
    for figure in page.locator(".x-figure").all():
        name = next((each for each in parameters(figure) if not is_choice(home.slider(figure, each))), None)
        if name is None:
            (name, *_) = parameters(figure)
            before = said(figure)
            home.slider(figure, name).select_option(index=1)
            _until(page, lambda: said(figure) != before)
            continue
        home.slider(figure, name).focus()
        before = said(figure)
        for _ in range(3):
            value = home.box(figure, name).input_value()
            page.keyboard.press("ArrowRight")
            expect(home.box(figure, name)).not_to_have_value(value)
        _until(page, lambda: said(figure) != before)
    _forgive_jupyter(visited)


def test_without_its_kernel_a_simulated_figure_says_so_and_keeps_its_picture(visit, voila):
    visited = visit()
    page = visited.go(f"{voila}/{SIMULATED}.ipynb")
    _kill_kernel(page)
    figure = page.locator(".x-figure").first
    before = sentence(figure)
    figure.locator(".x-p-mean_prompt .noUi-handle").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.x-say').textContent.includes('does not answer')", timeout=20_000)
    assert sentence(figure) == before and figure.locator(".x-stage svg").is_visible()
    assert figure.get_attribute("data-stale") is not None, "the picture is of another setting than the controls"
    _forgive_jupyter(visited)


def test_the_last_picture_stays_and_is_marked_while_the_kernel_computes(visit, voila):
    page = visit().go(f"{voila}/{SIMULATED}.ipynb")
    figure = page.locator(".x-figure").first
    stage = figure.locator(".x-stage")
    before = sentence(figure)
    kernel = _kernel(page)
    kernel.suspend()
    try:
        figure.locator(".x-p-mean_prompt .noUi-handle").focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(600)
        assert sentence(figure) == before and stage.locator("svg").is_visible()
        assert float(stage.evaluate("stage => getComputedStyle(stage).opacity")) < 0.6
    finally:
        kernel.resume()
    page.wait_for_function("!document.querySelector('[data-stale]')")
    expect(figure.locator(".x-sentence")).not_to_have_text(before)
    expect(stage).to_have_css("opacity", "1")


def test_what_the_kernel_confirms_late_takes_no_newer_value_back(visit, voila):
    home = Home("live", voila, ".ipynb")
    page = visit().go(home.url(CHAPTERS[0]))
    figure = page.locator(".x-figure").first
    slider = home.slider(figure, "tpot_a")
    now = lambda: float(slider.get_attribute("aria-valuenow"))
    kernel = _kernel(page)
    slider.focus()
    kernel.suspend()
    try:
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(500)  # long enough for the kernel to be told
        values = [now()]
        for step in range(12):
            page.keyboard.press("ArrowRight")
            page.wait_for_timeout(60)
            values.append(now())
            if step == 2:
                kernel.resume()
    finally:
        kernel.resume()
    page.wait_for_timeout(600)
    values.append(now())
    assert all(after > before for before, after in zip(values, values[1:-1])), values
    assert values[-1] == values[-2], values


def test_text_and_pictures_are_there_before_voilas_scripts(visit, voila):
    visited = visit()
    visited.context.route("**/voila/static/**", lambda route: route.abort())
    visited.page.goto(f"{voila}/{CHAPTERS[0]}.ipynb")
    assert visited.page.get_by_role("heading", level=1).is_visible()
    assert visited.page.locator(".x-still svg").first.is_visible()
    assert visited.page.locator(".x-controls").first.get_attribute("inert") is not None
    assert visited.page.get_by_text("The controls are getting ready.").first.is_visible()


def test_a_reader_who_leaves_takes_the_kernel_along(visit, voila):
    visited = visit()
    page = visited.go(f"{voila}/{CHAPTERS[0]}.ipynb")
    kernel = _kernel(page)
    visited.context.unroute_all()  # what a page sends on leaving never comes back to Playwright
    page.goto("about:blank")
    _until(page, lambda: not psutil.pid_exists(kernel.pid))


def test_a_kernel_that_stood_warm_for_long_still_serves_its_reader(visit, tmp_path):
    """A server that ends what is idle for 4 s, visited after 8: idle must count from when the reader came."""
    port = free_port()
    code = (
        "from explainer.page.serve import configuration, launch\n"
        f"settings = configuration({port}, 1)\n"
        "settings.MappingKernelManager.update(cull_idle_timeout=4, cull_interval=1)\n"
        "launch(settings)"
    )
    process = started([sys.executable, "-c", code], f"http://127.0.0.1:{port}/voila/static/voila.js", tmp_path / "log")
    try:
        wait_for_pools(tmp_path / "log")
        time.sleep(8)
        page = visit().go(f"http://127.0.0.1:{port}/voila/render/{CHAPTERS[0]}.ipynb")
        assert page.locator("[data-awake]").count() == page.locator(".x-figure").count() > 0
    finally:
        process.terminate()
        process.wait(20)


def wait_for_pools(log) -> None:
    """Until Voila has said of every notebook that its warm kernels are there."""
    for _ in range(600):
        if log.read_text().count("is filled with") > len(CHAPTERS):
            return
        time.sleep(0.1)
    raise AssertionError(log.read_text())


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
    visited = visit(viewport={"width": 1500, "height": 1000})
    page = visited.page
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
