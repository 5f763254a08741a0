"""Temporary faults: work waits and continues by itself, no quota is lost, nothing becomes a score of 0."""

from __future__ import annotations

import errno
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from django.core.files.storage import storages
from django.db import InterfaceError, OperationalError
from django.urls import reverse

from evaluation.core.errors import RowError
from leaderboard.benchmarks import freezing, storage
from leaderboard.benchmarks.sealing import verifying
from leaderboard.jobs import faults
from leaderboard.runs import services as runs
from leaderboard.submissions import quotas
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Event, Submission
from leaderboard.submissions.services import grading
from tests.leaderboard.benchmarks import full_disks
from tests.leaderboard.jobs.workers import fresh, seconds_to_wait, wait_is_over
from tests.leaderboard.runs.running import history

PASSING = [
    (OSError(errno.ENOSPC, "No space left on device"), "the disk is full"),
    (OSError(errno.EIO, "Input/output error", "/secret/path"), "the storage is not reachable"),
    (ConnectionResetError("by peer"), "the storage is not reachable"),
    (TimeoutError(), "the storage is not reachable"),
    (EndpointConnectionError(endpoint_url="https://secret"), "the storage is not reachable"),
    (
        ClientError({"Error": {"Code": "503", "Message": "SlowDown"}}, "GetObject"),
        "the storage is not reachable",
    ),
    (OperationalError("server closed the connection"), "the database is not reachable"),
    (InterfaceError("connection already closed"), "the database is not reachable"),
    (storage.MissingFileError("abc is missing"), "a file of this site is missing"),
]


@pytest.mark.parametrize(("error", "reason"), PASSING, ids=lambda value: str(value)[:30])
def test_temporary_faults_are_known_and_described_without_a_path(error, reason):
    assert faults.passing(error) == reason


@pytest.mark.parametrize(
    "error", [storage.DamagedFileError("torn"), ZeroDivisionError(), RowError("no"), MemoryError(), None]
)
def test_permanent_faults_are_not_waited_for(error):
    assert faults.passing(error) == ""


def test_a_fault_behind_another_error_is_found():
    outer = RuntimeError("writing")
    outer.__cause__ = OSError(errno.ENOSPC, "full")
    assert faults.passing(outer) == faults.FULL


@pytest.mark.parametrize(("error", "reason"), PASSING, ids=lambda value: str(value)[:30])
def test_a_grading_waits_longer_and_longer_for_a_fault_to_pass_and_never_fails(
    version, system, submit, monkeypatch, error, reason
):
    made = submit(version, system, grade=False)
    with monkeypatch.context() as away:
        away.setattr(grading, "_report", lambda *_: (_ for _ in ()).throw(error))
        for seconds in (15, 60, 300, 900, *[3600] * 20):
            assert not submissions.grade(str(made.pk))
            row = fresh(made)
            assert (row.status, row.attempts, row.score, row.lease_until) == ("queued", 0, None, None)
            assert row.error == f"Waiting: {reason}. The next attempt starts automatically."
            assert seconds_to_wait(made) == pytest.approx(seconds, abs=2)
            wait_is_over(made)
    assert submissions.grade(str(made.pk))
    row = fresh(made)
    assert (row.status, row.attempts, row.faults, row.error) == ("graded", 1, 0, "")
    assert not Event.objects.filter(kind="failed").exists()
    assert quotas.quota_for(made.submitter).used == 1


def test_a_grading_that_waits_is_not_taken_before_its_time(version, system, submit, monkeypatch):
    made = submit(version, system, grade=False)
    with monkeypatch.context() as away:
        away.setattr(grading, "_report", lambda *_: (_ for _ in ()).throw(OSError("away")))
        submissions.grade(str(made.pk))
    assert not submissions.grade(str(made.pk))
    assert fresh(made).attempts == 0


def test_what_is_withdrawn_while_its_grading_meets_a_fault_stays_withdrawn(
    version, system, submit, user, monkeypatch
):
    made = submit(version, system, grade=False)

    def withdrawn(*_):
        submissions.withdraw(Submission.objects.get(pk=made.pk), actor=user)
        raise OSError("away")

    monkeypatch.setattr(grading, "_report", withdrawn)
    assert not submissions.grade(str(made.pk))
    assert (fresh(made).status, fresh(made).next_attempt_at) == ("withdrawn", None)


@pytest.fixture
def cramped(settings):
    """Limit files to a hundred bytes; a call makes room again."""
    whole = settings.STORAGES

    def make_room() -> None:
        settings.STORAGES = whole

    def fill() -> Any:
        options = whole["artifacts"]["OPTIONS"]
        settings.STORAGES = whole | {
            "artifacts": {"BACKEND": f"{full_disks.HERE}.CrampedDisk", "OPTIONS": options}
        }
        return make_room

    return fill


def test_a_freeze_on_a_full_disk_seals_nothing_and_goes_on_when_there_is_room(make_version, version, cramped):
    draft = freezing.start(preset=version.preset, wake_worker=False)
    make_room = cramped()
    assert not freezing.freeze(draft.pk)
    row = fresh(draft)
    assert (row.status, row.sha256, row.rows_sha256) == ("draft", "", "")
    assert row.error == "Waiting: the disk is full. The next attempt starts automatically."
    make_room()
    assert not freezing.freeze(draft.pk)
    wait_is_over(draft)
    assert freezing.freeze(draft.pk)
    assert verifying.verify(draft.pk)


