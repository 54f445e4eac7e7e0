"""What every chapter must do, published live and static: one visit each, for a live one costs a kernel."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from explainer.page.parameters import PARAMETERS
from tests.browser.conftest import CHAPTERS, Visit
from tests.browser.homes import Home, home_of, is_choice, parameters, said, settled

WIDE, PHONE = 1280, 390


@pytest.fixture(scope="module", params=[(kind, name) for name in CHAPTERS for kind in ("static", "live")], ids="-".join)
def opened(request, browser):
    """A chapter's home and its page, every figure awake. The tests share it: each begins with resetting what it touches."""
    kind, chapter = request.param
    home = home_of(kind, request)
    visit = Visit(browser)
    yield home, visit.go(home.url(chapter))
    visit.context.close()
    assert visit.errors == []
    assert visit.foreign == []


def figures(page) -> list:
    """The page's figures at their defaults."""
    found = page.locator(".x-figure").all()
    for figure in found:
        figure.get_by_role("button", name="Reset").click()
    settled(page)
    return found


def test_it_has_a_title_landmarks_and_named_controls(opened):
    _, page = opened
    assert page.title().endswith("Which wait are you buying?") and page.title() != "Which wait are you buying?"
    for role in ("banner", "main", "navigation", "contentinfo"):
        assert page.get_by_role(role).count() == 1
    assert page.get_by_role("heading", level=1).count() == 1
    sliders = page.get_by_role("slider").all()
    assert sliders
    assert all(select.get_attribute("aria-label") for select in page.locator("select").all())
    for slider in sliders:
        assert re.search(r"[a-zA-Z]{3}", slider.get_attribute("aria-label"))
        assert re.search(r"\d.*", slider.get_attribute("aria-valuetext"))
    names = page.locator("main [id]").evaluate_all("all => all.map(each => each.id)")
    assert sorted(names) == sorted(set(names)), "a picture that refers to its own parts must not find another's"


@pytest.mark.parametrize("width, scheme", [(PHONE, "dark"), (WIDE, "light")])
def test_it_is_accessible_and_never_scrolls_sideways(opened, width, scheme):
    _, page = opened
    assert_accessible(page, width, scheme)


def test_every_control_answers_three_times_by_key(opened):
    assert_every_control_answers(*opened)


def test_the_table_shows_the_numbers_of_the_setting(opened):
    home, page = opened
    for figure in figures(page):
        figure.get_by_text("Show the numbers").click()
        settled(page)
        before = figure.locator("tbody").inner_text()
        assert "undefined" not in before and "NaN" not in before
        seen = set()
        for name in parameters(figure):
            control = home.slider(figure, name)
            control.focus()
            page.keyboard.press("ArrowDown" if is_choice(control) else "ArrowLeft")
            settled(page)
            seen.add(figure.locator("tbody").inner_text())
        assert seen - {before}


@pytest.mark.parametrize("chapter", ["02-start-or-finish", "07-queue"])  # by formulas, and by a grid
def test_every_control_answers_from_the_disk(visit, site_folder, chapter):
    home = Home("disk", site_folder.as_uri(), ".html")
    assert_every_control_answers(home, visit().go(home.url(chapter)))


@pytest.mark.parametrize("chapter", ["02-start-or-finish", "07-queue", "10-goodput"])
def test_its_other_looks_are_as_accessible(visit, site, chapter):
    page = visit().go(f"{site}/{chapter}.html")
    for width, scheme in ((PHONE, "light"), (WIDE, "dark")):
        assert_accessible(page, width, scheme)


@pytest.mark.parametrize("address", ["index.html", "index.ipynb"])
def test_the_contents_are_as_accessible(visit, request, address):
    root = request.getfixturevalue("voila" if address.endswith("ipynb") else "site")
    page = visit().go(f"{root}/{address}")
    for width, scheme in ((PHONE, "dark"), (WIDE, "light")):
        assert_accessible(page, width, scheme)


def assert_accessible(page, width: int, scheme: str):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page).response["violations"]
    assert [
        (each["id"], each["nodes"][0]["html"][:200]) for each in found if each["impact"] in ("serious", "critical")
    ] == []


def assert_every_control_answers(home, page):
    for figure in figures(page):
        for name in parameters(figure):
            slider, box = home.slider(figure, name), home.box(figure, name)
            slider.focus()
            if is_choice(slider):
                _choose_three_times(page, figure, slider)
                continue
            before, row = box.input_value(), PARAMETERS[name]
            for key in (
                ("ArrowLeft", "ArrowRight", "ArrowLeft")
                if row.default > row.low
                else ("ArrowRight", "ArrowLeft", "ArrowRight")
            ):
                page.keyboard.press(key)
                settled(page)
                after = box.input_value()
                assert after != before, f"{name} stays at {before} on {key}"
                assert after in slider.get_attribute("aria-valuetext")
                before = after


def _choose_three_times(page, figure, select):
    """By key, down and up again: each option says something else than the one before."""
    for key in (
        ("ArrowDown", "ArrowUp", "ArrowDown")
        if select.evaluate("select => select.selectedIndex") == 0
        else ("ArrowUp", "ArrowDown", "ArrowUp")
    ):
        before = said(figure)
        page.keyboard.press(key)
        settled(page)
        assert said(figure) != before
