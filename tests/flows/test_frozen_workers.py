"""Real workers suspended, continued, told to stop and killed: the holder of the lease writes the one result."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from typing import Any

import psycopg
import pytest

from tests.flows.test_durability import SLOWLY, prepare
from tests.live import LiveSite, kill, wait_for
from tests.services import postgres

pytestmark = [pytest.mark.worker, pytest.mark.xdist_group("live")]
QUEUED = """
from leaderboard.jobs import dispatch
from leaderboard.submissions import services as submissions
from leaderboard.models import Submission
dispatch.enqueue = lambda *args: None
submissions.regrade(Submission.objects.get())
"""
DRAFT = """
from leaderboard.benchmarks import freezing
from leaderboard.models import Preset, Submission
Submission.objects.update(status="withdrawn")
preset = Preset.objects.get()
preset.settings["generator"]["episodes"] = 25
freezing.start(preset=preset, wake_worker=False)
"""
#: All that an outcome consists of, to compare before and after.
EVERYTHING = """
import json
from django.core.serializers import serialize
from leaderboard.models import Event, Score, Submission, Version
print(json.dumps([serialize("json", model.objects.order_by("pk")) for model in (Submission, Score, Event, Version)]))
"""
LATE = "expired or was taken by another worker: nothing was written"


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def live(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    """A site with a submission that takes some seconds to grade."""
    with ExitStack() as stack:
        url = stack.enter_context(postgres()) if request.param == "postgres" else ""
        folder, times = tmp_path_factory.mktemp("site"), {"LEASE_SECONDS": "3", "REAP_SECONDS": "1"}
        live_site = stack.enter_context(LiveSite(folder, database_url=url, WARM=SLOWLY, **times))
        prepare(live_site, episodes=20)
        yield live_site


@pytest.fixture
def site(live: LiveSite) -> Iterator[LiveSite]:
    """The site with its submission queued again, and no worker."""
    live.shell(QUEUED)
    yield live
    while live.processes:
        kill(live.processes.pop())


def row(site: LiveSite, columns: str, table: str = "submission") -> tuple[Any, ...]:
    """The newest row, read without Django, to catch a worker at work."""
    query = f"SELECT {columns} FROM leaderboard_{table} ORDER BY created_at DESC LIMIT 1"
    if url := site.env.get("DATABASE_URL"):
        with psycopg.connect(url) as database:
            return tuple(database.execute(query).fetchone() or ())
    with closing(sqlite3.connect(site.folder / "site.sqlite3", timeout=20)) as database:
        return tuple(database.execute(query).fetchone())


def at_work(site: LiveSite, table: str) -> Callable[[], bool]:
    return lambda: (
        row(site, "status, progress_done > 0", table)
        in (
            ("grading", True),
            ("freezing", True),
            ("grading", 1),
            ("freezing", 1),
        )
    )


@pytest.mark.parametrize(
    ("live", "table", "done"),
    [
        ("sqlite", "submission", "graded"),
        pytest.param("postgres", "submission", "graded", marks=pytest.mark.postgres),
        pytest.param("postgres", "version", "frozen", marks=pytest.mark.postgres),
    ],
    indirect=["live"],
)
def test_a_worker_frozen_past_its_lease_writes_nothing_when_it_goes_on(
    site: LiveSite, table: str, done: str
) -> None:
    if table == "version":
        site.shell(DRAFT)
    first = site.start_worker()
    wait_for(at_work(site, table), seconds=90, what="the first worker", every=0.01)
    os.killpg(first.pid, signal.SIGSTOP)
    assert row(site, "status", table) != (done,)
    site.start_worker()
    released = (done, True)
    wait_for(
        lambda: row(site, "status, lease_until IS NULL", table) == released,
        seconds=120,
        what="the second worker",
    )
    before = json.loads(site.shell(EVERYTHING))
    os.killpg(first.pid, signal.SIGCONT)
    log = site.folder / f"worker{len(site.processes) - 2}.log"
    wait_for(lambda: LATE in log.read_text(), seconds=60, what="the first worker to find its lease gone")
    assert json.loads(site.shell(EVERYTHING)) == before
    assert row(site, "attempts, status", table) == (2, done)
    assert "ok" in site.manage("verify_versions")


def test_a_worker_that_is_told_to_stop_and_killed_costs_the_file_no_attempt(site: LiveSite) -> None:
    worker = site.start_worker()
    wait_for(at_work(site, "submission"), seconds=90, what="the worker", every=0.01)
    os.kill(worker.pid, signal.SIGTERM)
    wait_for(lambda: row(site, "attempts") == (0,), seconds=10, what="its attempt back", every=0.01)
    assert row(site, "status") == ("grading",)
    kill(worker)
    site.start_worker()
    wait_for(lambda: row(site, "status") == ("graded",), seconds=120, what="the next worker")
    assert row(site, "attempts") == (1,)


def test_a_storage_that_is_away_for_a_while_fails_nothing(site: LiveSite) -> None:
    folder, away = site.folder / "artifacts", site.folder / "away"
    folder.rename(away)
    site.start_worker()
    wait_for(lambda: row(site, "faults") == (1,), seconds=60, what="the worker to find no storage")
    status, error, attempts = row(site, "status, error, attempts")
    assert (status, attempts) == ("queued", 0)
    assert error.startswith("Waiting: a file of this site is missing.")
    away.rename(folder)
    again = ("graded", 0, "")
    wait_for(lambda: row(site, "status, faults, error") == again, seconds=90, what="another try by itself")
    assert row(site, "attempts") == (1,)
