"""Queues a task by its name, to wake a worker. Nothing here knows what a task does, so that no import goes round.

The database says what is to be done; a message only says that there is something. What waits for its time waits in the
database, too: a worker that holds such a message loses it with its broker.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import cache
from typing import Any

from celery import current_app
from django.db import transaction
from django.db.models.functions import Now

from leaderboard.jobs.models import DelayedTask

#: How long a caller, such as an upload, waits for the broker to take a message.
SEND_S = 0.2
#: How long a process that ends waits for its last message.
FINISH_S = 2.0
#: Messages that wait for a broker that hangs. What comes on top is lost, and found by the reaper.
MOST_UNSENT = 1000
#: A task that did not begin in this time is queued again.
LOST_AFTER_S = 90
#: While the broker is away, delayed tasks are tried this often.
AWAY_S = 5
log = logging.getLogger(__name__)


def enqueue(task: str, *args: Any, queue: str | None = None) -> bool:
    """Queue a task of `leaderboard.tasks`. A broker that is away delays it until the reaper's next round.

    Args:
        task: The name of its function.
        *args: What the function is called with, JSON-able.
        queue: Another than that of the task: a worker's own.

    Returns:
        Whether the broker is away: it refused the message, or did not take it in `SEND_S`.
    """
    return _sender(os.getpid()).send(_Message(task, args, queue))


def enqueue_later(task: str, *args: Any, seconds: float) -> bool:
    """Have a task queued after a delay, unless it waits already. `begun` lets it be queued again.

    Args:
        task: The name of its function in `leaderboard.tasks`.
        *args: What the function is called with, JSON-able.
        seconds: The delay, in seconds.

    Returns:
        Whether it did not wait yet.
    """
    named = {"task": task, "args": json.dumps(args)}
    if DelayedTask.objects.filter(**named).exists():  # reading first: a thousand landings are one write
        return False
    due = DelayedTask(**named, due_at=Now() + timedelta(seconds=seconds))
    DelayedTask.objects.bulk_create([due], ignore_conflicts=True)
    return True


def begun(task: str, *args: Any) -> None:
    """A delayed task has begun: who asks for it from now on means another time.

    Args:
        task: The name of its function in `leaderboard.tasks`.
        *args: What it was called with.
    """
    DelayedTask.objects.filter(task=task, args=json.dumps(args)).delete()


def enqueue_due() -> int:
    """Queue the delayed tasks whose time has come, and again those that did not begin since. Returns how many."""
    due = DelayedTask.objects.filter(due_at__lte=Now()).order_by("due_at")
    for number, delayed in enumerate(due):
        # Written first: a task that begins at once deletes a row that says so, and none is left over.
        DelayedTask.objects.filter(pk=delayed.pk).update(due_at=Now() + timedelta(seconds=LOST_AFTER_S))
        if enqueue(delayed.task, *json.loads(delayed.args)):
            DelayedTask.objects.filter(pk=delayed.pk).update(due_at=Now() + timedelta(seconds=AWAY_S))
            return number
    return len(due)


def on_commit(call: Callable[[], None]) -> None:
    """Do something once the transaction is through; a fault of it harms nothing that was written."""
    transaction.on_commit(call, robust=True)


def enqueue_on_commit(task: str, *args: Any) -> None:
    """Queue a task once the transaction is through: before that a worker would find nothing.

    Args:
        task: The name of its function in `leaderboard.tasks`.
        *args: What the function is called with, JSON-able.
    """
    transaction.on_commit(lambda: enqueue(task, *args))


class _Message:
    def __init__(self, task: str, args: tuple[Any, ...], queue: str | None) -> None:
        self.task, self.args, self.queue = task, args, queue
        self.done, self.is_lost = threading.Event(), False


class _Sender(threading.Thread):
    """Sends messages one after another. No client of a broker bounds how long that takes; callers go on."""

    def __init__(self) -> None:
        super().__init__(name="sender of messages", daemon=True)
        self._unsent: queue.Queue[_Message] = queue.Queue(MOST_UNSENT)
        self._hangs, self._last = False, threading.Event()
        self._last.set()
        # What fails here fails again with the first message, and is told then.
        with suppress(Exception), current_app.connection_for_write() as connection:
            _ = connection.transport, current_app.backend  # loaded once, which takes longer than a message
        self.start()
        atexit.register(self._finish)

    def send(self, message: _Message) -> bool:
        """Whether the message was lost, or may be."""
        hung = self._hangs
        try:
            self._unsent.put_nowait(message)
        except queue.Full:
            return True
        self._last = message.done
        if message.done.wait(0 if hung else SEND_S):
            return message.is_lost
        self._hangs = True
        if not hung:
            log.warning(
                "the broker does not answer; %s%s waits for it or for the reaper", message.task, message.args
            )
        return True

    def run(self) -> None:
        while True:
            message = self._unsent.get()
            try:
                name = f"leaderboard.tasks.{message.task}"
                current_app.send_task(name, message.args, retry=False, queue=message.queue)
                self._hangs = False
            except Exception as error:
                message.is_lost = True
                lost = 1 + self._give_up_waiting()
                log.warning("the broker is away (%s); %d messages wait for the reaper", error, lost)
            message.done.set()

    def _finish(self) -> None:
        """A command that ends has its messages sent, if the broker takes them."""
        self._last.wait(FINISH_S)

    def _give_up_waiting(self) -> int:
        """Messages behind one that failed would fail as slowly. How many there were."""
        lost = 0
        while True:
            try:
                message = self._unsent.get_nowait()
            except queue.Empty:
                return lost
            message.is_lost = True
            message.done.set()
            lost += 1


@cache
def _sender(process: int) -> _Sender:
    """That of a process: a fork does not have its parent's thread."""
    return _Sender()
