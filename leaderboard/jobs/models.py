"""What submissions, freezes, imports and runs have in common: a worker does them, and another where it cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from django.apps import apps
from django.conf import settings
from django.db import models
from django.db.models import Q


@dataclass(frozen=True, slots=True)
class WorkQueue:
    """A queue of the broker, and which rows of one kind of job go through it, by which task."""

    name: str
    task: str
    rows: Q


class Job(models.Model):
    """Work that a row stands for: a status, the lease of the worker that has it, its attempts, progress and error.

    The lease's columns are those by which workers agree on who does what, and when; `leaderboard.jobs.leases` alone
    writes them. `attempts` counts the workers that took it and, as far as is known, died or broke of it; `faults` the
    times that the platform was in the way, which is no attempt. Either has it wait until `next_attempt_at`, and `error`
    says why.
    """

    #: The status of a row that waits for a worker, and of one that a worker has.
    WAITS: ClassVar[str]
    WORKS: ClassVar[str]
    #: The task that does the work, and the queue that it goes through; of a kind with several, of most rows.
    TASK: ClassVar[str]
    QUEUE: ClassVar[str]

    lease_until = models.DateTimeField(null=True, blank=True)
    lease_token = models.UUIDField(
        null=True,
        blank=True,
        editable=False,
        help_text="New with every claim, so that a worker that lost its lease can write nothing.",
    )
    lease_holder = models.CharField(
        max_length=200,
        blank=True,
        editable=False,
        help_text="The worker: its host, the boot of that host, its process.",
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    faults = models.PositiveSmallIntegerField(
        default=0, help_text="Consecutive faults of this site; they count no attempt."
    )
    next_attempt_at = models.DateTimeField(
        null=True, blank=True, help_text="When it may be tried again; empty: at once."
    )
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)

    #: Whether its worker has not been heard of for a while; of rows that were asked for `with_silence`.
    is_silent = False

    class Meta:
        abstract = True

    @property
    def percent(self) -> int:
        """Progress of the work, 0 to 100."""
        return min(100, 100 * self.progress_done // self.progress_total) if self.progress_total else 0

    @classmethod
    def queues(cls) -> list[WorkQueue]:
        """Through which queues its rows go. `CELERY_TASK_ROUTES` sends each task into its queue."""
        return [WorkQueue(cls.QUEUE, cls.TASK, Q())]

    @property
    def task(self) -> str:
        """The task that does the work of this row."""
        return self.TASK

    @classmethod
    def can_be_taken(cls) -> Q:
        """Rows that some worker could take if it had nothing else to do. What others lack is said where they stand."""
        return Q()

    @classmethod
    def queued_since(cls) -> Any:
        """An expression over rows of this kind: since when one waits for a worker."""
        raise NotImplementedError


def kinds() -> list[type[Job]]:
    """Every kind of job that the site has."""
    return [model for model in apps.get_models() if issubclass(model, Job)]


class CheckSlot(models.Model):
    """One file that is being checked: one at most of an account, a few of the whole site, on whichever machine.

    Its time runs out by the database's clock, so that a process that died holds it for a short while only.
    """

    account = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveSmallIntegerField(unique=True)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.number}: {self.account}"


class DelayedTask(models.Model):
    """A task that is queued once its time has come, and waits here until it has begun: see `jobs.dispatch`."""

    task = models.CharField(max_length=60)
    args = models.CharField(max_length=200, help_text="JSON, a list.")
    due_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "args"], name="delayed_once")]

    def __str__(self) -> str:
        return f"{self.task}{self.args} at {self.due_at}"


class PeriodicWork(models.Model):
    """The one row by which workers agree on which of them does the periodic work: see `jobs.keeper`."""

    token = models.UUIDField(null=True, editable=False, help_text="Of the worker that does it.")
    held_until = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True, help_text="When all of it was done last.")

    class Meta:
        verbose_name = verbose_name_plural = "periodic work"

    def __str__(self) -> str:
        return f"done {self.done_at}"