@pytest.mark.parametrize("which", ["rows_sha256", "gold_sha256"])
def test_a_torn_file_of_an_earlier_freeze_is_never_sealed(version, which):
    path = Path(storages["artifacts"].path(storage.name_of(getattr(version, which))))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    again = freezing.start(preset=version.preset, open_demo=True, wake_worker=False)
    assert freezing.freeze(again.pk)
    assert verifying.verify(again.pk)
    assert verifying.verify(version.pk)


def test_a_bucket_that_keeps_half_of_a_file_gets_no_version_frozen(version, settings):
    draft = freezing.start(preset=version.preset, wake_worker=False)
    settings.STORAGES = settings.STORAGES | {
        "artifacts": {"BACKEND": f"{full_disks.HERE}.ForgetfulBucket", "OPTIONS": {}}
    }
    assert not freezing.freeze(draft.pk)
    assert (fresh(draft).status, fresh(draft).sha256) == ("failed", "")


def test_a_run_on_a_full_disk_waits_with_what_is_answered(small, staff, cramped):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    make_room = cramped()
    assert not runs.execute(str(run.pk))
    row = fresh(run)
    assert (row.status, row.attempts, row.progress_done) == ("queued", 0, small.row_count)
    assert history(run)[-1] == "Waiting: the disk is full; answers are saved"
    make_room()
    wait_is_over(run)
    assert runs.execute(str(run.pk))
    assert "after a fault of this site" in history(run)[-2]
    assert (fresh(run).status, fresh(run).error, fresh(run).faults) == ("finished", "", 0)
    assert Submission.objects.count() == 1


def test_a_run_that_waits_is_cancelled_at_once(small, staff, cramped):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    cramped()
    runs.execute(str(run.pk))
    runs.cancel(run, actor=staff)
    assert (fresh(run).status, fresh(run).next_attempt_at, fresh(run).error) == ("cancelled", None, "")


def test_a_run_that_was_asked_to_stop_does_not_wait_for_a_fault_first(small, staff, monkeypatch):
    run = runs.start(version=small, executor="ledger", started_by=staff)

    def stopped_and_broken(*_):
        runs.cancel(run, actor=staff)
        raise OSError("away")

    monkeypatch.setattr(submissions, "accept", lambda *_, **__: stopped_and_broken())
    assert not runs.execute(str(run.pk))
    assert fresh(run).status == "cancelled"


# What people see of it


@pytest.fixture
def waits(version, system, submit, monkeypatch):
    """A submission that waits for the storage."""
    made = submit(version, system, grade=False)
    with monkeypatch.context() as away:
        away.setattr(grading, "_report", lambda *_: (_ for _ in ()).throw(OSError("away")))
        submissions.grade(str(made.pk))
    return fresh(made)


def test_its_owner_reads_what_it_waits_for_and_that_nothing_is_lost(client, waits, user, body):
    client.force_login(user)
    page = client.get(waits.get_absolute_url()).content.decode()
    assert "Waiting: the storage is not reachable. The next attempt starts automatically." in page
    assert f"{waits.next_attempt_at:%H:%M:%S} UTC" in page
    assert 'hx-trigger="every 1s"' in page
    response = body(client.get(f"/api/v1/submissions/{waits.pk}"))
    assert response["status"] == "queued"
    assert response["headline"] is None
    assert response["next_attempt_at"] is not None
    assert "the storage is not reachable" in response["error"]


def test_staff_find_it_and_let_it_wait_no_longer(admin_client, waits, monkeypatch):
    page = admin_client.get("/admin/attention/?kind=waiting-submissions").content.decode()
    assert "the storage is not reachable" in page
    assert "Try now" in page
    rung: list[Any] = []
    monkeypatch.setattr("leaderboard.jobs.dispatch.enqueue", lambda *words: rung.append(words))
    data = {"kind": "waiting-submissions", "pk": waits.pk}
    admin_client.post("/admin/attention/again/", data)
    assert rung == [("grade_submission", str(waits.pk))]
    assert submissions.grade(str(waits.pk))


def test_what_waits_for_a_fault_does_not_make_its_queue_look_stuck(admin_client, waits):
    Event.objects.update(at=waits.created_at - timedelta(hours=1))
    assert "No worker takes tasks from the queue" not in admin_client.get("/admin/").content.decode()


def test_a_run_that_waits_says_so_on_its_page(client, small, staff, cramped):
    run = runs.start(version=small, executor="adapter:ledger", started_by=staff)
    cramped()
    runs.execute(str(run.pk))
    client.force_login(staff)
    page = client.get(reverse("leaderboard:run", args=[run.pk])).content.decode()
    assert "Waiting: the disk is full. The next attempt starts automatically." in page
    assert "the disk is full" in client.get(f"/api/v1/runs/{run.pk}").json()["error"]


def test_a_freeze_that_waits_says_so_in_the_admin(admin_client, version, cramped):
    draft = freezing.start(preset=version.preset, wake_worker=False)
    cramped()
    freezing.freeze(draft.pk)
    page = admin_client.get(reverse("admin:leaderboard_version_change", args=[draft.pk])).content.decode()
    assert "Waiting: the disk is full." in page
    assert "Nothing was imported" not in page
    assert "next attempt at" in page
