"""Two tabs of one browser: a form is filled in in one, and the other signs in again, out, or as another account."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from tests.leaderboard.conftest import TINY
from tests.live import LiveSite, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.worker, pytest.mark.xdist_group("stale")]
SERVER = "adapter:openai_compatible"
PASSWORD = "a-long-pass-phrase-1"
SEED = f"""
from django.contrib.auth import get_user_model
from leaderboard.benchmarks import freezing
from leaderboard.models import Benchmark, Preset, System
benchmark = Benchmark.objects.get(suite="goldevidence")
preset = Preset.objects.create(benchmark=benchmark, name="tiny", title="Tiny", settings={TINY!r})
freezing.freeze(freezing.start(preset=preset).pk)
for name in ("ada", "ben"):
    user = get_user_model().objects.create_user(name, f"{{name}}@example.org", {PASSWORD!r})
    System.objects.create(owner=user, name=f"{{name}}s reader")
get_user_model().objects.create_superuser("sam", "sam@example.org", {PASSWORD!r})
"""
SENT = """
import json
from leaderboard.models import Submission
print(json.dumps(list(Submission.objects.order_by("created_at").values_list("submitter__username", "note"))))
"""


HOLD = """
from datetime import timedelta
from django.contrib.auth.models import User
from django.db.models.functions import Now
from leaderboard.models import CheckSlot
ada, until = User.objects.get(username="ada"), Now() + timedelta({})
CheckSlot.objects.update_or_create(account=ada, number=0, defaults={{"until": until}})
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    servers = json.dumps({"house": {"base_url": "http://127.0.0.1:9/v1"}})
    with LiveSite(tmp_path_factory.mktemp("site"), MODEL_SERVERS=servers) as live:
        live.shell(SEED)
        live.start_web()
        yield live


