"""Queues tasks by name. Imports no task, which avoids import cycles.

Jobs are rows of the database; a message only wakes a worker. Delays are stored in the database, too: a delayed
message at the broker could get lost.
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
from contextvars import copy_context
from datetime import timedelta
from functools import cache
from typing import Any

from celery import current_app
from django.db import transaction
from django.db.models.functions import Now

from leaderboard.jobs.models import DelayedTask

#: Longest wait of a caller, such as an upload, for the broker to take a message.
SEND_S = 0.2
#: Longest wait of an ending process for its last message.
FINISH_S = 2.0
#: Messages kept for a broker that hangs. Further ones are dropped; the reaper queues them again.
MOST_UNSENT = 1000
#: A delayed task that has not begun after this time is queued again.
LOST_AFTER_S = 90
#: Interval of attempts at delayed tasks while the broker is away.
AWAY_S = 5
log = logging.getLogger(__name__)


def enqueue(task: str, *args: Any, queue: str | None = None) -> bool:
    """Queue a task of `leaderboard.tasks`. True if the broker is unreachable; the reaper then queues the task later."""
    return _sender(os.getpid()).send(_Message(task, args, queue))


def enqueue_later(task: str, *args: Any, seconds: float) -> bool:
    """Queue a task after a delay. False if the same task with the same arguments is already waiting."""
    named = {"task": task, "args": json.dumps(args)}
    if DelayedTask.objects.filter(**named).exists():  # read first: of a thousand calls only one writes
        return False
    due = DelayedTask(**named, due_at=Now() + timedelta(seconds=seconds))
    DelayedTask.objects.bulk_create([due], ignore_conflicts=True)
    return True


def begun(task: str, *args: Any) -> None:
    """Remove a delayed task from the waiting tasks once it has started, so that it can be queued again."""
    DelayedTask.objects.filter(task=task, args=json.dumps(args)).delete()


def enqueue_due() -> int:
    """Queue delayed tasks that are due, and tasks that were queued but did not start. Returns their number."""
    due = DelayedTask.objects.filter(due_at__lte=Now()).order_by("due_at")
    for number, delayed in enumerate(due):
        # Write before sending: a task that begins at once deletes the row, and a later write would miss it.
        DelayedTask.objects.filter(pk=delayed.pk).update(due_at=Now() + timedelta(seconds=LOST_AFTER_S))
        if enqueue(delayed.task, *json.loads(delayed.args)):
            DelayedTask.objects.filter(pk=delayed.pk).update(due_at=Now() + timedelta(seconds=AWAY_S))
            return number
    return len(due)


def on_commit(call: Callable[[], None]) -> None:
    """Call a function after the commit; errors are logged, because the data are already written."""
    transaction.on_commit(call, robust=True)


def enqueue_on_commit(task: str, *args: Any) -> None:
    """Queue a task after the commit, because a worker cannot see new rows earlier."""
    transaction.on_commit(lambda: enqueue(task, *args))


class _Message:
    def __init__(self, task: str, args: tuple[Any, ...], queue: str | None) -> None:
        self.task, self.args, self.queue = task, args, queue
        self.done, self.is_lost = threading.Event(), False
        self.context = copy_context()  # the sender's thread serves many requests


class _Sender(threading.Thread):
    """Sends messages in a thread, because sending may hang and callers must continue."""

    def __init__(self) -> None:
        super().__init__(name="sender of messages", daemon=True)
        self._unsent: queue.Queue[_Message] = queue.Queue(MOST_UNSENT)
        self._hangs, self._last = False, threading.Event()
        self._last.set()
        # A failure here recurs with the first message and is logged then.
        with suppress(Exception), current_app.connection_for_write() as connection:
            _ = connection.transport, current_app.backend  # the first load takes longer than a message
        self.start()
        atexit.register(self._finish)

    def send(self, message: _Message) -> bool:
        """Send a message, waiting at most SEND_S. True if the message is lost, or may be lost."""
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
                "the broker does not respond; %s%s is sent later or by the reaper", message.task, message.args
            )
        return True

    def run(self) -> None:
        while True:
            message = self._unsent.get()
            try:
                name = f"leaderboard.tasks.{message.task}"
                message.context.run(
                    current_app.send_task, name, message.args, retry=False, queue=message.queue
                )
                self._hangs = False
            except Exception as error:
                message.is_lost = True
                lost = 1 + self._give_up_waiting()
                log.warning("the broker is unreachable (%s); the reaper will resend %d messages", error, lost)
            message.done.set()

    def _finish(self) -> None:
        self._last.wait(FINISH_S)

    def _give_up_waiting(self) -> int:
        """Drop the queued messages, which would fail slowly one after the other. Returns their number."""
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
    # One per process: a fork does not inherit its parent's thread.
    return _Sender()
