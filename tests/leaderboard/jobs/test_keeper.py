"""One worker at a time does the periodic work, and another takes over when it is gone."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.jobs import dispatch, keeper
from leaderboard.jobs.keeper import Keeper
from leaderboard.jobs.models import DelayedTask, PeriodicWork

LATER = dispatch.enqueue_later  # the real one: the shared cast silences it


def at_any_time(worker: Keeper) -> None:
    """Tick at a time when the keeper asks whose turn it is, and the work is due."""
    worker._asked_at, worker._next_at = float("-inf"), 0.0
    worker.tick()


@pytest.fixture
def workers() -> tuple[Keeper, Keeper, list[str]]:
    done: list[str] = []
    return Keeper(lambda: done.append("first")), Keeper(lambda: done.append("second")), done


def test_of_two_workers_one_does_the_work(db: None, workers: Any) -> None:
    first, second, done = workers
    for _ in range(3):
        at_any_time(first)
        at_any_time(second)
    assert done == ["first"] * 3


def test_a_worker_that_died_is_succeeded_when_its_turn_runs_out(db: None, workers: Any) -> None:
    first, second, done = workers
    at_any_time(first)
    PeriodicWork.objects.update(held_until=Now() - timedelta(seconds=1))
    at_any_time(second)
    at_any_time(first)  # it was asleep, and comes too late
    assert done == ["first", "second"]


def test_a_worker_without_a_turn_writes_nothing(
    db: None, workers: Any, django_assert_num_queries: Any
) -> None:
    first, second, _ = workers
    at_any_time(first)
    with django_assert_num_queries(2):
        at_any_time(second)


def test_the_work_is_done_every_so_many_seconds_and_delayed_tasks_meanwhile(
    db: None, workers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _, done = workers
    sent: list[str] = []
    monkeypatch.setattr(dispatch, "enqueue", lambda task, *args: sent.append(task))
    first.tick()
    LATER("render_pages", seconds=-1)
    first.tick()
    assert (done, sent) == (["first"], ["render_pages"])
    assert DelayedTask.objects.count() == 1


def test_it_is_late_where_it_was_not_done_for_minutes_or_never(db: None, workers: Any) -> None:
    assert keeper.is_late()
    at_any_time(workers[0])
    assert not keeper.is_late()
    PeriodicWork.objects.update(done_at=timezone.now() - keeper.PATIENCE - timedelta(seconds=1))
    assert keeper.is_late()


def test_work_that_fails_is_tried_again_and_counts_as_not_done(db: None) -> None:
    tried: list[int] = []

    def work() -> None:
        tried.append(1)
        if len(tried) == 1:
            raise OSError("the disk is full")

    worker = Keeper(work)
    at_any_time(worker)
    assert keeper.is_late()
    at_any_time(worker)
    assert (len(tried), keeper.is_late()) == (2, False)
