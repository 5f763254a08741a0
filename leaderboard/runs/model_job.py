"""Base model of runs, benches and gym loops: jobs that query a model and can be cancelled, paused and resumed."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any, ClassVar

from django.conf import settings as site_settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.jobs.models import Job, WorkQueue
from leaderboard.web.formatting import minute

#: Reports of model files expire after this time.
SILENT = timedelta(seconds=60)


class JobError(Exception):
    """A job cannot be started or executed as requested; the text says why."""


def held() -> models.Q:
    """Filter for jobs whose `model_file` was recently reported by a worker."""
    return models.Q(model_file__holders__seen_at__gte=Now() - SILENT)


class RunQueue(models.TextChoices):
    MODELS = "models", "this machine's models"
    SERVERS = "servers", "model servers"


class JobStatus(models.TextChoices):
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    PAUSED = "paused", "Paused"  # too many rows are unanswered: the owner decides
    FINISHED = "finished", "Finished"
    CANCELLED = "cancelled", "Cancelled"
    FAILED = "failed", "Failed"


class ModelJob(Job):
    """A job that queries a model. `runs.life` changes its status; `events` are its history."""

    Status = JobStatus
    WAITS, WORKS = JobStatus.QUEUED, JobStatus.RUNNING
    QUEUE = RunQueue.MODELS.value
    #: Jobs that query a server have their own task and queue, because they hardly use this machine's processor.
    SERVER_TASK: ClassVar[str]
    ACTIVE = (JobStatus.QUEUED, JobStatus.RUNNING)
    RESUMABLE = (JobStatus.PAUSED, JobStatus.CANCELLED, JobStatus.FAILED)
    #: Columns about the current row, with their values while no row is being answered.
    AT_REST: ClassVar[dict[str, object]] = {}

    events: Any  # the manager of its `JobEvent`s
    rate: Any  # rows per second since it was last started
    model_file: Any

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    executor = models.CharField(
        max_length=60, help_text="A deterministic system of the engine, or an adapter."
    )
    settings = models.JSONField(default=dict, blank=True, help_text="Settings of the executor.")
    queue = models.CharField(
        max_length=10,
        choices=RunQueue,
        default=RunQueue.MODELS,
        editable=False,
        help_text="Models of this machine run one at a time; jobs on model servers do not block them.",
    )
    status = models.CharField(max_length=10, choices=JobStatus, default=JobStatus.QUEUED)
    cancel_requested = models.BooleanField(default=False)
    go_on = models.BooleanField(
        default=False, help_text="Do not pause if many rows are unanswered (they count as wrong)."
    )
    worker = models.CharField(max_length=100, blank=True)
    files_copy = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        help_text="Folder and number of parts of the copy of its files in the artifact store; empty: none.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    def get_absolute_url(self) -> str:
        raise NotImplementedError

    @classmethod
    def queues(cls) -> list[WorkQueue]:
        """The queues of the broker: one for models that workers run, and one for model servers."""
        servers = models.Q(queue=RunQueue.SERVERS)
        return [
            WorkQueue(cls.QUEUE, cls.TASK, ~servers),
            WorkQueue(RunQueue.SERVERS.value, cls.SERVER_TASK, servers),
        ]

    @property
    def task(self) -> str:
        return self.SERVER_TASK if self.asks_server else self.TASK

    @property
    def asks_server(self) -> bool:
        return self.queue == RunQueue.SERVERS

    @classmethod
    def can_be_taken(cls) -> models.Q:
        """Jobs without a registered model file, or with a file that a worker has."""
        return models.Q(model_file=None) | held()

    @classmethod
    def queued_since(cls) -> models.Max:
        return models.Max("events__at", filter=models.Q(events__what__startswith="Queued"))

    @property
    def rows_left(self) -> float:
        return self.progress_total - self.progress_done

    @property
    def eta_seconds(self) -> float | None:
        """Estimated seconds left at the current rate; None if unknown."""
        return self.rows_left / self.rate if self.rate and not self.is_silent else None

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE

    @property
    def may_be_resumed(self) -> bool:
        return self.status in self.RESUMABLE


class JobEvent(models.Model):
    what = models.CharField(max_length=300)
    actor = models.ForeignKey(site_settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.what} {minute(self.at)}"
