"""The main job as a stranger does it: freeze in the admin, download, answer, upload in a browser, see the board."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from playwright.sync_api import Page, expect

from tests.live import ROOT, LiveSite, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.worker, pytest.mark.xdist_group("main-job")]
PASSWORD = "a-long-pass-phrase-1"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with LiveSite(tmp_path_factory.mktemp("site")) as live:
        live.shell(
            "from django.contrib.auth import get_user_model as g; "
            f"g().objects.create_superuser('maintainer', 'm@example.org', {PASSWORD!r}); "
            "from leaderboard.benchmarks import seeding; seeding.presets('goldevidence'); "
            "seeding.frozen('goldevidence', 'triage', tell=str)"
        )
        live.start_worker()
        live.start_web()
        yield live


def freeze(page: Page, preset: str) -> None:
    page.get_by_role("link", name="Presets").first.click()
    page.get_by_role("link", name=preset, exact=True).click()
    page.get_by_role("button", name="Freeze into a version").click()
    expect(page.get_by_text("This version is frozen")).to_be_visible(timeout=30_000)
    page.get_by_role("link", name="Open its page").click()


def sign_up(page: Page, site: LiveSite, name: str) -> None:
    page.goto(f"{site.url}/accounts/signup/")
    page.locator("input[name=username]").fill(name)
    page.locator("input[name=email]").fill(f"{name}@example.org")
    page.locator("input[name=password1]").fill(PASSWORD)
    page.locator("input[name=password2]").fill(PASSWORD)
    page.locator("main button[type=submit]").click()
    page.wait_for_url(f"{site.url}/")


def test_a_stranger_freezes_downloads_answers_uploads_and_stands_on_the_board(site, new_page, tmp_path):
    page = new_page()
    sign_in(page, site, "maintainer", PASSWORD, to="/admin/")
    freeze(page, "smoke")
    for name in ("rows", "documents"):
        with page.expect_download() as download:
            page.get_by_role("link", name=re.compile(f"download {name}", re.I)).first.click()
        download.value.save_as(tmp_path / f"{name}.jsonl.gz")
    rows = tmp_path / "rows.jsonl.gz"

    answers = tmp_path / "preds.jsonl"
    command = [
        sys.executable,
        "-m",
        "evaluation",
        "run",
        "--baseline",
        "ledger",
        "--data",
        str(rows),
        "--out",
        str(answers),
    ]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)

    visitor = new_page()
    sign_up(visitor, site, "stranger")
    visitor.get_by_role("link", name="Submit predictions").first.click()
    visitor.locator("select[name=version]").select_option(label="Smoke")
    visitor.locator("input[name=name]").fill("My ledger reader")
    visitor.locator("input[name=file]").set_input_files(answers)
    visitor.get_by_role("button", name="Check and submit").click()
    expect(visitor.locator("#submission-status .big")).to_have_text("100.0%", timeout=30_000)

    visitor.goto(f"{site.url}/boards/")
    visitor.get_by_text("Self-reported results, not ranked").click()  # the answers of this preset are public
    row = visitor.locator("tr", has_text="My ledger reader")
    expect(row).to_be_visible()
    expect(row).to_contain_text("100.0%")
    expect(row).to_contain_text("self-reported")


def test_a_broken_file_is_refused_with_line_and_reason_before_anything_is_stored(site, new_page, tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"id": "E0001-Q001", "value": "x", "support_ids": []}\n{oops\n')
    page = new_page()
    sign_up(page, site, "hasty")
    page.goto(f"{site.url}/submit/")
    page.locator("select[name=version]").select_option(index=1)  # any: the file is not a JSON
    page.locator("input[name=name]").fill("Broken")
    page.locator("input[name=file]").set_input_files(broken)
    page.get_by_role("button", name="Check and submit").click()
    problems = page.get_by_role("alert").filter(has_text="line 2").or_(page.locator(".problems"))
    expect(problems.first).to_contain_text("2")
    counts = site.shell(
        "from leaderboard.models import *; print(Submission.objects.filter(submitter__username='hasty').count(), "
        "System.objects.filter(owner__username='hasty').count())"
    )
    assert counts == "0 0"


def test_check_only_keeps_the_form_and_its_file_and_submits_nothing(site, new_page, tmp_path):
    table = tmp_path / "preds.csv"
    table.write_text("id,value\nE0001-Q001,amber\nE0001-Q002,blue\n")
    page = new_page()
    sign_up(page, site, "careful")
    page.goto(f"{site.url}/submit/")
    page.locator("select[name=version]").select_option(index=1)
    page.locator("input[name=file]").set_input_files(table)
    page.locator("input[name=name]").fill("Kept")
    page.get_by_role("button", name="Check only").click()
    expect(page.locator("#checked")).to_contain_text("Read as a table: 0 answers used")
    expect(page.locator("#checked [data-refusal]")).to_be_focused()
    expect(page.locator("input[name=name]")).to_have_value("Kept")
    assert page.locator("input[name=file]").evaluate("input => input.files.length") == 1
    expect(page.get_by_role("button", name="Check and submit")).to_be_enabled()
    counts = "from leaderboard.models import *; print(Submission.objects.filter(submitter__username='careful').count())"
    assert site.shell(counts) == "0"
