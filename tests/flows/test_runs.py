"""Runs on a real site: a real Celery worker, the real llama.cpp, kill -9, and a browser."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.leaderboard.runs.gguf import SMALL_ORDER_BIAS, tiny_model
from tests.live import LiveSite, kill, sign_in, wait_for

pytestmark = [pytest.mark.worker, pytest.mark.llama]
PASSWORD = "a-long-pass-phrase-1"
#: Slow enough to be cancelled and killed in the middle: a second or two a row.
SLOW = {"width": 320, "layers": 7}
#: Half of the rows, long and short ones.
HALF = ["closed_book", "k4-gold_first"]
SETUP = f"""
from django.contrib.auth import get_user_model
from leaderboard.benchmarks import freezing
from leaderboard.models import Benchmark, Preset
get_user_model().objects.create_superuser("sam", "sam@example.org", {PASSWORD!r})
benchmark = Benchmark.objects.get(suite="goldevidence")
named = dict(benchmark=benchmark, name="small", title="Small")
preset = Preset.objects.create(settings={SMALL_ORDER_BIAS!r}, **named)
version = freezing.start(preset=preset, open_demo=True, wake_worker=False)
assert freezing.freeze(version.pk)
"""
START = """
from django.contrib.auth import get_user_model
from leaderboard.runs import model_files, services as runs
from leaderboard.models import ModelFile, Version
sam = get_user_model().objects.get(username="sam")
model = ModelFile.objects.filter(path={file!r}).first() or model_files.register({file!r}, by=sam)
options = dict(model_file=model, started_by=sam, values={values!r}, splits={splits!r})
print(runs.start(version=Version.objects.get(), executor="adapter:llama_cpp", **options).pk)
"""
STATE = """
select run.status, run.lease_until as lease, run.progress_done as done, run.progress_total as total,
       run.error, run.provenance,
       submission.row_count as rows, submission.verified, score.groups
