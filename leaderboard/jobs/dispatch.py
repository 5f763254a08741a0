"""Queues a task by its name, to wake a worker. Nothing here knows what a task does, so that no import goes round.

The database says what is to be done; a message only says that there is something.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from celery import current_app
from django.db import transaction

log = logging.getLogger(__name__)


def enqueue(task: str, *args: Any) -> None:
    """Queue a task of `leaderboard.tasks`. A broker that is away delays it until the reaper's next round."""
    try:
        current_app.send_task(f"leaderboard.tasks.{task}", args, retry=False)
    except Exception as error:
        log.warning("the broker is away (%s); %s%s waits for the reaper", error, task, args)


def enqueue_later(task: str, *args: Any, seconds: float) -> None:
    """The same, to be done after a while. For work that nobody misses where the message is lost."""
    try:
        current_app.send_task(f"leaderboard.tasks.{task}", args, retry=False, countdown=seconds)
    except Exception as error:
        log.warning("the broker is away (%s); %s%s is left out", error, task, args)


def on_commit(call: Callable[[], None]) -> None:
    """Do something once the transaction is through; a fault of it harms nothing that was written."""
    transaction.on_commit(call, robust=True)


def enqueue_on_commit(task: str, *args: Any) -> None:
    """Queue it once the transaction is through: before that a worker would find nothing."""
    transaction.on_commit(lambda: enqueue(task, *args))
