"""A worker killed in mid-grade, a broker that dies: nothing is lost, nothing is graded twice."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.live import LiveSite, free_port, kill, wait_for
from tests.services import listens, postgres, redis

pytestmark = pytest.mark.worker
SLOWLY = "tests.flows.slowly"

#: A message that a worker has in hand for a while, as an earlier release sent them.
IN_HAND = """
from celery import current_app
current_app.send_task("leaderboard.tasks.run_conformance", countdown=600)
"""
AGAIN = """
import time
from leaderboard.jobs import dispatch
from leaderboard.models import Submission
Submission.objects.update(status="queued")
while dispatch.enqueue("grade_submission", str(Submission.objects.get().pk)):  # a busy machine takes longer to connect
    time.sleep(0.1)
"""
SETUP = """
from django.contrib.auth import get_user_model
from evaluation.core import jsonl
from leaderboard.jobs import dispatch
from leaderboard.benchmarks import freezing, storage
from leaderboard.submissions import services as submissions
from leaderboard.models import Benchmark, Preset, System
dispatch.enqueue = lambda *args: None
user = get_user_model().objects.create_user("ada")
values = {"generator": {"episodes": EPISODES, "steps": 80, "queries": 12}, "conditions": [{"k": 4, "order": "shuffle"}]}
preset = Preset.objects.create(benchmark=Benchmark.objects.get(suite="goldevidence"), name="big", settings=values)
version = freezing.start(preset=preset, open_demo=True, wake_worker=False)
assert freezing.freeze(version.pk)
version.refresh_from_db()
reader = version.suite.systems()["ledger"].build()
path = "PATH"
jsonl.write(path, (reader.predict(row) for row in storage.rows(version.rows_sha256)))
system = System.objects.create(owner=user, name="Reader")
print(submissions.create(submissions.accept(version, path), system=system, submitter=user).pk)
"""
STATE = (
    "from leaderboard.models import *; import json; s = Submission.objects.get(); "
    "print(json.dumps([s.status, s.attempts, s.scores.count(), s.events.filter(kind='graded').count(), s.shown]))"
)


def state(site: LiveSite) -> tuple:
    return tuple(json.loads(site.shell(STATE)))


def status_in(folder: Path) -> str:
    """The submission's status, read without Django, to catch a worker at work."""
    with closing(sqlite3.connect(folder / "site.sqlite3")) as database:
        result: str = database.execute("SELECT status FROM leaderboard_submission").fetchone()[0]
        return result


def prepare(site: LiveSite, *, episodes: int) -> None:
    code = SETUP.replace("PATH", str(site.folder / "preds.jsonl")).replace("EPISODES", str(episodes))
    site.shell(code)


def test_a_worker_killed_in_mid_grade_is_not_noticed(tmp_path):
    with LiveSite(tmp_path, WARM=SLOWLY) as site:
        prepare(site, episodes=20)
        first = site.start_worker()
        wait_for(lambda: status_in(tmp_path) == "grading", seconds=60, what="the first worker", every=0.01)
        kill(first)
        assert state(site)[0] == "grading"
        site.start_worker()
        wait_for(lambda: state(site)[0] == "graded", seconds=90, what="the second worker")
        status, attempts, scores, graded, shown = state(site)
        assert (status, scores, graded, shown) == ("graded", 1, 1, True)
        assert attempts == 2


@pytest.mark.redis
@pytest.mark.postgres
def test_a_restarted_redis_delays_a_submission_on_postgresql_and_loses_nothing(tmp_path):
    port = free_port()
    with (
        postgres() as database,
        LiveSite(tmp_path, database_url=database, broker_url=f"redis://127.0.0.1:{port}/0") as site,
    ):
        prepare(site, episodes=2)  # the broker is away while the submission is made
        assert state(site)[:2] == ("queued", 0)
        with redis(tmp_path, port=port):
            site.start_worker()
            wait_for(lambda: state(site)[0] == "graded", seconds=90, what="the reaper")
        assert state(site)[2:] == (1, 1, True)
        assert "ok" in site.manage("verify_versions")


@pytest.mark.redis
def test_a_worker_with_a_message_in_hand_outlives_redis(tmp_path):
    port, log = free_port(), tmp_path / "worker0.log"
    with LiveSite(tmp_path, broker_url=f"redis://127.0.0.1:{port}/0") as site:
        prepare(site, episodes=2)
        with redis(tmp_path, port=port):
            wait_for(lambda: listens(port), seconds=10, what="Redis")
            site.shell(IN_HAND)
            worker = site.start_worker("grading")
            wait_for(lambda: "run_conformance" in log.read_text(), seconds=60, what="the message")
            wait_for(lambda: status_in(tmp_path) == "graded", seconds=60, what="the reaper")
        time.sleep(2)  # it is away when the worker asks for it
        assert worker.poll() is None, log.read_text()
        with redis(tmp_path, port=port):
            wait_for(lambda: listens(port), seconds=10, what="Redis")
            site.shell(AGAIN)
            wait_for(lambda: status_in(tmp_path) == "graded", seconds=60, what="the same worker")
        assert worker.poll() is None
