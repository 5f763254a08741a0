"""Messages wake workers: a sender waits for no broker, and waiting work stays in the database."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from celery import Celery
from django.db.models.functions import Now

from leaderboard.jobs import dispatch
from leaderboard.jobs.models import DelayedTask

ENQUEUE, LATER = dispatch.enqueue, dispatch.enqueue_later  # the real ones: the shared cast silences them
#: What a busy machine may add.
SPARE_S = 0.3


@pytest.fixture
def hanging() -> Iterator[int]:
    """The port of a server that accepts connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def sends_by(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        dispatch, "current_app", Celery(broker=f"redis://127.0.0.1:{port}/0", set_as_current=False)
    )
    dispatch._sender.cache_clear()  # the one of before may wait for another broker


def seconds(task: str) -> float:
    begun = time.monotonic()
    assert ENQUEUE(task), "the broker is away"
    return time.monotonic() - begun


@pytest.mark.timing
def test_a_broker_that_hangs_holds_an_upload_up_for_a_moment_and_the_next_not_at_all(
    hanging: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sends_by(hanging, monkeypatch)
    assert seconds("reap") < dispatch.SEND_S + SPARE_S
    assert seconds("reap") < SPARE_S / 2


def test_what_waits_for_a_broker_that_hangs_is_bounded(hanging: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "MOST_UNSENT", 2)
    sends_by(hanging, monkeypatch)
    for _ in range(5):
        assert ENQUEUE("reap")
    assert dispatch._sender(dispatch.os.getpid())._unsent.qsize() == 2


def make_due() -> None:
    DelayedTask.objects.update(due_at=Now() - timedelta(seconds=1))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    told: list[tuple[object, ...]] = []
    monkeypatch.setattr(dispatch, "enqueue", lambda task, *args: told.append((task, *args)))
    return told


def test_a_task_waits_once_and_is_queued_when_it_is_due(db: None, sent: list[tuple[object, ...]]) -> None:
    assert [LATER("place_version", 7, seconds=60) for _ in range(3)] == [True, False, False]
    assert LATER("place_version", 8, seconds=60)
    assert dispatch.enqueue_due() == 0
    DelayedTask.objects.filter(args=json.dumps([7])).update(due_at=Now() - timedelta(seconds=1))
    assert dispatch.enqueue_due() == 1
    assert sent == [("place_version", 7)]


def test_a_delayed_task_whose_message_is_lost_is_queued_again(
    db: None, sent: list[tuple[object, ...]]
) -> None:
    LATER("render_pages", seconds=-1)
    assert [dispatch.enqueue_due(), dispatch.enqueue_due()] == [1, 0]
    make_due()  # as much time has passed as a task may take to begin
    assert dispatch.enqueue_due() == 1
    dispatch.begun("render_pages")
    make_due()
    assert dispatch.enqueue_due() == 0


def test_what_is_asked_for_after_a_task_has_begun_is_another_task(db: None) -> None:
    LATER("render_pages", seconds=0)
    dispatch.begun("render_pages")
    assert LATER("render_pages", seconds=0)


def test_while_the_broker_is_away_delayed_tasks_stay_and_one_at_a_time_is_tried(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []

    def away(task: str, *args: object) -> bool:
        tried.append(args)
        return True

    monkeypatch.setattr(dispatch, "enqueue", away)
    for number in range(3):
        LATER("place_version", number, seconds=-1)
    assert dispatch.enqueue_due() == 0
    assert len(tried) == 1
    assert DelayedTask.objects.count() == 3
