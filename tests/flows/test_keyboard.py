"""Each flow of the demo by keyboard alone, in Chromium: where the focus is, what opens, and what Escape closes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import expect

from tests.live import ROOT, LiveDemo, sign_in
from tests.site_pages import kinds

pytestmark = [pytest.mark.browser, pytest.mark.worker, pytest.mark.xdist_group("demo")]
MOST_STOPS = 70
MOST_TO_TICK = 12  # stops from the top of a board to the first box that chooses a system
#: Where the focus is: on what, whether that can be seen, and whether an outline shows it, its own or its label's.
FOCUS = """() => {
  const at = document.activeElement;
  if (at === document.body) return null;
  const seen = [at, at.closest("label"), at.nextElementSibling, ...(at.labels ?? [])].filter(Boolean);
  const outlined = seen.some(each => {
    const {outlineStyle, outlineWidth, boxShadow} = getComputedStyle(each);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  });
  const there = seen.some(each => each.getBoundingClientRect().width > 0 && each.checkVisibility());
  return {what: at.outerHTML.slice(0, 160), outlined, there};
}"""


@pytest.fixture
def opened(demo: LiveDemo, new_page: Callable[..., Any]) -> Callable[[str], Any]:
    """Opens a kind of page, signed in if it needs that."""

    def open_kind(name: str) -> Any:
        (kind,) = kinds(demo.shell, [name])
        page = new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        if kind.staff:
            sign_in(page, demo, "admin", Path(demo.folder, "demo-password").read_text())
        page.goto(demo.url + kind.path)
        return page

    return open_kind


@pytest.mark.parametrize(
    "name", ["Front page", "Board, ladder", "Row, ladder", "Submit", "Compare, choosing"]
)
def test_the_focus_is_seen_at_every_stop(opened: Callable[[str], Any], name: str) -> None:
    page, stops = opened(name), 0
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if focus is None:
            break
        stops += 1
        assert focus["there"], focus["what"]
        assert focus["outlined"], focus["what"]
    assert stops > 10


def test_the_first_stop_skips_to_the_content(opened: Callable[[str], Any]) -> None:
    page = opened("Board, ladder")
    page.keyboard.press("Tab")
    expect(page.locator("a.skip").first).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_a_second_link_skips_to_the_ranking_whose_first_tick_is_near(opened: Callable[[str], Any]) -> None:
    page, stops = opened("Board, ladder"), 0
    while page.evaluate("document.activeElement.name") != "s":
        page.keyboard.press("Tab")
        stops += 1
        if page.evaluate("document.activeElement.getAttribute('href')") == "#rows":
            page.keyboard.press("Enter")
        assert stops <= MOST_TO_TICK
    page.keyboard.press("Space")
    assert page.evaluate("document.activeElement.checked")


def test_a_menu_opens_by_enter_and_escape_gives_the_focus_back(opened: Callable[[str], Any]) -> None:
    page = opened("Board, ladder")
    menu = page.locator("main details.menu", has=page.locator("a")).first
    menu.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(menu.locator("a").first).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(menu.locator("a").first).to_be_hidden()
    expect(menu.locator("summary")).to_be_focused()


def test_a_heading_explains_itself_and_escape_closes_what_it_said(opened: Callable[[str], Any]) -> None:
    page = opened("Board, ladder")
    sign = page.locator("thead button.why").first
    note = page.locator(f"#{sign.get_attribute('popovertarget')}")
    sign.focus()
    page.keyboard.press("Enter")
    expect(note).to_be_visible()
    page.keyboard.press("Escape")
    expect(note).to_be_hidden()
    expect(sign).to_be_focused()


def test_a_board_is_filtered_with_the_arrows_and_the_focus_stays(opened: Callable[[str], Any]) -> None:
    page = opened("Board, ladder")
    page.locator("#filter-menu > summary").focus()
    page.keyboard.press("Enter")
    first = page.locator("form.filters input[type=radio]").first
    first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**kind=**")
    assert page.evaluate("document.activeElement.name") == "kind"
    assert page.evaluate("document.activeElement.checked")


def test_two_systems_are_chosen_and_compared(opened: Callable[[str], Any]) -> None:
    page = opened("Compare, choosing")
    boxes = page.locator('input[type=checkbox][name="s"]')
    for number in range(2):
        boxes.nth(number).focus()
        page.keyboard.press("Space")
    button = page.locator("form[data-choose] button[type=submit]").first
    expect(button).to_be_enabled()
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/?**s=**s=**")
    expect(page.locator(".contenders > li, ol > li.card").first).to_be_visible()


def test_a_file_is_checked_and_nothing_is_submitted(
    opened: Callable[[str], Any], demo: LiveDemo, tmp_path: Path
) -> None:
    page = opened("Submit")
    preds = answers(demo, page.locator("select[name=version]"), tmp_path)
    file = page.locator("input[name=file]")
    file.focus()
    file.set_input_files(
        preds
    )  # what the window of the operating system does; a browser without one has none
    check = page.get_by_role("button", name="Check only")
    check.focus()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("1,440", timeout=20_000)
    assert page.url.endswith("/submit/")


def answers(demo: LiveDemo, versions: Any, folder: Path) -> Path:
    """A file for the version chosen in the form, answered by a rule."""
    slug = versions.locator("option:checked").inner_text().split(" (")[0].lower().replace(" ", "-")
    for name in ("rows", "documents"):
        address = f"{demo.url}/versions/goldevidencebench/{slug}/{name}.jsonl.gz"
        (folder / f"{name}.jsonl.gz").write_bytes(httpx2.get(address).content)
    words = ["run", "--baseline", "ledger", "--data", "rows.jsonl.gz", "--out", "preds.jsonl"]
    subprocess.run(
        [sys.executable, "-m", "evaluation", *words],
        cwd=folder,
        check=True,
        capture_output=True,
        env={**demo.env, "PYTHONPATH": str(ROOT)},
    )
    return folder / "preds.jsonl"
