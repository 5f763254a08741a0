"""Queues a task by its name, to wake a worker. Nothing here knows what a task does, so that no import goes round.

The database says what is to be done; a message only says that there is something.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from celery import current_app
from django.core.cache import caches
from django.db import transaction

#: A message that did not arrive in this time does not keep others from being sent.
LOST_AFTER_S = 90
log = logging.getLogger(__name__)


def enqueue(task: str, *args: Any) -> None:
    """Queue a task of `leaderboard.tasks`. A broker that is away delays it until the reaper's next round.

    Args:
        task: The name of its function.
        *args: What the function is called with, JSON-able.
    """
    try:
        current_app.send_task(f"leaderboard.tasks.{task}", args, retry=False)
    except Exception as error:
        log.warning("the broker is away (%s); %s%s waits for the reaper", error, task, args)


def enqueue_later(task: str, *args: Any, seconds: float) -> None:
    """Queue a task after a delay. For work that may be lost together with its message.

    Args:
        task: The name of its function in `leaderboard.tasks`.
        *args: What the function is called with, JSON-able.
        seconds: How long a worker leaves it, in seconds.
    """
    try:
        current_app.send_task(f"leaderboard.tasks.{task}", args, retry=False, countdown=seconds)
    except Exception as error:
        log.warning("the broker is away (%s); %s%s is left out", error, task, args)


def enqueue_once(task: str, *, seconds: float) -> None:
    """Queue a task without arguments after a delay, unless it waits already. `begun` lets it be queued again.

    Args:
        task: The name of its function in `leaderboard.tasks`.
        seconds: How long a worker leaves it, in seconds.
    """
    try:
        is_first = caches["results"].add(f"queued-once:{task}", 1, LOST_AFTER_S)
    except Exception as error:
        log.warning("the cache is away (%s): %s is queued again", error, task)
        is_first = True
    if is_first:
        enqueue_later(task, seconds=seconds)


def begun(task: str) -> None:
    """A task that was queued once has begun: who asks for it from now on means another time.

    Args:
        task: The name of its function in `leaderboard.tasks`.
    """
    caches["results"].delete(f"queued-once:{task}")


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