from leaderboard_run run
left join leaderboard_submission submission on submission.id = run.submission_id
left join leaderboard_score score on score.id = submission.score_id
where run.id = ?
"""
CHANGE = """
from leaderboard.runs import services as runs
from leaderboard.models import Run
runs.{verb}(Run.objects.get(pk={pk!r}))
"""


@dataclass
class State:
    """A run and its results, as the database has them."""

    status: str
    lease: str | None
    done: int
    total: int
    error: str
    provenance: dict[str, Any]
    rows: int | None
    verified: bool | None
    groups: dict[str, Any] | None
    events: list[str]

    @property
    def over(self) -> bool:
        """Whether it failed, or is finished and graded."""
        return self.status == "failed" or self.groups is not None


class Site(LiveSite):
    """A live site with a small version, and runs over it."""

    def start_run(self, file: str, splits: list[str] | None = None, **values: Any) -> str:
        """Start a run with one thread: on a busy machine several would mostly wait for each other."""
        values["threads"] = 1
        return self.shell(START.format(file=file, values=values, splits=splits or []))

    def change(self, verb: str, pk: str) -> None:
        self.shell(CHANGE.format(verb=verb, pk=pk))

    def state(self, pk: str) -> State:
        """The state, read straight from the database file: starting Django takes longer than a row does."""
        with closing(sqlite3.connect(self.folder / "site.sqlite3", timeout=20)) as database:
            database.row_factory = sqlite3.Row
            key = pk.replace("-", "")
            result = dict(database.execute(STATE, [key]).fetchone())
            events = database.execute(
                "select what from leaderboard_runevent where run_id = ? order by id", [key]
            )
            for name in ("provenance", "groups"):
                result[name] = json.loads(result[name]) if result[name] else None
            return State(**result, events=[row["what"] for row in events])

    def wait_until(self, pk: str, check: Callable[[State], bool], what: str, *, seconds: float = 60) -> State:
        def look() -> State | None:
            state = self.state(pk)
            return state if check(state) else None

        result: State = wait_for(look, seconds=seconds, what=what)
        return result

    def saved(self, pk: str) -> list[str]:
        """The ids of the answered rows, in the order of their lines."""
        path = self.folder / "runs" / f"{pk}.jsonl"
        lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
        return [json.loads(line)["id"] for line in lines]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    with Site(tmp_path_factory.mktemp("site")) as live:
        live.shell(SETUP)
        tiny_model(live.folder / "models", "quick.gguf")
        tiny_model(live.folder / "models", "slow.gguf", **SLOW)
        live.start_worker()
        yield live


def test_a_run_is_executed_graded_and_verified_with_decomposition_and_provenance(site):
    state = site.wait_until(site.start_run("quick.gguf"), lambda state: state.over, "the run")
    assert (state.status, state.error) == ("finished", "")
    assert state.verified
    assert state.done == state.total == state.rows
    assert {"k4-gold_first", "k4-gold_last"} <= state.groups["condition"].keys()
    assert len(state.provenance["model"]["sha256"]) == 64


def test_cancel_stops_within_a_row_and_resume_goes_on_from_the_last_saved_one(site):
    pk = site.start_run("slow.gguf", HALF, parallel=1)
    site.wait_until(pk, lambda state: state.done >= 2, "the first rows")
    site.change("cancel", pk)
    state = site.wait_until(pk, lambda state: state.status == "cancelled", "the cancel", seconds=8)
    before = site.saved(pk)
    assert 2 <= len(before) < state.total
    site.change("resume", pk)
    site.wait_until(pk, lambda state: state.done > len(before), "the resumed run")
    assert site.saved(pk)[: len(before)] == before
    state = site.wait_until(pk, lambda state: state.over, "the resumed run", seconds=120)
    assert state.rows == state.total
    assert "Cancelled; answers are saved" in state.events
    assert "Queued again" in state.events


def test_a_run_whose_worker_is_killed_goes_on_with_no_row_lost_or_doubled(site):
    pk = site.start_run("slow.gguf", HALF, parallel=2, seed=1)
    site.wait_until(pk, lambda state: state.done >= 3, "the first rows")
    for process in site.processes:
        kill(process)
    before = site.saved(pk)
    assert site.state(pk).status == "running"
    site.start_worker()
    site.wait_until(pk, lambda state: state.done > len(before), "the reaper")
    after = site.saved(pk)
    assert after[: len(before)] == before
    assert len(set(after)) == len(after)
    state = site.wait_until(pk, lambda state: state.over, "the picked-up run", seconds=120)
    assert state.status == "finished"
    assert state.rows == state.total
    assert any("after its worker died" in event for event in state.events)


def test_the_same_from_the_shell(site):
    words = ["run_model", "goldevidencebench/small", "--adapter", "llama_cpp", "--model", "quick.gguf"]
    output = site.manage(
        *words, "--set", "mode=select", "--set", "threads=1", "--conditions", "k4-gold_first", "k4-gold_last"
    )
    assert "picks a line of the whole text" in output
    assert "/submissions/" in output


@pytest.mark.browser
def test_staff_register_a_model_start_a_run_watch_cancel_resume_and_see_the_verified_result(site, new_page):
    tiny_model(site.folder / "models", "shown.gguf", seed=7, width=192, layers=4)
    (site.folder / "models" / "broken.gguf").write_bytes(b"GGUF and no more")
    site.start_web()
    page = new_page()
    sign_in(page, site, "sam", PASSWORD)
    page.goto(f"{site.url}/models/")
    page.get_by_label("File in the folder").select_option("broken.gguf")
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_role("alert")).to_contain_text("broken.gguf is not a whole GGUF file")
    page.get_by_label("File in the folder").select_option("shown.gguf")
    page.get_by_role("button", name="Register").click()
    expect(page.get_by_text("llama", exact=True)).to_be_visible()

    page.get_by_role("link", name="Run it").click()
    expect(page.get_by_label("Model file").locator("option:checked")).to_have_text(re.compile("shown|tiny"))
    page.get_by_text("k4-gold_first", exact=True).click()
    page.get_by_text("k4-gold_last", exact=True).click()
    page.get_by_text("each at its default").click()
    page.get_by_label("threads").fill("1")
    page.get_by_label("parallel").fill("1")
    page.get_by_label("parallel").blur()
    expect(page.locator("#run-estimate")).to_contain_text("not known yet")
    page.get_by_role("button", name="Calibrate").click()
    expect(page.locator("#run-estimate")).to_contain_text("calibrated on", timeout=60_000)
    page.get_by_role("button", name="Start the run").click()

    status = page.locator("#run-status")
    expect(status).to_contain_text(re.compile(r"[1-9]\d* of \d+"), timeout=60_000)
    expect(status).to_contain_text("left")
    page.get_by_role("button", name="Cancel").click()
    expect(status).to_contain_text("Cancelled", timeout=15_000)
    page.get_by_role("button", name="Resume").click()
    expect(status).to_contain_text("Finished", timeout=120_000)
    expect(page.locator("#run-events")).to_contain_text("Queued again")
    page.get_by_role("link", name="See the result").click()
    expect(page.get_by_text("verified").first).to_be_visible()
    expect(page.get_by_role("heading", name="How it was made")).to_be_visible()
    expect(page.locator(".provenance")).to_contain_text("Model SHA-256")
    expect(page.locator("summary", has_text="Condition").first).to_be_visible(timeout=30_000)


def test_a_row_may_take_longer_than_the_lease(site):
    for process in site.processes:
        kill(process)
    site.env["LEASE_SECONDS"] = "2"
    site.start_worker()
    pk = site.start_run("slow.gguf", ["closed_book"], parallel=1, reuse_prefix=False)
    leases: set[str | None] = set()

    def first_row(state: State) -> bool:
        leases.add(state.lease)
        return state.done > 0

    state = site.wait_until(pk, first_row, "a row", seconds=120)
    assert len(leases - {None}) >= 3
    assert state.events == ["Queued", next(event for event in state.events if event.startswith("Started"))]
