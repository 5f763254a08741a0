"""A submission is graded once, whatever happens to its worker."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from benchsite import celery_app
from leaderboard.benchmarks import storage
from leaderboard.jobs import dispatch, reaper
from leaderboard.submissions import quotas
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.services import grading
from tests.leaderboard.jobs.workers import seconds_to_wait, wait_is_over

RING = dispatch.enqueue  # the real one: the shared cast silences it


def test_a_right_answer_scores_one(version, system, submit):
    made = submit(version, system)
    assert made.status == "graded"
    assert made.score.metrics["exact_acc"] == 1.0
    assert made.shown
    assert [event.kind for event in made.events.all()] == ["received", "queued", "graded"]


def test_grading_twice_makes_one_score(version, system, submit):
    made = submit(version, system)
    assert submissions.grade(str(made.pk)) is False
    assert Score.objects.count() == 1


def test_a_leased_submission_is_left_alone_until_its_lease_runs_out(version, system, submit):
    made = submit(version, system, grade=False)
    held = Submission.objects.filter(pk=made.pk)
    held.update(status="grading", lease_until=timezone.now() + timedelta(minutes=1))
    assert submissions.grade(str(made.pk)) is False
    held.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert submissions.grade(str(made.pk)) is True


def test_the_reaper_queues_again_what_a_dead_worker_left(version, system, submit, monkeypatch):
    made = submit(version, system, grade=False)
    old = timezone.now() - timedelta(minutes=5)
    Submission.objects.filter(pk=made.pk).update(status="grading", lease_until=old, created_at=old)
    rung = []
    monkeypatch.setattr(dispatch, "enqueue", lambda task, *args: rung.append((task, args)))
    assert reaper.enqueue_overdue() == 1
    assert rung == [("grade_submission", (str(made.pk),))]


def test_a_lost_broker_loses_no_submission(version, system, submit, monkeypatch):
    def away(*args, **kwargs):
        raise ConnectionError("no broker")

    monkeypatch.setattr(celery_app, "send_task", away)
    made = submit(version, system, grade=False)
    RING("grade_submission", str(made.pk))
    assert Submission.objects.get(pk=made.pk).status == "queued"


def test_damaged_gold_fails_with_a_reason_and_never_scores_zero(version, system, submit, settings):
    made = submit(version, system, grade=False)
    path = settings.STORAGES["artifacts"]["OPTIONS"]["location"] / storage.name_of(version.gold_sha256)
    path.write_bytes(path.read_bytes()[:-20])
    assert submissions.grade(str(made.pk)) is False
    made.refresh_from_db()
    assert made.status == "failed"
    assert made.score is None
    assert "cannot be unpacked" in made.error
    assert quotas.quota_for(made.submitter).used == 0


def test_an_unexpected_fault_is_tried_again_and_then_said(version, system, submit, monkeypatch):
    made = submit(version, system, grade=False)
    monkeypatch.setattr(grading, "_report", lambda *_: 1 / 0)
    for status, seconds in (("queued", 15), ("queued", 60), ("failed", 0)):
        submissions.grade(str(made.pk))
        assert not submissions.grade(str(made.pk))
        assert seconds_to_wait(made) == pytest.approx(seconds, abs=2)
        made.refresh_from_db()
        assert made.status == status
        wait_is_over(made)
    assert "ZeroDivision" not in made.error


def test_a_new_grader_adds_a_revision_and_keeps_the_old_one(version, system, submit, monkeypatch):
    made = submit(version, system)
    monkeypatch.setattr(type(version.bound), "grader", "goldevidence/strict-9")
    submissions.regrade(made)
    assert submissions.grade(str(made.pk))
    made.refresh_from_db()
    assert [score.revision for score in made.scores.all()] == [2, 1]
    assert made.score.grader == "goldevidence/strict-9"
