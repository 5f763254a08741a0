"""Stops workers whose code does not match the database: code and database must have the same migrations.

During an upgrade old workers still run, and could write rows that the new tables refuse. They stop taking
jobs within seconds, report this in the log and under *Attention*, and continue once the database matches again.
"""

from __future__ import annotations

import logging
import pkgutil
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import celery
from django.db import Error as DatabaseTrouble
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import QuerySet
from django.db.models.functions import Now

from leaderboard.jobs.leases import HOLDER
from leaderboard.jobs.models import IdleWorker

APP = "leaderboard"
#: Read when the process starts: its files may be replaced later.
OF_CODE = frozenset(
    module.name for module in pkgutil.iter_modules([str(Path(__file__).parents[1] / "migrations")])
)
#: An idle worker is listed this long after its last report.
SILENT = timedelta(minutes=1)
log = logging.getLogger(__name__)


def mismatch() -> str:
    """Why this process must not work on the database; empty if code and database match."""
    rows = MigrationRecorder.Migration.objects.filter(app=APP)
    applied = set(rows.values_list("name", flat=True))
    if unknown := sorted(applied - OF_CODE):
        return f"The code is older than the database, which has {unknown[-1]}. Restart this process with the new code."
    if lacking := sorted(OF_CODE - applied):
        return f"The database lacks migration {lacking[0]}. Run `manage.py migrate`."
    return ""


class FittingTask(celery.Task[Any, Any]):
    """A task that does nothing if the worker's code does not match the database. The job then stays queued."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.request.called_directly and (reason := mismatch()):
            log.warning("%s%s is left alone: %s", self.name, args, reason)
            return None
        return super().__call__(*args, **kwargs)


class Door:
    """Stops a worker from consuming its queues while its code does not match the database."""

    def __init__(self, consumer: Any) -> None:
        self._consumer, self._closed = consumer, list[str]()

    def fits(self) -> bool:
        """True if the worker may take jobs. Starts or stops consuming its queues accordingly."""
        reason = mismatch()
        if reason and not self._closed:
            log.error("this worker takes no jobs. %s", reason)
            self._closed = list(self._consumer.app.amqp.queues.consume_from)
            self._each_queue(self._consumer.cancel_task_queue)
        elif self._closed and not reason:
            log.warning("this worker takes jobs again")
            self._each_queue(self._consumer.add_task_queue)
            self._closed = []
            IdleWorker.objects.filter(name=HOLDER).delete()
        if reason:
            with suppress(DatabaseTrouble):  # an older database lacks the table
                IdleWorker.objects.update_or_create(
                    name=HOLDER, defaults={"reason": reason, "said_at": Now()}
                )
        return not reason

    def _each_queue(self, do: Callable[[str], Any]) -> None:
        for name in self._closed:
            self._consumer.call_soon(do, name)


def idle_workers() -> QuerySet[IdleWorker]:
    """Workers that recently reported that they take no jobs."""
    return IdleWorker.objects.filter(said_at__gte=Now() - SILENT).order_by("name")