@pytest.fixture(scope="module")
def answers(site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    rows, path = folder / "rows.jsonl.gz", folder / "preds.jsonl"
    site.command(folder, "download", "goldevidencebench/tiny", "--out", str(rows))
    assert site.command(folder, "run", "--data", str(rows), "--out", str(path)).returncode == 0
    return path


@pytest.fixture(autouse=True)
def nothing_sent(site):
    site.shell(
        "from leaderboard.models import *; Submission.objects.all().delete(); ApiToken.objects.all().delete()"
    )


def sent(site: LiveSite) -> list[list[str]]:
    """(submitter, note) of each submission."""
    return json.loads(site.shell(SENT))


def fill_in(page: Page, site: LiveSite, answers, note: str) -> None:
    page.goto(f"{site.url}/submit/")
    page.locator("select[name=version]").select_option(label="Tiny")
    page.locator("input[name=name]").fill("My new reader")
    page.locator("details", has=page.locator("input[name=note]")).locator("summary").first.click()
    page.locator("input[name=note]").fill(note)
    page.locator("input[name=file]").set_input_files(answers)


def press(page: Page) -> None:
    page.get_by_role("button", name="Check and submit").click()


def sign_out(page: Page, site: LiveSite) -> None:
    page.goto(f"{site.url}/accounts/logout/")
    page.locator("main button[type=submit]").click()
    page.wait_for_url(f"{site.url}/")


def again_as(page: Page, site: LiveSite, name: str) -> None:
    """In another tab, sign out and in as `name`."""
    tab = page.context.new_page()
    sign_out(tab, site)
    sign_in(tab, site, name, PASSWORD)
    tab.close()


def still_there(page: Page, note: str) -> None:
    expect(page.locator("input[name=name]")).to_have_value("My new reader")
    expect(page.locator("input[name=note]")).to_have_value(note)
    assert page.locator("input[name=file]").evaluate("input => input.files.length") == 1


def test_after_signing_in_again_in_another_tab_the_form_is_sent_as_before(site, new_page, answers):
    page = new_page()
    sign_in(page, site, "ada", PASSWORD)
    fill_in(page, site, answers, "again")
    again_as(page, site, "ada")
    press(page)
    page.wait_for_url("**/submissions/*/")
    assert sent(site) == [["ada", "again"]]


def test_no_form_is_sent_as_another_account_without_asking(site, new_page, answers):
    page = new_page()
    sign_in(page, site, "ada", PASSWORD)
    fill_in(page, site, answers, "as whom")
    again_as(page, site, "ben")
    press(page)
    notice = page.get_by_role("alert").filter(has_text="signed in as ben")
    expect(notice).to_contain_text("opened as ada")
    expect(notice).to_be_focused()
    still_there(page, "as whom")
    assert sent(site) == []
    again_as(page, site, "ada")
    press(page)
    page.wait_for_url("**/submissions/*/")
    assert sent(site) == [["ada", "as whom"]]


def test_sending_as_the_other_account_needs_a_confirmation(site, new_page, answers):
    page = new_page()
    sign_in(page, site, "ada", PASSWORD)
    fill_in(page, site, answers, "as ben")
    again_as(page, site, "ben")
    press(page)
    page.get_by_role("button", name="Send it as ben").click()
    page.wait_for_url("**/submissions/*/")
    assert sent(site) == [["ben", "as ben"]]


def test_after_a_sign_out_a_sign_in_in_another_tab_is_enough(site, new_page, answers):
    page = new_page()
    sign_in(page, site, "ada", PASSWORD)
    fill_in(page, site, answers, "signed out")
    sign_out(page.context.new_page(), site)
    press(page)
    notice = page.get_by_role("alert").filter(has_text="session has ended")
    still_there(page, "signed out")
    with page.context.expect_page() as opened:
        notice.get_by_role("link", name="Sign in in another tab").click()
    tab = opened.value
    tab.locator("input[name=login]").fill("ada")
    tab.locator("input[name=password]").fill(PASSWORD)
    tab.locator("main button[type=submit]").click()
    tab.wait_for_url(f"{site.url}/")
    press(page)
    page.wait_for_url("**/submissions/*/")
    assert sent(site) == [["ada", "signed out"]]


def test_a_session_that_ran_out_is_told_in_place(site, new_page, answers):
    page = new_page()
    sign_in(page, site, "ada", PASSWORD)
    fill_in(page, site, answers, "ran out")
    page.context.clear_cookies(name="sessionid")
    press(page)
    expect(page.get_by_role("alert").filter(has_text="session has ended")).to_be_visible()
    still_there(page, "ran out")
    assert sent(site) == []


def test_other_forms_recover_alike(site, new_page):
    page = new_page()
    sign_in(page, site, "ada", PASSWORD, to="/account/tokens/")
    page.locator("input[name=name]").fill("laptop")
    again_as(page, site, "ada")
    page.get_by_role("button", name="Make the token").click()
    expect(page.get_by_role("status")).to_contain_text("geb_")  # "geb_" stands elsewhere from the start
    page.goto(f"{site.url}/systems/ada/adas-reader/edit/")
    page.locator("input[name=description]").fill("It reads.")
    again_as(page, site, "ben")
    page.locator("main form button[type=submit]").click()
    expect(page.get_by_role("alert").filter(has_text="signed in as ben")).to_be_visible()
    expect(page.locator("input[name=description]")).to_have_value("It reads.")


def test_a_button_that_sends_a_part_of_a_page_recovers_alike(site, new_page):
    page = new_page()
    address = f"/runs/new/?version=1&executor={SERVER}"
    sign_in(page, site, "sam", PASSWORD, to="/runs/")
    page.goto(f"{site.url}{address}")
    page.get_by_label("model", exact=True).fill("a-model")
    page.get_by_label("model", exact=True).blur()
    expect(page.locator("#run-estimate")).to_contain_text("no similar run")
    again_as(page, site, "sam")
    page.get_by_role("button", name="Calibrate").click()
    expect(page.locator("#run-estimate")).to_contain_text("calibrating on a few rows")


def test_a_part_requested_without_a_sign_in_stays_as_it_is(site, new_page):
    page = new_page()
    sign_in(page, site, "sam", PASSWORD, to="/runs/")
    page.goto(f"{site.url}/runs/new/?version=1&executor={SERVER}")
    with page.expect_response(lambda response: "estimate/?" in response.url and "b-model" in response.url):
        page.get_by_label("model", exact=True).fill("b-model")
        page.get_by_label("model", exact=True).blur()
    expect(page.locator("#run-estimate")).to_contain_text("no similar run")
    sign_out(page.context.new_page(), site)
    with page.expect_response(lambda response: "/accounts/login/" in response.url):
        page.get_by_label("model", exact=True).fill("another-model")
        page.get_by_label("model", exact=True).blur()
    page.wait_for_timeout(300)  # what had been swapped in would be there by now
    expect(page.get_by_role("button", name="Calibrate")).to_be_visible()
    expect(page.locator("#run-estimate")).to_contain_text("no similar run")


def test_forms_of_the_admin_recover_alike(site, new_page):
    page = new_page()
    sign_in(page, site, "sam", PASSWORD, to="/admin/leaderboard/preset/add/")
    page.locator("#content a[href*='benchmark=']").first.click()
    page.locator("input[name=name]").fill("fresh")
    again_as(page, site, "sam")
    page.locator("input[name=_save]").click()
    expect(page.locator(".messagelist")).to_contain_text("was added successfully")


def test_the_sign_in_page_of_two_tabs_goes_on_in_both(site, new_page):
    page = new_page()
    page.goto(f"{site.url}/accounts/login/?next=/account/")
    sign_in(page.context.new_page(), site, "ada", PASSWORD)
    page.locator("input[name=login]").fill("ada")
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main button[type=submit]").click()
    page.get_by_role("button", name="Continue as ada").click()
    page.wait_for_url(f"{site.url}/account/")


def test_without_script_a_page_holds_what_was_typed(site, new_page, answers):
    page = new_page(java_script_enabled=False)
    sign_in(page, site, "ada", PASSWORD)
    fill_in(page, site, answers, "by hand")
    again_as(page, site, "ben")
    press(page)
    expect(page.get_by_role("heading", name="You are signed in as ben now")).to_be_visible()
    assert sent(site) == []
    page.locator("input[name=file]").set_input_files(answers)
    page.get_by_role("button", name="Send it as ben").click()
    page.wait_for_url("**/submissions/*/")
    assert sent(site) == [["ben", "by hand"]]


def test_a_second_file_waits_for_the_first_by_itself(site, new_page, answers):
    page = new_page()
    sign_in(page, site, "ada", PASSWORD)
    fill_in(page, site, answers, "in line")
    site.shell(HOLD.format("hours=1"))
    press(page)
    expect(page.locator("[data-upload] output")).to_contain_text("Another file is being checked")
    still_there(page, "in line")
    site.shell(HOLD.format("seconds=-1"))
    page.wait_for_url("**/submissions/*/", timeout=20_000)
    assert sent(site) == [["ada", "in line"]]
