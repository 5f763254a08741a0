"""The front page in a browser: answering and explanations by keyboard, without a script, on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.live import LiveSite

pytestmark = [pytest.mark.browser]
#: How far the parts of a page moved since it was opened, as browsers measure it.
SHIFTS = """new Promise(done => {
    let sum = 0;
    new PerformanceObserver(list => list.getEntries().forEach(each => sum += each.value))
        .observe({type: "layout-shift", buffered: true});
    setTimeout(() => done(sum), 300);
})"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site with the benchmarks and no version yet."""
    with LiveSite(tmp_path_factory.mktemp("site")) as live:
        live.shell("from leaderboard.benchmarks import seeding; seeding.presets()")
        live.start_web()
        yield live


def test_a_question_is_answered_by_keyboard(site, new_page) -> None:
    page = new_page()
    page.goto(f"{site.url}/")
    example = page.locator("form.try")
    expect(example.locator(".told").first).to_be_hidden()
    expect(example.locator(".moments")).to_be_hidden()
    example.locator("input[type=radio]").first.focus()
    page.keyboard.press("Space")
    expect(example.locator(".verdict.wrong").first).to_be_visible()
    for _ in range(4):
        if example.locator(".verdict.right").is_visible():
            break
        page.keyboard.press("ArrowRight")
    expect(example.locator(".verdict:visible")).to_have_count(1)
    expect(example.locator(".verdict.right")).to_be_visible()
    expect(example.locator("li.gold .told")).to_be_visible()
    expect(example.locator(".moments")).to_be_visible()
    expect(example.locator(".untold")).to_be_hidden()


def test_the_other_benchmark_is_a_tab_with_an_address(site, new_page) -> None:
    page = new_page()
    page.goto(f"{site.url}/")
    page.locator(".try .tabs a").nth(1).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/?example=statebench#try")
    expect(page.locator(".try .tabs a[aria-current]")).to_have_text("StateBench")
    expect(page.locator("form.try .told").first).to_be_hidden()


def test_a_word_is_explained_by_keyboard(site, new_page) -> None:
    page = new_page()
    page.goto(f"{site.url}/")
    word = page.locator("button.word").first
    note = page.locator(".word-note").first
    expect(note).to_be_hidden()
    word.focus()
    page.keyboard.press("Enter")
    expect(note).to_be_visible()
    page.keyboard.press("Tab")
    expect(note.get_by_role("link", name="Glossary")).to_be_focused()
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()


def test_without_a_script_the_answer_is_told_by_address(site, new_page) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(f"{site.url}/?example=statebench&answer=2")
    example = page.locator("form.try")
    expect(example.locator(".verdict:visible")).to_have_count(1)
    expect(example.locator(".verdict.right")).to_be_visible()
    example.locator("label").first.click()
    expect(example.locator(".verdict:visible")).to_have_count(1)
    expect(example.locator(".verdict.right")).to_be_hidden()


def test_the_page_costs_eight_requests_at_most(site, new_page) -> None:
    page = new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site.url}/", wait_until="networkidle")
    assert len(asked) <= 8, asked


@pytest.mark.parametrize("width", [320, 375, 640, 1280])  # 320 and 640 are 1280 at a zoom of 400% and 200%
@pytest.mark.parametrize("path", ["/", "/?example=goldevidencebench&answer=1", "/docs/glossary/"])
def test_no_page_scrolls_sideways_and_nothing_moves_by_itself(site, new_page, width: int, path: str) -> None:
    page = new_page(viewport={"width": width, "height": 800})
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text) if message.type == "error" else None)
    page.goto(f"{site.url}{path}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(SHIFTS) < 0.01
    assert messages == []
