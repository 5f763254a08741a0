"""Benches on a real site: a real Celery worker, the real llama.cpp, kill -9, and a browser."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.leaderboard.runs.gguf import tiny_model
from tests.live import LiveSite, kill, sign_in, wait_for

pytestmark = [pytest.mark.worker, pytest.mark.llama]
PASSWORD = "a-long-pass-phrase-1"
#: Slow enough to be cancelled and killed in the middle of a cell.
SLOW = {"width": 256, "layers": 6}
SETUP = f"""
from django.contrib.auth import get_user_model
from leaderboard.runs import model_files
sam = get_user_model().objects.create_superuser("sam", "sam@example.org", {PASSWORD!r})
model_files.register("slow.gguf", by=sam)
"""
START = """
from django.contrib.auth import get_user_model
from leaderboard.runs.benches import services as benches
from leaderboard.models import Bench, ModelFile
sam = get_user_model().objects.get(username="sam")
options = dict(suite="goldevidence", size="smoke", seeds=1, parts=["k", "authority"], started_by=sam)
options |= dict(executor="adapter:llama_cpp", model_file=ModelFile.objects.get(path="slow.gguf"))
pk = benches.start(**options, values=dict(threads=1, context=4096)).pk
print(pk)
"""
#: In the process that started it: another would take seconds to begin, and the bench might be over.
CANCEL = """
import time
bench = Bench.objects.get(pk=pk)
while not (bench.progress_done and bench.at_hand and 1 <= bench.at_hand["row"] < bench.at_hand["rows"]):
    time.sleep(0.05)
    bench.refresh_from_db()
