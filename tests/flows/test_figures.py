"""Figures of a board in a browser: drawn when scrolled into view, saved by button, used by click and keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.live import LiveSite

pytestmark = [pytest.mark.browser]
BOARD = "/boards/goldevidencebench/order-bias-short/"
FREEZE = """
from leaderboard.benchmarks import seeding
from leaderboard.boards.placements import computing
from leaderboard.runs import services as runs
from leaderboard.submissions.models import System
seeding.presets("goldevidence")
version = seeding.frozen("goldevidence", "order-bias-short", tell=str)
for executor in ("ledger", "naive", "positional_first", "latest_step"):
    run = runs.start(version=version, executor=executor, started_by=seeding.site_user(), wake_worker=False)
    runs.execute(str(run.pk), grade_now=True)
System.objects.exclude(name="ledger").update(reference="")
computing.store(version)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A board of three systems and a reference."""
    with LiveSite(tmp_path_factory.mktemp("site")) as live:
        live.shell(FREEZE)
        live.start_web()
        yield live


def drawn(page, name: str):
    """A figure that was scrolled into view and drawn."""
    figure = page.locator(f"#figure-{name}")
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_attribute("data-drawn", "", timeout=20_000)
    return figure


def test_figures_are_drawn_in_view_and_saved_by_button(site, new_page) -> None:
    page = new_page(viewport={"width": 1280, "height": 700})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site.url}{BOARD}")
    page.get_by_role("link", name="Charts").click()
    expect(page).to_have_url(f"{site.url}{BOARD}figures/")
    drawn(page, "cost" if page.locator("#figure-cost[data-figure-height]").count() else "order")
    assert not [url for url in asked if url.endswith("items.json")]
    # One kind of each: Chromium asks before a page's eleventh file, which no user answers here.
    for name, kind in (("order", "PNG"), ("splits", "SVG"), ("failures", "PNG")):
        figure = drawn(page, name)
        with page.expect_download() as download:
            figure.get_by_role("button", name=kind).click()
        start = {"PNG": b"\x89PNG", "SVG": b"<svg"}[kind]
        assert Path(download.value.path()).read_bytes().startswith(start), (name, kind)
        with page.expect_download() as download:
            figure.get_by_role("link", name="CSV").click()
        assert download.value.suggested_filename == f"goldevidencebench-order-bias-short-{name}.csv"


def test_a_bar_leads_to_the_rows_that_failed_so(site, new_page) -> None:
    page = new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{site.url}{BOARD}figures/")
    figure = drawn(page, "failures")
    # Plotly's own layer lies above its bars and finds the one below the mouse.
    box = figure.locator(".barlayer .point path").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(200)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url("**/rows/?failure=*")


def test_the_table_of_a_figure_leads_to_systems_by_keyboard(site, new_page) -> None:
    page = new_page()
    page.goto(f"{site.url}{BOARD}figures/")
    figure = page.locator("#figure-splits")
    figure.locator("summary").focus()
    page.keyboard.press("Enter")
    link = figure.get_by_role("link", name="naive")
    expect(link).to_be_visible()
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/systems/*/naive/")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_phone_shows_every_figure_within_its_width(site, new_page, theme: str) -> None:
    page = new_page(viewport={"width": 375, "height": 800}, color_scheme=theme)
    page.goto(f"{site.url}{BOARD}figures/")
    for name in ("order", "splits", "failures"):
        drawn(page, name)
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    expect(page.locator("#figure-splits ol.names li").first).to_contain_text("Whole book")


def test_a_filter_draws_the_figures_again(site, new_page) -> None:
    page = new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{site.url}{BOARD}figures/")
    drawn(page, "order")
    page.locator("#filter-menu > summary").click()
    page.get_by_placeholder("Name contains").fill("naive")
    expect(page.locator("#figure-splits .said")).to_contain_text("of naive")
    drawn(page, "order")
    assert "q=naive" in page.url
