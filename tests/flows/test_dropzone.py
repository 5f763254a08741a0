"""The upload page in Chromium: files that change on disk, refusals that keep the file, and the switch of versions."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.leaderboard.conftest import TINY
from tests.live import LiveSite, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.worker, pytest.mark.xdist_group("dropzone")]
PASSWORD = "a-long-pass-phrase-1"
SEED = f"""
from django.contrib.auth import get_user_model
from leaderboard.benchmarks import freezing
from leaderboard.models import Benchmark, Preset
benchmark = Benchmark.objects.get(suite="goldevidence")
for name, settings in (("tiny", {TINY!r}), ("other", {TINY!r} | {{"seeds": [9]}})):
    preset = Preset.objects.create(benchmark=benchmark, name=name, title=name.capitalize(), settings=settings)
    freezing.freeze(freezing.start(preset=preset).pk)
get_user_model().objects.create_user("ada", "ada@example.org", {PASSWORD!r})
"""
CHANGED = "The file changed on your disk after it was chosen, so nothing was submitted. Choose it again."


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with LiveSite(tmp_path_factory.mktemp("site")) as live:
        live.shell(SEED)
        live.start_web()
        yield live


@pytest.fixture(scope="module")
def answers(site, tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("answers")
    rows, path = folder / "rows.jsonl.gz", folder / "preds.jsonl"
    site.command(folder, "download", "goldevidencebench/tiny", "--out", str(rows))
    assert site.command(folder, "run", "--data", str(rows), "--out", str(path)).returncode == 0
    return path.read_text()


@pytest.fixture
def preds(answers: str, tmp_path: Path) -> Path:
    path = tmp_path / "preds.jsonl"
    path.write_text(answers)
    os.utime(path, (0, 1_700_000_000))  # Chromium tells changes apart by the second
    return path


@pytest.fixture
def page(site: LiveSite, new_page) -> Page:
    page = new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page.set_default_timeout(10_000)
    sign_in(page, site, "ada", PASSWORD, to="/submit/")
    return page


def fill_in(page: Page, preds: Path, version: str = "Tiny") -> None:
    page.locator("select[name=version]").select_option(label=version)
    page.locator("input[name=name]").fill("My reader")
    page.locator("input[name=file]").set_input_files(preds)


def check(page: Page) -> None:
    page.get_by_role("button", name="Check only").click()


def submit(page: Page) -> None:
    page.locator("p.submit button").click()


def submissions(site: LiveSite) -> int:
    return int(site.shell("from leaderboard.models import Submission; print(Submission.objects.count())"))


def damage(preds: Path) -> None:
    lines = preds.read_text().splitlines(keepends=True)
    preds.write_text("".join(lines[:-1]) + "no JSON\n")


def test_a_file_that_changed_on_disk_is_said_to_have_changed_each_time(page: Page, preds: Path) -> None:
    fill_in(page, preds)
    preds.write_text(preds.read_text() + "\n")
    for press in (check, check, submit):
        press(page)
        expect(page.locator("[data-upload] output")).to_have_text(CHANGED)
        expect(page.locator("[data-dropzone]")).to_contain_text("changed on disk; choose it again")


def test_a_file_that_is_gone_is_said_to_have_changed(page: Page, preds: Path) -> None:
    fill_in(page, preds)
    preds.unlink()
    check(page)
    expect(page.locator("[data-upload] output")).to_have_text(CHANGED)


def test_the_same_file_chosen_again_is_taken(page: Page, preds: Path) -> None:
    fill_in(page, preds)
    preds.write_text(preds.read_text() + "\n")
    check(page)
    expect(page.locator("[data-upload] output")).to_have_text(CHANGED)
    with page.expect_file_chooser() as choosing:
        page.locator("[data-dropzone]").click()
    choosing.value.set_files(preds)
    expect(page.locator("[data-upload] output")).to_be_hidden()
    expect(page.locator("[data-dropzone]")).not_to_contain_text("changed on disk")
    check(page)
    expect(page.locator("#checked")).to_contain_text("Ready to submit")


def test_an_upload_that_breaks_off_with_the_file_as_it_was_says_only_that(page: Page, preds: Path) -> None:
    fill_in(page, preds)
    page.route(
        "**/submit/", lambda route: route.abort() if route.request.method == "POST" else route.continue_()
    )
    check(page)
    expect(page.locator("[data-upload] output")).to_have_text(
        "The upload was interrupted. Nothing was submitted; try again."
    )


def test_a_refused_submission_keeps_the_file(page: Page, preds: Path, site: LiveSite) -> None:
    before = submissions(site)
    damage(preds)
    fill_in(page, preds)
    submit(page)
    expect(page.locator("[data-refusal]")).to_contain_text("nothing was submitted")
    expect(page.locator("[data-name]")).to_have_text("preds.jsonl")
    assert page.locator("input[name=file]").evaluate("input => input.files.length") == 1
    with page.expect_response(lambda response: response.request.method == "POST"):
        submit(page)  # of the same file, which is still chosen
    expect(page.locator("[data-refusal]")).to_contain_text("nothing was submitted")
    expect(page.locator("p.submit button")).to_be_enabled()
    preds.write_text("\n")
    submit(page)
    expect(page.locator("[data-upload] output")).to_have_text(CHANGED)
    assert submissions(site) == before


def test_a_file_without_all_answers_is_sent_again_by_a_tick(page: Page, preds: Path, site: LiveSite) -> None:
    lines = [json.loads(line) for line in preds.read_text().splitlines()]
    lines[0] = {"id": lines[0]["id"], "output": ""}
    preds.write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = submissions(site)
    fill_in(page, preds)
    submit(page)
    page.locator("input[name=take_unanswered]").check()
    submit(page)
    page.wait_for_url("**/submissions/*/")
    assert submissions(site) == before + 1


@pytest.mark.parametrize("press", [check, submit])
def test_ids_of_another_version_offer_the_switch_and_the_file_stays(
    page: Page, preds: Path, site: LiveSite, press
) -> None:
    before = submissions(site)
    fill_in(page, preds, "Other")
    press(page)
    expect(page.locator(".problems")).to_contain_text("The ids in this file belong to Tiny")
    page.get_by_role("link", name="Switch to Tiny").click()
    expect(page.locator("#checked")).to_contain_text("Ready to submit")
    expect(page.locator(".problems")).to_have_count(0)
    expect(page.locator("select[name=version] option:checked")).to_have_text("Tiny")
    expect(page.locator("input[name=name]")).to_have_value("My reader")
    assert submissions(site) == before


def test_a_form_that_the_browser_sends_itself_says_it_too(page: Page, site: LiveSite, preds: Path) -> None:
    """Otherwise the browser shows an error page of its own."""
    page.goto(f"{site.url}/conformance/upload/")
    page.locator("input[name=name]").fill("My reader")
    page.locator("input[name=file]").set_input_files(preds)
    preds.write_text("\n")
    page.get_by_role("button", name="Add the report").click()
    expect(page.locator("[data-upload] output")).to_have_text(CHANGED)
    preds.write_text("no report\n")
    page.locator("input[name=file]").set_input_files([])
    page.locator("input[name=file]").set_input_files(preds)
    page.get_by_role("button", name="Add the report").click()
    expect(page.locator(".errorlist, .note.error").first).to_be_visible()
