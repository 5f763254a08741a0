"""The bell: wakes a worker by a task's name. Nothing here knows what a task does, so that no import goes round."""

from __future__ import annotations

import logging
from typing import Any

from celery import current_app
from django.db import transaction

log = logging.getLogger(__name__)


def ring(task: str, *args: Any) -> None:
    """Ring for a task of `leaderboard.tasks`. A broker that is away delays it until the reaper's next round."""
    try:
        current_app.send_task(f"leaderboard.tasks.{task}", args, retry=False)
    except Exception as error:
        log.warning("the broker is away (%s); %s%s waits for the reaper", error, task, args)


def ring_on_commit(task: str, *args: Any) -> None:
    """Ring once the transaction is through: before that a worker would find nothing."""
    transaction.on_commit(lambda: ring(task, *args))
