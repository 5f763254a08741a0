"""StateBench as a maintainer and a visitor see it: a release imported, strategies on a board, conformance all green."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from evaluation.core import jsonl
from evaluation.statebench.suite import SUITE
from tests.live import LiveSite, sign_in
from tests.reference import reference_path

pytestmark = [pytest.mark.browser, pytest.mark.worker]
PASSWORD = "a-long-pass-phrase-1"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with LiveSite(tmp_path_factory.mktemp("site")) as live:
        live.shell(
            "from django.contrib.auth import get_user_model as g; "
            f"g().objects.create_superuser('maintainer', 'm@example.org', {PASSWORD!r}); "
            "from leaderboard.benchmarks import seeding; seeding.presets('statebench'); "
            "seeding.frozen('statebench', 'smoke', tell=str)"
        )
        live.start_worker()
        live.start_web()
        yield live


def bring(page, site: LiveSite, path) -> None:
    """Sign in to the admin and import a file into a version of the preset "release-dev"."""
    sign_in(page, site, "maintainer", PASSWORD, to="/admin/leaderboard/preset/")
    page.get_by_role("link", name="release-dev", exact=True).click()
    page.get_by_role("link", name="Import rows into a version").first.click()
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_role("button", name="Check and freeze").click()


def test_the_released_dev_split_is_imported_in_the_admin_and_has_a_page(site, new_page):
    page = new_page()
    bring(page, site, reference_path("state/data/dev.jsonl"))
    expect(page.get_by_text("This version is frozen")).to_be_visible(timeout=60_000)
    page.get_by_role("link", name="Open its page").click()
    expect(page.get_by_role("heading", name="A sample row")).to_be_visible()
    expect(page.locator(".facts")).to_contain_text("statebench")
    expect(page.locator("main")).not_to_contain_text("must_mention")


def test_a_file_with_a_bad_line_is_refused_with_its_number(site, new_page, tmp_path):
    bad = tmp_path / "bad.jsonl"
    rows = [row for item in SUITE.version({"count": 1}).generate() for row in item.rows]
    jsonl.write(bad, [*rows[:2], {"id": "half a timeline"}])
    page = new_page()
    bring(page, site, bad)
    expect(page.locator(".errornote")).to_contain_text("Nothing was imported. Line 3")


def test_strategies_run_through_a_worker_and_their_board_tells_tracks_and_budgets(site, new_page):
    site.shell(
        "from leaderboard.runs import services as runs; from leaderboard.benchmarks import seeding; "
        "from leaderboard.models import Version; "
        "v = Version.objects.select_related('benchmark').get(slug='smoke'); "
        "[runs.start(version=v, executor=n, started_by=seeding.site_user()) for n in ('no_memory', 'state_based')]"
    )
    page = new_page()
    board = f"{site.url}/boards/statebench/smoke/"

    def both_are_there() -> bool:
        page.goto(board)
        return page.locator("table.apart tbody tr").count() == 2

    for _ in range(60):
        if both_are_there():
            break
        page.wait_for_timeout(500)
    expect(page.locator("table.board")).to_have_count(0)
    expect(page.get_by_text("No model yet.")).to_be_visible()
    expect(page.locator("table.apart")).to_contain_text("Outdated facts in context")
    page.get_by_role("link", name="By track").click()
    expect(page.locator("figure.plot")).to_contain_text("No model yet.")
    page.get_by_role("link", name="Supersession", exact=True).click()
    expect(page.locator("table.figures-table")).to_contain_text("state_based")
    page.get_by_role("link", name="state_based").first.click()
    page.locator("#figure-budgets").scroll_into_view_if_needed()
    expect(page.locator("#figure-budgets[data-drawn]")).to_be_visible(timeout=15_000)


def test_the_conformance_report_of_our_own_implementation_is_all_green(site, new_page):
    site.manage("run_conformance")
    page = new_page()
    page.goto(f"{site.url}/conformance/")
    expect(page.get_by_text("Every requirement is met.")).to_be_visible()
    verdicts = page.locator(".requirements > li")
    assert verdicts.count() == page.locator(".requirements > li.pass").count() > 20
    verdicts.first.locator("summary").click()
    expect(verdicts.first.locator(".evidence")).to_be_visible()
