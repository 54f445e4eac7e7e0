"""What the two first chapters promise in every home: their numbers, and hands, fingers, boxes, links, print and sound."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.homes import Home, home_of, sentence, settled

A_AND_B = "02-start-or-finish"


@pytest.fixture(params=["static", "disk", "live"])
def home(request) -> Home:
    return home_of(request.param, request)


@pytest.fixture(params=["static", "live"])
def served(request) -> Home:
    return home_of(request.param, request)


def test_the_two_answers_in_every_home(visit, home):
    page = visit().go(home.url(A_AND_B))
    figure = page.locator(".x-figure").first
    assert sentence(figure).startswith(
        "At 101 tokens, A is done after 4.40 s and B after 3.00 s: B finishes 1.40 s sooner though it starts 0.60 s later."
    )
    assert figure.locator(".x-claim").inner_text() == "After 31 tokens, starting sooner stops helping"
    for length, text in (
        ("1001", "A is done after 40.40 s and B after 21.00 s"),
        ("31", "A and B are done together, after 1.60 s"),
    ):
        box = home.box(figure, "tokens")
        box.fill(length)
        box.press("Enter")
        settled(page)
        assert text in sentence(figure)
        assert f"({int(length):,} − 1) × 40 ms".replace(" ", "") in figure.locator(".x-equation").inner_text().replace(
            "\u2062", ""
        ).replace(" ", "").replace("\n", "")
    page.get_by_role("link", name="Set the figure to this pair").click()
    settled(page)
    assert "At 191 tokens, A and B are done together, after 3.90 s." == sentence(figure)


def test_one_stage_in_every_home(visit, home):
    page = visit().go(home.url("03-one-stage"))
    figure = page.locator(".x-figure").first
    assert "The answer took 30.00 s. With the stream 4.0× faster it takes 15.00 s: that is 2.00×" in sentence(figure)
    page.get_by_role("link", name="shorten the stream to 2 s").click()
    settled(page)
    assert "The answer took 12.00 s. With the stream 4.0× faster it takes 10.50 s" in sentence(figure)


def test_a_drag_by_hand_ends_at_its_end_and_reset_returns(visit, home):
    page = visit().go(home.url(A_AND_B))
    figure = page.locator(".x-figure").first
    slider = home.slider(figure, "tpot_a")
    slider.scroll_into_view_if_needed()
    track = (slider if home.kind != "live" else figure.locator(".x-p-tpot_a .noUi-base")).bounding_box()
    middle = track["y"] + track["height"] / 2
    start = slider.bounding_box()
    page.mouse.move(
        start["x"] + (start["width"] / 2 if home.kind == "live" else start["width"] * 0.39),
        start["y"] + start["height"] / 2,
    )
    page.mouse.down()
    for step in range(1, 30):
        page.mouse.move(track["x"] + track["width"] * (0.4 + 0.62 * step / 29), middle)
    page.mouse.up()
    settled(page)
    assert home.box(figure, "tpot_a").input_value() == "100"
    assert "A is done after 10.40 s" in sentence(figure)
    page.wait_for_url(re.compile(r"[?&]tpot_a=100"))
    figure.get_by_role("button", name="Reset").click()
    settled(page)
    assert "A is done after 4.40 s" in sentence(figure)
    page.wait_for_url(lambda url: "tpot_a" not in url)


def test_a_finger_moves_a_slider(visit, served):
    page = visit(viewport={"width": 390, "height": 800}, has_touch=True, is_mobile=True).go(served.url(A_AND_B))
    figure = page.locator(".x-figure").first
    slider = served.slider(figure, "tokens")
    slider.scroll_into_view_if_needed()
    track = (slider if served.kind == "static" else figure.locator(".x-p-tokens .noUi-base")).bounding_box()
    for share in (0.3, 0.6, 0.9):
        before = sentence(figure)
        page.touchscreen.tap(track["x"] + track["width"] * share, track["y"] + track["height"] / 2)
        expect(figure.locator(".x-sentence")).not_to_have_text(before)  # Jupyter's slider glides to a tap
        page.wait_for_timeout(400)
    picture = figure.locator(".x-picture").bounding_box()
    assert picture["y"] + picture["height"] > 0, "the picture stays in view while its controls are dragged"


BAD_LINKS = {
    "ttft_a=abc": ("“abc” is not a number", "0.40"),
    "ttft_a=-5": ("“-5” became 0.05 s", "0.05"),
    "ttft_a=1e999": ("“1e999” became 5.00 s", "5.00"),
    "ttft_a=1,234": ("“1,234” can be read in two ways", "0.40"),
    "tokens=100.5": ("is a whole number; “100.5” became 101 tokens", "0.40"),
    "ttft_c=1": ("“ttft_c”, which this page does not have", "0.40"),
    "ttft_a=<b>x</b>": ("“<b>x</b>” is not a number", "0.40"),
}


@pytest.mark.parametrize("query", BAD_LINKS)
def test_a_bad_link_gives_the_page_a_sentence_and_a_value(visit, site, query):
    home = Home("static", site, ".html")
    page = visit().go(home.url(A_AND_B, f"?{query}"))
    words, value = BAD_LINKS[query]
    assert words in page.locator("#x-page-say").inner_text()
    assert home.box(page.locator(".x-figure").first, "ttft_a").input_value() == value


def test_a_link_with_many_faults_names_each_in_every_home(visit, home):
    page = visit().go(home.url(A_AND_B, "?ttft_a=abc&ttft_b=1e999&tpot_a=-5&tokens=100.5&ttft_c=1"))
    said = page.locator("#x-page-say").inner_text()
    for words in (
        "“abc” is not a number",
        "“1e999” became 5.00 s",
        "“-5” became 2 ms",
        "“100.5” became 101 tokens",
        "“ttft_c”, which this page does not have",
    ):
        assert words in said
    first = page.locator(".x-figure").first
    boxes = {name: home.box(first, name).input_value() for name in ("ttft_a", "ttft_b", "tpot_a", "tokens")}
    assert boxes == {"ttft_a": "0.40", "ttft_b": "5.00", "tpot_a": "2", "tokens": "101"}


def test_a_good_link_sets_the_page_and_says_nothing(visit, home):
    page = visit().go(home.url(A_AND_B, "?ttft_a=2&tpot_a=10&ttft_b=0.1&tpot_b=20&tokens=191"))
    assert sentence(page.locator(".x-figure").first) == "At 191 tokens, A and B are done together, after 3.90 s."
    assert page.locator("#x-page-say").inner_text() == ""
    assert home.box(page.locator(".x-figure").nth(1), "tpot_a").input_value() == "10", (
        "figures of one page share their parameters"
    )


def test_bad_words_in_a_box_are_kept_and_the_next_good_ones_work(visit, home):
    page = visit().go(home.url(A_AND_B))
    figure = page.locator(".x-figure").first
    box = home.box(figure, "ttft_a")
    answer = figure.locator(".x-say")
    for typed, words in (("soon", "is not a number"), ("1,500", "two ways"), ("9", "became 5.00 s")):
        box.fill(typed)
        box.press("Enter")
        settled(page)
        assert words in answer.inner_text()
        assert box.input_value() == ("5.00" if typed == "9" else typed)
    for good in ("0,8", "0.8 s"):  # a decimal comma is no riddle where three digits do not follow it
        box.fill(good)
        box.press("Enter")
        settled(page)
    assert answer.inner_text() == "" and box.input_value() == "0.80"
    assert "A is done after 4.80 s" in sentence(figure)


def test_reset_and_escape_clear_what_could_not_be_read(visit, served):
    page = visit().go(served.url(A_AND_B))
    figure = page.locator(".x-figure").first
    box, say = served.box(figure, "ttft_a"), figure.locator(".x-say")
    box.fill("soon")
    box.press("Enter")
    served.slider(figure, "tokens").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    assert box.input_value() == "soon" and "is not a number" in say.inner_text(), "it stays, and so does the reason"
    figure.get_by_role("button", name="Reset").click()
    settled(page)
    assert (box.input_value(), box.get_attribute("aria-invalid"), say.inner_text()) == ("0.40", None, "")
    box.fill("later")
    box.press("Enter")
    assert box.get_attribute("aria-invalid") == "true"
    box.press("Escape")
    assert (box.input_value(), box.get_attribute("aria-invalid"), say.inner_text()) == ("0.40", None, "")


def test_what_is_said_can_be_seen_on_a_phone(visit, served):
    page = visit(viewport={"width": 390, "height": 844}).go(served.url(A_AND_B))
    figure = page.locator(".x-figure").first
    box = served.box(figure, "longest")
    box.click()
    box.fill("far")
    box.press("Enter")
    say, picture = figure.locator(".x-say").bounding_box(), figure.locator(".x-picture").bounding_box()
    assert picture["y"] + picture["height"] <= say["y"] + 1 and say["y"] + say["height"] <= 844


def test_a_value_between_two_that_were_simulated_gives_way_to_the_nearer_and_says_so(visit, served):
    page = visit().go(served.url("07-queue", "?arrival_rate=50&budget=999"))
    knee, budget = page.locator(".x-figure").all()[:2]
    assert served.box(knee, "arrival_rate").input_value() == "48.0" and "At 48.0 req/s" in sentence(knee)
    assert "“50.0 req/s” was not worked out" in knee.locator(".x-say").inner_text()
    assert served.box(budget, "budget").input_value() == "1,024"
    served.box(knee, "arrival_rate").fill("35")
    served.box(knee, "arrival_rate").press("Enter")
    settled(page)
    assert served.box(knee, "arrival_rate").input_value() == "36.0" and "At 36.0 req/s" in sentence(knee)


def test_the_copied_link_leads_to_the_same_state(visit, served):
    first = visit(permissions=["clipboard-read", "clipboard-write"])
    page = first.go(served.url(A_AND_B))
    figure = page.locator(".x-figure").first
    served.box(figure, "tokens").fill("500")
    served.box(figure, "tokens").press("Enter")
    settled(page)
    figure.get_by_role("button", name="Copy link").click()
    page.wait_for_function("document.querySelector('.x-say').textContent === 'The link is copied.'")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.endswith("?tokens=500#start-or-finish")
    other = visit().go(link)
    assert sentence(other.locator(".x-figure").first) == sentence(figure)


def test_the_result_is_heard_once_a_control_has_come_to_rest(visit, served):
    page = visit().go(served.url(A_AND_B))
    figure = page.locator(".x-figure").first
    heard = figure.locator(".x-heard")
    assert heard.inner_text() == ""
    served.slider(figure, "tokens").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.x-heard').textContent !== ''")
    assert heard.text_content() == sentence(figure)
    assert heard.get_attribute("role") == "status"


def test_reduced_motion_and_print(visit, served):
    page = visit(reduced_motion="reduce").go(served.url(A_AND_B))
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(254, 253, 250)", "paper is light"
    assert page.locator(".x-sentence").first.is_visible()
    assert not page.locator(".x-controls").first.is_visible()


def test_code_is_hidden_live(visit, voila):
    page = visit().go(f"{voila}/{A_AND_B}.ipynb")
    assert "Page(" not in page.content() and "import " not in page.locator("main").inner_text()
