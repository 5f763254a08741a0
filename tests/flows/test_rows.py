"""The page of a row in a browser: by keyboard, by clicks, without scripts, on a phone, in both themes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.live import LiveSite

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("rows")]
SETUP = """
from django.contrib.auth import get_user_model
from leaderboard.benchmarks import freezing, storage
from leaderboard.benchmarks.models import Benchmark, Preset
from leaderboard.benchmarks.rows import reading
from leaderboard.submissions import services
from leaderboard.submissions.models import System
from evaluation.core import jsonl
import tempfile, pathlib
owner = get_user_model().objects.create_user("ada", "ada@example.org", "a long passphrase")
def made(suite, settings, systems):
    benchmark = Benchmark.objects.get(suite=suite)
    preset = Preset.objects.create(benchmark=benchmark, name="tiny", title="Tiny", settings=settings)
    version = freezing.start(preset=preset, open_demo=True, wake_worker=False)
    assert freezing.freeze(version.pk)
    version.refresh_from_db()
    for name in systems:
        runner = version.suite.systems()[name].build()
        path = pathlib.Path(tempfile.mkdtemp()) / "preds.jsonl"
        jsonl.write(path, [runner.predict(row) for row in reading.rows_of(version)])
        system = System.objects.get_or_create(owner=owner, name=name)[0]
        sent = services.create(services.accept(version, path), system=system, submitter=owner)
        assert services.grade(str(sent.pk))
made("goldevidence", {"protocol": "open", "generator": {"episodes": 1, "steps": 40, "queries": 3, "keys": 6,
     "chapters": 2, "twins": False, "distractor_profile": "instruction_suite"}}, ["ledger", "naive"])
made("statebench", {"tracks": ["supersession"], "count": 1}, [])
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: Any) -> Iterator[LiveSite]:
    with LiveSite(tmp_path_factory.mktemp("site")) as live:
        live.shell(SETUP)
        live.start_web()
        yield live


def open_first(page: Page, site: LiveSite, suite: str = "goldevidencebench") -> None:
    page.goto(f"{site.url}/versions/{suite}/tiny/rows/")
    page.locator("tbody th a").first.click()
    expect(page.locator("#timeline")).to_be_visible()


def held(page: Page) -> list[str]:
    return page.locator("[data-held]").all_inner_texts()


def test_the_slider_moves_the_state_by_keyboard_and_opens_the_text_there(
    site: LiveSite, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    open_first(page, site)
    at_the_end = held(page)
    page.locator("#step").focus()
    page.keyboard.press("Home")
    expect(page.locator("[data-step]")).to_have_text("1")
    page.wait_for_url(re.compile(r"step=1$"))
    assert held(page) != at_the_end
    expect(page.locator(".log-lines .here")).to_contain_text("step=1 ")
    page.keyboard.press("End")
    page.wait_for_url(re.compile(r"step=40$"))
    assert held(page) == at_the_end
    page.locator("[data-jump='-1']").click()
    page.wait_for_url(re.compile(r"step=(?!40)\d+$"))
    step = page.locator("[data-step]").inner_text()
    expect(page.locator(".log-lines .here")).to_contain_text(f"step={step} ")
    shown = held(page)
    page.reload()
    assert held(page) == shown  # the server says the same of the step as the script


def test_the_text_of_the_last_place_is_shown_however_late_an_earlier_one_comes(
    site: LiveSite, new_page: Callable[..., Page]
) -> None:
    page, late = new_page(), list[Route]()
    open_first(page, site)
    page.route(re.compile(r"step=1&part=text"), lambda route: late.append(route))
    page.locator("#step").focus()
    with page.expect_request(re.compile(r"step=1&part=text")):
        page.keyboard.press("Home")
    with page.expect_response(re.compile(r"step=40&part=text")):  # asked for while the first is on its way
        page.keyboard.press("End")
    for route in late:
        route.continue_()
    page.wait_for_timeout(200)
    assert late
    expect(page.locator(".log-lines .here")).to_contain_text("step=40 ")


def test_a_mark_and_a_sentence_open_the_text_at_their_line(
    site: LiveSite, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    open_first(page, site)
    mark = page.locator(".lane.asked a.mark").first
    line = mark.get_attribute("data-line")
    mark.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(rf"line={line}$"))
    expect(page.locator(".log-lines .here i")).to_have_text(str(line))
    page.locator(".came-of-it a").first.click()
    expect(page.locator(".log-lines .here")).to_be_visible()


def test_other_lanes_and_contexts_come_when_they_are_looked_at(
    site: LiveSite, new_page: Callable[..., Page]
) -> None:
    page = new_page()
    open_first(page, site)
    before = page.locator(".lane").count()
    page.get_by_text(re.compile(r"\d more lane")).click()
    expect(page.locator("#other-lanes .lane").first).to_be_visible()
    assert page.locator(".lane").count() > before
    open_first(page, site, "statebench")
    page.get_by_text("Contents of each context at the query").click()
    expect(page.locator("#contexts-shown h3").first).to_be_visible()


def test_without_scripts_the_slider_is_a_form_and_marks_are_links(
    site: LiveSite, new_page: Callable[..., Page]
) -> None:
    page = new_page(java_script_enabled=False)
    open_first(page, site)
    page.locator("#step").fill("1")
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url(re.compile(r"step=1$"))
    expect(page.locator("[data-step]")).to_have_text("1")
    page.locator(".lane.asked a.mark").first.click(force=True)
    page.wait_for_url(re.compile(r"line=\d+#text$"))
    page.get_by_text(re.compile(r"\d more lane")).click()
    page.get_by_role("link", name="Show them").click()
    expect(page.locator("#other-lanes .lane").first).to_be_visible()


@pytest.mark.parametrize("width", [375, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("suite", ["goldevidencebench", "statebench"])
def test_no_page_of_rows_scrolls_sideways(
    site: LiveSite, new_page: Callable[..., Page], tmp_path: Path, suite: str, width: int, scheme: str
) -> None:
    page = new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    open_first(page, site, suite)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.go_back()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
