"""A third suite, added by one folder and one entry point: frozen, answered, graded and shown by the site."""

from __future__ import annotations

import csv
import io
import re

import httpx2
import pytest
from playwright.sync_api import expect

from tests.live import ROOT, LiveSite
from tests.toy_suite.installed import TOY, write

pytestmark = [pytest.mark.browser, pytest.mark.worker]
BOARD, API = "/boards/toy/small/", "/api/v1"
PASSWORD = "a-long-pass-phrase-1"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site with the toy suite installed, one version frozen, and its three systems run over it."""
    folder = tmp_path_factory.mktemp("site")
    installed = write(folder / "installed", suites=TOY)
    with LiveSite(folder, PYTHONPATH=f"{ROOT}:{installed}") as live:
        live.shell(
            "from django.contrib.auth import get_user_model as g; "
            f"g().objects.create_superuser('maintainer', 'm@example.org', {PASSWORD!r}); "
            "from leaderboard.benchmarks import seeding; seeding.presets(); "
            "v = seeding.frozen('toy', 'small', tell=str); from leaderboard.runs import services as runs; "
            "made = [runs.start(version=v, executor=n, started_by=seeding.site_user(), wake_worker=False) "
            "for n in runs.demo_executors(v)]; [runs.execute(str(run.pk), grade_now=True) for run in made]"
        )
        live.start_worker()
        live.start_web()
        yield live


def get(site, path, **query):
    answer = httpx2.get(f"{site.url}{path}", params=query or None)
    assert answer.status_code == 200, f"{path}: {answer.text[:2000]}"
    return answer


def shown(site, executor):
    """The submission of a system that the board shows."""
    items = get(site, f"{API}/leaderboard/toy/small").json()["items"]
    return next(item["submission"] for item in items if item["system"] == executor)


def test_the_board_shows_its_plot_and_nothing_fails_in_the_browser(site, new_page):
    page = new_page()
    faults = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(f"{site.url}{BOARD}")
    expect(page.locator("table.board tbody tr:not(.unfold)")).to_have_count(3)
    expect(page.locator("table.board tbody tr:not(.unfold)").first).to_contain_text("adder")
    page.get_by_role("link", name="By length").click()
    expect(page).to_have_url(f"{site.url}{BOARD}lengths/")
    page.locator("#figure-sums").scroll_into_view_if_needed()
    expect(page.locator("#figure-sums[data-drawn]")).to_be_visible(timeout=15_000)
    expect(page.locator("#figure-sums .bars path").first).to_be_attached()
    page.get_by_role("link", name="8", exact=True).click()
    expect(page.locator("#figure-sums")).to_contain_text("Exact sums: 8")
    page.get_by_role("link", name="first_four").first.click()
    page.locator("#figure-sum-length").scroll_into_view_if_needed()
    expect(page.locator("#figure-sum-length[data-drawn]")).to_be_visible(timeout=15_000)
    expect(page.get_by_role("heading", name="By length")).to_be_visible()
    assert faults == []


def test_a_stranger_answers_checks_and_submits_from_the_command_line(site, tmp_path):
    installed = f"{ROOT}:{site.folder / 'installed'}"

    def run(*words):
        done = site.command(tmp_path, *words, PYTHONPATH=installed, GOLDEVIDENCEBENCH_TOKEN=secret)
        assert done.returncode == 0, done.stderr
        return done.stdout

    secret = site.shell(
        "from django.contrib.auth import get_user_model as g; from leaderboard.accounts.models import ApiToken; "
        "ada = g().objects.create_user('ada'); "
        "print(ApiToken.objects.issue(user=ada, name='script', scopes=['read', 'submit'])[1])"
    ).splitlines()[-1]
    run("download", "toy/small", "--out", "rows.jsonl.gz")
    run(
        "run", "--suite", "toy", "--baseline", "first_four", "--data", "rows.jsonl.gz", "--out", "preds.jsonl"
    )
    assert "36 predictions, ready" in run(
        "validate", "--suite", "toy", "--data", "rows.jsonl.gz", "--pred", "preds.jsonl"
    )
    output = run("submit", "toy/small", "preds.jsonl", "--system", "Mine", "--wait")
    assert "0.6667" in output


@pytest.mark.parametrize(
    "path",
    [
        BOARD, f"{BOARD}?view=figures", f"{BOARD}?length=8", f"{BOARD}lengths/?length=4", "/versions/toy/small/",
        "/docs/?version=toy/small", "/docs/", "/versions/", "/systems/", "/history/",
        "/systems/site/adder/", "/systems/site/adder/?version=toy/small", "/feed.atom",
    ],
)  # fmt: skip
def test_every_page_answers(site, path):
    html = get(site, path).text
    assert "None" not in re.sub(r"<[^>]*>", "", html)


def test_the_api_ranks_by_a_part_of_its_rows_and_knows_its_words(site):
    board = get(site, f"{API}/leaderboard/toy/small", length="8").json()
    assert board["part"] == {"length": "8"}
    values = {item["system"]: item["headline"] for item in board["items"]}
    assert values["adder"] == 1.0
    assert values["first_four"] == 0.0
    wrong = httpx2.get(f"{site.url}{API}/leaderboard/toy/small", params={"length": "9"})
    assert wrong.status_code == 422
    parameters = {p["name"] for p in get(site, f"{API}/openapi.json").json()["paths"][
        "/api/v1/leaderboard/{benchmark}/{version}"]["get"]["parameters"]}  # fmt: skip
    assert {"length", "track", "condition", "notes"} <= parameters


def test_two_systems_are_compared_with_their_paired_differences(site):
    chosen = [shown(site, name) for name in ("adder", "first_four")]
    html = get(site, "/compare/?" + "&".join(f"s={one}" for one in chosen)).text
    assert "Exact sums" in html
    assert "Mean error" in html
    table = get(site, "/compare/differences.csv?" + "&".join(f"s={one}" for one in chosen)).text
    lines = {line["metric"]: line for line in csv.DictReader(io.StringIO(table))}
    assert lines["exact_sum"]["better"] == "higher"
    splits = get(site, "/compare/conditions.csv?" + "&".join(f"s={one}" for one in chosen)).text
    assert [line.split(",")[0] for line in splits.splitlines()] == ["condition", "2", "4", "8"]


def test_submissions_have_figures_rows_and_exports(site):
    one = shown(site, "first_four")
    metrics = get(site, f"{API}/submissions/{one}/metrics").json()
    assert "exact_sum" in f"{metrics}"
    rows = get(site, f"{API}/submissions/{one}/rows", length="8", limit="100").json()["items"]
    assert len(rows) == 12
    assert {row["failure"] for row in rows} == {"wrong_sum"}
    assert "What is the sum?" in get(site, f"/submissions/{one}/rows/?failure=wrong_sum").text
    for kind in ("csv", "json", "parquet"):
        assert get(site, f"{BOARD}export.{kind}").content


def test_the_guide_names_its_commands(site):
    html = get(site, "/docs/?version=toy/small").text
    assert "goldevidencebench run --suite toy --data toy-small.rows.jsonl.gz --out preds.jsonl" in html
    assert "goldevidencebench validate --suite toy --data toy-small.rows.jsonl.gz --pred preds.jsonl" in html
