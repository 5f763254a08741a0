"""Faults that only PostgreSQL shows: concurrent changes of a row, and characters that it cannot store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.leaderboard.conftest import TINY
from tests.live import LiveSite
from tests.services import postgres

pytestmark = [pytest.mark.postgres, pytest.mark.xdist_group("live")]

GRADED = f"""
import json, threading
from pathlib import Path
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from evaluation.core import jsonl
from leaderboard.jobs import dispatch
from leaderboard.benchmarks import freezing, storage
from leaderboard.runs import services as runs
from leaderboard.submissions import services as submissions
from leaderboard.submissions.services import grading
from leaderboard.models import Benchmark, Preset, Run, Submission, System, Version
dispatch.enqueue = lambda *words: None
benchmark = Benchmark.objects.get(suite="goldevidence")
preset = Preset.objects.create(benchmark=benchmark, name="tiny", settings={TINY!r})
assert freezing.freeze(freezing.start(preset=preset, open_demo=True, wake_worker=False).pk)
version = Version.objects.select_related("benchmark").get()
user = get_user_model().objects.create_user("ada")
system = System.objects.create(owner=user, name="Mine")
ledger = version.suite.systems()["ledger"].build()
jsonl.write(PATH, [ledger.predict(row) for row in storage.rows(version.rows_sha256)])

def submit():
    made = submissions.create(submissions.accept(version, PATH), system=system, submitter=user)
    assert submissions.grade(str(made.pk))
    return made.pk
"""
AT_ONCE = """
first, second = submit(), submit()
faults = []

def flip(key):
    for turn in range(40):
        try:
            made = Submission.objects.get(pk=key)
            submissions.set_visibility(made, ("private", "public")[turn % 2], actor=user)
        except Exception as error:
            faults.append(f"{type(error).__name__}: {error}")
    connection.close()

threads = [threading.Thread(target=flip, args=(key,)) for key in (first, second) * 2]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
made = Submission.objects.get(pk=first)
submissions.set_visibility(made, "public", actor=user)
print(json.dumps([sorted(set(faults)), Submission.objects.filter(shown=True).count()]))
"""
#: The server ends the connection in the middle of a grading, as it does when it is started again.
DROPPED = """
def dropped(*_):
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

made = submissions.create(submissions.accept(version, PATH), system=system, submitter=user)
report, grading._report = grading._report, dropped
assert not submissions.grade(str(made.pk))
row = Submission.objects.get(pk=made.pk)
waits = [row.status, row.attempts, row.faults, row.error]
Submission.objects.update(next_attempt_at=None)
grading._report = report
graded = submissions.grade(str(made.pk))

run = runs.start(version=version, executor="ledger", started_by=user, wake_worker=False)
accept, submissions.accept = submissions.accept, lambda *_, **__: dropped()
assert not runs.execute(str(run.pk))
submissions.accept = accept
row = Run.objects.get(pk=run.pk)
run_waits = [row.status, row.attempts, row.faults, row.error]
Run.objects.update(next_attempt_at=None)
print(json.dumps([waits, graded, run_waits, runs.execute(str(run.pk))]))
"""
WITH_NUL = """
client = Client(raise_request_exception=False)
client.force_login(user)

def send(vector, **more):
    report = {"implementation": "mine", "vectors": [{"name": "basic_supersession", "passed": True} | vector]} | more
    file = SimpleUploadedFile("report.json", json.dumps(report).encode())
    return client.post("/conformance/upload/", {"system": system.pk, "file": file}).status_code

print(json.dumps([
    send({"evidence": "a\\0b"}),
    send({"evidence": "a\\0b", "passed": False}),
    send({"requirements": ["Q1\\0"], "failed": ["\\0"], "passed": False}),
    send({"name": "v\\0"}),
    send({}, implementation="mine\\0"),
    send({}, vectors_sha256="\\0" * 64),
]))
"""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[LiveSite]:
    with postgres() as url, LiveSite(tmp_path, database_url=url) as live_site:
        yield live_site


def run(site: LiveSite, code: str) -> object:
    return json.loads(
        site.shell(f"PATH = {str(site.folder / 'preds.jsonl')!r}" + GRADED + code).splitlines()[-1]
    )


def test_visibility_changed_by_several_at_once_leaves_one_submission_on_the_board(site: LiveSite) -> None:
    assert run(site, AT_ONCE) == [[], 1]


def test_a_connection_that_the_server_ends_has_gradings_and_runs_wait(site: LiveSite) -> None:
    reason = "Waiting: the database is not reachable. The next attempt starts automatically."
    assert run(site, DROPPED) == [["queued", 0, 1, reason], True] * 2


def test_a_report_with_a_nul_is_kept_without_it_or_refused(site: LiveSite) -> None:
    assert run(site, WITH_NUL) == [302, 302, 302, 422, 422, 422]


PERIODIC = """
import threading
from django.db import connection
from leaderboard.jobs import dispatch, keeper
from leaderboard.models import DelayedTask
sent = []
dispatch.enqueue = lambda task, *args: sent.append(args)

def at_once(call):
    def work():
        call()
        connection.close()
    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

at_once(lambda: dispatch.enqueue_later("place_version", 7, seconds=-1))
assert DelayedTask.objects.count() == 1, "one task waits"
done = []
at_once(lambda: keeper.Keeper(lambda: done.append(1)).tick())
print(len(done), sent, keeper.is_late())
"""


def test_of_workers_that_start_at_once_one_does_the_periodic_work(tmp_path: Path) -> None:
    with postgres() as url, LiveSite(tmp_path, database_url=url) as site:
        assert site.shell(PERIODIC) == "1 [(7,)] False"
