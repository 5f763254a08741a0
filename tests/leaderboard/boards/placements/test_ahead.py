"""A new result on a board leaves one mark, which one task claims."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from leaderboard import tasks
from leaderboard.boards.models import DuePlacements
from leaderboard.boards.placements import ahead
from leaderboard.jobs import dispatch
from leaderboard.jobs.models import DelayedTask
from leaderboard.submissions import services as submissions

LATER = dispatch.enqueue_later  # the real one: the shared cast silences it


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Any]]:
    sent: list[tuple[str, Any]] = []

    def later(task: str, *args: Any, seconds: float) -> bool:
        sent.append((task, args[0]))
        return LATER(task, *args, seconds=seconds)

    monkeypatch.setattr(dispatch, "enqueue_later", later)
    return sent


def aged(version, seconds: float) -> None:
    """Make the mark of a version this old."""
    due = DuePlacements.objects.get(pk=version.pk)
    DuePlacements.objects.filter(pk=version.pk).update(since=due.since - timedelta(seconds=seconds))


def test_a_new_grade_has_the_placements_of_its_version_computed(
    version, system, submit, planned, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        submit(version, system)
    assert planned == [("place_version", version.pk)]
    assert DuePlacements.objects.filter(pk=version.pk).exists()


def test_results_that_follow_each_other_are_one_message(
    version, system, submit, planned, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(3):
            submit(version, system)
    assert len(planned) == 1
    assert ahead.claim(version.pk)
    assert not ahead.claim(version.pk), "one task claims it"
    with django_capture_on_commit_callbacks(execute=True):
        submit(version, system)
    assert len(planned) == 2, "what lands after a claim asks for another computation"


def test_a_withdrawal_changes_the_board_too(
    version, system, submit, planned, user, django_capture_on_commit_callbacks
):
    made = submit(version, system)
    with django_capture_on_commit_callbacks(execute=True):
        submissions.withdraw(made, actor=user)
    assert planned == [("place_version", version.pk)]


def test_while_gradings_go_on_the_task_waits_but_not_for_ever(version, system, submit, planned):
    submit(version, system, grade=False)
    ahead.mark(version.pk)
    assert not ahead.claim(version.pk)
    assert planned == [("place_version", version.pk)] * 2, "the mark stays, and another message is sent"
    aged(version, ahead.PATIENCE.total_seconds() + 1)
    assert ahead.claim(version.pk)


def test_a_mark_that_no_task_waits_for_gets_one(version, planned):
    ahead.mark(version.pk)
    aged(version, ahead.LOST_AFTER_S + 1)
    assert ahead.enqueue_overdue() == 0, "it waits"
    DelayedTask.objects.all().delete()  # the worker was killed between the two writes
    assert [ahead.enqueue_overdue(), ahead.enqueue_overdue()] == [1, 0]


def test_of_many_readers_that_miss_ranks_one_asks_and_writes_nothing(
    version, planned, monkeypatch, django_assert_num_queries
):
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr(dispatch, "enqueue", lambda task, *args: sent.append((task, args[0])))
    with django_assert_num_queries(0):
        for _ in range(3):
            ahead.ask(version.pk)
    assert sent == [("mark_placements", version.pk)]
    tasks.mark_placements(version.pk)
    assert planned == [("place_version", version.pk)]
