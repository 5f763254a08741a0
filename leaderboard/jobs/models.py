"""Base model of all jobs (submissions, freezes, imports, runs, …), and models by which workers coordinate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from django.apps import apps
from django.conf import settings
from django.db import models
from django.db.models import Q


@dataclass(frozen=True, slots=True)
class WorkQueue:
    """A kind of job in one queue of the broker: the queue's name, the task, and the filter that selects the rows."""

    name: str
    task: str
    rows: Q


class Job(models.Model):
    """A row that workers process, with status, lease, attempts, progress and error.

    Only `leaderboard.jobs.leases` writes the columns of the lease. `attempts` counts attempts by workers, and
    `faults` consecutive platform faults, which cost no attempt. After an error or a fault the row waits until
    `next_attempt_at`; `error` has the reason.
    """

    #: Status of a row that waits for a worker, and of a row that a worker holds.
    WAITS: ClassVar[str]
    WORKS: ClassVar[str]
    #: The task that processes a row, and its queue. A kind of job may override both per row.
    TASK: ClassVar[str]
    QUEUE: ClassVar[str]

    lease_until = models.DateTimeField(null=True, blank=True)
    lease_token = models.UUIDField(
        null=True,
        blank=True,
        editable=False,
        help_text="New with every claim, so that a worker that lost its lease cannot write.",
    )
    lease_holder = models.CharField(
        max_length=200,
        blank=True,
        editable=False,
        help_text="The worker: host, boot id of the host, process id.",
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    faults = models.PositiveSmallIntegerField(
        default=0, help_text="Consecutive faults of this site, which do not count as attempts."
    )
    next_attempt_at = models.DateTimeField(
        null=True, blank=True, help_text="Time of the next attempt; empty: at once."
    )
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)

    #: Annotated by `with_silence`: True if the worker has not renewed the lease lately.
    is_silent = False

    class Meta:
        abstract = True

    @property
    def percent(self) -> int:
        return min(100, 100 * self.progress_done // self.progress_total) if self.progress_total else 0

    @classmethod
    def queues(cls) -> list[WorkQueue]:
        """Broker queues for jobs of this kind. `CELERY_TASK_ROUTES` must route their tasks accordingly."""
        return [WorkQueue(cls.QUEUE, cls.TASK, Q())]

    @property
    def task(self) -> str:
        return self.TASK

    @classmethod
    def can_be_taken(cls) -> Q:
        """Filter for rows that an idle worker could take now. Other rows do not make a queue look stuck."""
        return Q()

    @classmethod
    def queued_since(cls) -> Any:
        """Expression for the time at which a row began to wait for a worker."""
        raise NotImplementedError


def kinds() -> list[type[Job]]:
    return [model for model in apps.get_models() if issubclass(model, Job)]


class CheckSlot(models.Model):
    """A running file check: one per account, a few per site. Slots of dead processes expire at `until`."""

    account = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveSmallIntegerField(unique=True)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.number}: {self.account}"


class DelayedTask(models.Model):
    """A task to queue at `due_at`. The row stays until the task has begun. See `jobs.dispatch`."""

    task = models.CharField(max_length=60)
    args = models.CharField(max_length=200, help_text="Arguments of the task as a JSON list.")
    due_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "args"], name="delayed_once")]

    def __str__(self) -> str:
        return f"{self.task}{self.args} at {self.due_at}"


class PeriodicWork(models.Model):
    """Single row with the lease of the worker that does the periodic work; see `jobs.keeper`."""

    token = models.UUIDField(null=True, editable=False, help_text="Token of the worker with the lease.")
    held_until = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True, help_text="When the periodic work was last done.")

    class Meta:
        verbose_name = verbose_name_plural = "periodic work"

    def __str__(self) -> str:
        return f"done {self.done_at}"


class IdleWorker(models.Model):
    """A worker that takes no jobs because its code does not match the database; see `jobs.code`."""

    name = models.CharField(max_length=200, unique=True, help_text="Host, boot id of the host, process id.")
    reason = models.CharField(max_length=300)
    said_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"
