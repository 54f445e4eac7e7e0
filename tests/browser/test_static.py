"""What only the static page promises: whole without scripts, light on the wire, its drawing library once."""

import gzip

import pytest

from tests.browser.conftest import CHAPTERS


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_without_scripts_the_text_the_pictures_and_the_tables_are_there(visit, site, chapter):
    page = visit(java_script_enabled=False).page
    page.goto(f"{site}/{chapter}.html")
    for figure in page.locator(".x-figure").all():
        assert figure.locator("svg").first.is_visible()
        assert len(figure.locator(".x-sentence").inner_text()) > 20
        assert figure.locator("tbody tr").count() > 2
        assert not figure.locator(".x-controls").is_visible(), "controls that could not answer are not offered"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_weighs_at_most_450_kilobytes_compressed(visit, site, site_folder, chapter):
    started = visit()
    asked = []
    started.page.on("request", lambda request: asked.append(request.url))
    started.go(f"{site}/{chapter}.html")
    paths = [site_folder / url.removeprefix(site + "/").split("?")[0] for url in asked if url.startswith(site)]
    assert [path.name for path in paths].count("vega.min.js") == 1
    assert sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths) <= 450_000


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_pictures_are_painted_before_any_script(visit, site, chapter):
    started = visit()
    started.context.route("**/*.js*", lambda route: route.abort())
    started.page.goto(f"{site}/{chapter}.html")
    assert all(figure.locator(".x-still svg").first.is_visible() for figure in started.page.locator(".x-figure").all())


def test_a_linked_setting_is_drawn_unseen_so_that_it_prints(visit, site):
    page = visit(viewport={"width": 1280, "height": 500}).page
    page.goto(f"{site}/{CHAPTERS[0]}.html?tokens=500")
    page.locator("#start-or-finish[data-awake]").wait_for(state="attached")
    assert "At 500 tokens" in page.locator("#start-or-finish .x-sentence").text_content()
    page.emulate_media(media="print")
    figure, picture = (page.locator(f"#start-or-finish{part}").bounding_box() for part in ("", " .x-picture"))
    assert picture["width"] > 0.95 * figure["width"], "no column is kept for controls that do not print"


def test_figures_sleep_until_they_are_seen(visit, site):
    page = visit(viewport={"width": 1280, "height": 500}).page
    page.goto(f"{site}/{CHAPTERS[0]}.html")
    page.wait_for_timeout(500)
    assert page.locator("[data-awake]").count() == 0
    page.locator(".x-figure").first.scroll_into_view_if_needed()
    page.locator("[data-awake]").first.wait_for()