benches.cancel(bench)
"""
STATE = (
    "select status, progress_done as done, at_hand, bars, report, error from leaderboard_bench where id = ?"
)
CHANGE = """
from leaderboard.runs.benches import services as benches
from leaderboard.models import Bench
benches.{verb}(Bench.objects.get(pk={pk!r}))
"""


@dataclass
class State:
    """A bench as the database has it."""

    status: str
    done: int
    at_hand: dict[str, Any]
    bars: list[dict[str, Any]]
    report: dict[str, Any] | None
    error: str
    events: list[str]


class Site(LiveSite):
    """A live site with a model, and benches of it."""

    def start_bench(self, then: str = "") -> str:
        return self.shell(START + then)

    def change(self, verb: str, pk: str) -> None:
        self.shell(CHANGE.format(verb=verb, pk=pk))

    def state(self, pk: str) -> State:
        with closing(sqlite3.connect(self.folder / "site.sqlite3", timeout=20)) as database:
            database.row_factory = sqlite3.Row
            key = pk.replace("-", "")
            found = dict(database.execute(STATE, [key]).fetchone())
            for name in ("at_hand", "bars", "report"):
                found[name] = json.loads(found[name]) if found[name] else None
            what = "select what from leaderboard_benchevent where bench_id = ? order by id"
            return State(**found, events=[row["what"] for row in database.execute(what, [key])])

    def wait_until(
        self, pk: str, check: Callable[[State], bool], what: str, *, seconds: float = 120
    ) -> State:
        def look() -> State | None:
            state = self.state(pk)
            return state if check(state) else None

        found: State = wait_for(look, seconds=seconds, what=what)
        return found

    def answered(self, pk: str) -> dict[str, bytes]:
        """The saved answers, by their file; a cell that broke off has some."""
        folder = self.folder / "benches" / pk
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("preds.jsonl")}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    live = Site(tmp_path_factory.mktemp("site"))
    with live:
        tiny_model(live.folder / "models", "slow.gguf", **SLOW)
        live.shell(SETUP)
        live.start_worker()
        yield live


@pytest.fixture(scope="module")
def undisturbed(site: Site) -> State:
    """The state of a bench that nothing interrupts."""
    return site.wait_until(
        site.start_bench(), lambda state: state.status != "queued" and bool(state.bars), "it"
    )


def figures(state: State) -> dict[str, Any]:
    """The figures of a report, without durations."""
    assert state.report is not None
    kept = []
    for part in state.report["parts"]:
        if part.get("heading") == "Efficiency":
            break
        kept.append(part)
    return {"bars": state.bars, "parts": kept}


def test_a_bench_is_run_by_a_worker_and_reported(undisturbed: State) -> None:
    assert (undisturbed.status, undisturbed.error) == ("finished", "")
    assert undisturbed.done == 6
    assert [bar["name"] for bar in undisturbed.bars] == ["selection", "notes", "authority"]
    assert undisturbed.events[-1].startswith("Finished")


def in_the_middle(state: State) -> bool:
    return bool(state.done >= 1 and state.at_hand and 1 <= state.at_hand["row"] < state.at_hand["rows"])


def test_a_cancelled_bench_goes_on_within_its_cell_and_finds_the_same(site: Site, undisturbed: State) -> None:
    pk = site.start_bench(CANCEL)
    state = site.wait_until(pk, lambda state: state.status == "cancelled", "the cancel", seconds=20)
    assert state.done < 6
    before = site.answered(pk)
    site.change("resume", pk)
    went_on = wait_for(lambda: site.answered(pk) or None, seconds=60, what="the answers")
    assert all(went_on[name].startswith(lines) for name, lines in before.items())
    state = site.wait_until(pk, lambda state: state.status == "finished", "the resumed bench")
    assert figures(state) == figures(undisturbed)
    assert "Cancelled; answers are saved" in state.events
    assert "Queued again" in state.events


def test_a_bench_whose_worker_is_killed_is_picked_up_again_and_finds_the_same(
    site: Site, undisturbed: State
) -> None:
    pk = site.start_bench()
    site.wait_until(pk, in_the_middle, "a cell at hand")
    for process in site.processes:
        kill(process)
    before = site.answered(pk)
    assert site.state(pk).status == "running"
    site.start_worker()
    state = site.wait_until(pk, lambda state: state.status == "finished", "the picked-up bench")
    assert figures(state) == figures(undisturbed)
    assert len(before) >= 1
    assert any("after its worker died" in event for event in state.events)
    folder = site.folder / "benches" / pk
    wait_for(lambda: not folder.exists(), seconds=10, what="the end of the folder of a finished bench")


@pytest.mark.browser
def test_staff_start_a_bench_watch_its_cells_cancel_resume_and_read_the_report(
    site: Site, new_page: Any
) -> None:
    site.start_web()
    page = new_page()
    sign_in(page, site, "sam", PASSWORD)
    page.goto(f"{site.url}/models/1/")
    page.get_by_role("link", name="Bench it").click()
    expect(page.get_by_label("Model file").locator("option:checked")).to_have_text(re.compile("tiny|slow"))
    page.get_by_label("Size").select_option("smoke")
    page.get_by_label("Seeds").fill("1")
    for part in ("Candidates", "Authority A/B"):
        page.locator(".chip", has_text=part).click()
    page.get_by_text("each at its default").click()
    page.get_by_label("threads").fill("1")
    page.get_by_label("context", exact=True).fill("4096")
    page.get_by_label("context", exact=True).blur()
    expect(page.locator("#bench-estimate")).to_contain_text("6 cells, 24 rows")
    page.get_by_role("button", name="Calibrate").click()
    expect(page.locator("#bench-estimate")).to_contain_text("calibrated on", timeout=90_000)
    page.get_by_role("button", name="Start the bench").click()

    status = page.locator("#bench-status")
    expect(status.locator("i.done").first).to_be_visible(timeout=60_000)
    expect(status.locator(".bench-cell")).to_contain_text("seed0", timeout=60_000)
    page.get_by_role("button", name="Cancel").click()
    expect(status).to_contain_text("Cancelled", timeout=20_000)
    expect(page.get_by_text("parts that were finished when the bench last stopped")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect(status).to_contain_text("Finished", timeout=120_000)
    expect(page.get_by_role("heading", name="Bars", exact=True)).to_be_visible()
    expect(page.locator(".bench-report svg.chart")).to_have_count(2)
    expect(page.locator(".bench-report .bar-mark.fail").first).to_be_visible()
    expect(page.locator("#run-events")).to_contain_text("Queued again")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the files").click()
    with zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes())) as archive:
        assert "bench.json" in archive.namelist()
    page.get_by_role("link", name="Benches", exact=True).first.click()
    expect(page.locator("#benches tbody tr").first).to_contain_text("fail")
