"""A bench: the site executing the standard measurements of a suite over one system, as one job."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings as site_settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from evaluation.core.suite import usable
from leaderboard.grids.querysets import BenchQuerySet
from leaderboard.jobs.models import Job, WorkQueue
from leaderboard.runs.models import ModelFile, RunQueue

#: Marks of cells in a row that an eye still counts; of more a bar is drawn.
MOST_MARKS = 60


class Bench(Job):
    """One system over a grid of cells; ends in a report against stated bars. Its unit of progress is a cell."""

    class Status(models.TextChoices):
        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        PAUSED = "paused", "Paused"  # too many rows hold no answer: its owner decides
        FINISHED = "finished", "Finished"
        CANCELLED = "cancelled", "Cancelled"
        FAILED = "failed", "Failed"

    WAITS, WORKS = Status.QUEUED, Status.RUNNING
    TASK, QUEUE = "execute_bench", RunQueue.MODELS.value
    #: What asks a server waits for others than the processor of this machine.
    SERVER_TASK = "execute_server_bench"
    ACTIVE = (Status.QUEUED, Status.RUNNING)
    RESUMABLE = (Status.PAUSED, Status.CANCELLED, Status.FAILED)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    suite_name = models.CharField("suite", max_length=40, help_text="Whose measurements are made.")
    name = models.CharField(max_length=80, help_text="The system, as tables and folders call it.")
    executor = models.CharField(
        max_length=60, help_text="A deterministic system of the engine, or an adapter."
    )
    model_file = models.ForeignKey(
        ModelFile, null=True, blank=True, on_delete=models.PROTECT, related_name="benches"
    )
    settings = models.JSONField(default=dict, blank=True, help_text="Settings of the executor.")
    size = models.CharField(max_length=20, help_text="How much is asked, by the suite's name for it.")
    seeds = models.PositiveSmallIntegerField(default=0, help_text="Other than the size has; 0: as the size.")
    parts = models.JSONField(default=list, blank=True, help_text="Names of the parts; empty: all that fit.")
    thresholds = models.JSONField(default=dict, blank=True, help_text="Bars with another threshold.")
    queue = models.CharField(
        max_length=10,
        choices=RunQueue,
        default=RunQueue.MODELS,
        editable=False,
        help_text="Models of this machine run one at a time; what waits for a server does not hold them up.",
    )
    started_by = models.ForeignKey(
        site_settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="benches"
    )

    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    cancel_requested = models.BooleanField(default=False)
    go_on = models.BooleanField(
        default=False, help_text="Do not pause, however many rows hold no answer: they count as wrong."
    )
    plan = models.JSONField(
        default=list, blank=True, help_text="What is asked: name, title, cells and rows of each part."
    )
    cells = models.JSONField(default=dict, blank=True, help_text="Of each part the cells that are done.")
    at_hand = models.JSONField(
        default=dict, blank=True, help_text="The cell that is being answered, and how far it is."
    )
    rate = models.FloatField(null=True, blank=True, help_text="Rows per second since it was last started.")
    worker = models.CharField(max_length=100, blank=True)
    report = models.JSONField(null=True, blank=True, help_text="The report of what is done.")
    bars = models.JSONField(default=list, blank=True, help_text="The bars, and what was measured.")
    files_sha256 = models.CharField(
        max_length=64, blank=True, default="", help_text="The archive of its folder; empty: none yet."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = BenchQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        verbose_name_plural = "benches"
        default_permissions = ()  # who may see, start, cancel and resume runs may do so with benches

    def __str__(self) -> str:
        return f"bench of {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("leaderboard:bench", args=[self.pk])

    @classmethod
    def queues(cls) -> list[WorkQueue]:
        """Those of this machine's models, and those that ask a server."""
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
        """Whether it waits for a model server, beside others that do."""
        return self.queue == RunQueue.SERVERS

    @classmethod
    def queued_since(cls) -> models.Max:
        """Since it was queued, or queued again."""
        return models.Max("events__at", filter=models.Q(events__what__startswith="Queued"))

    @property
    def suite_title(self) -> str:
        """What readers call its suite; the name of one that is not installed any more."""
        known = usable().get(self.suite_name)
        return known.title if known else self.suite_name

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE

    @property
    def may_be_resumed(self) -> bool:
        return self.status in self.RESUMABLE

    @property
    def progress_by_part(self) -> list[dict[str, Any]]:
        """The parts in their order: title, rows, cells, how many of these are done, and a mark for each where few."""
        parts = []
        works = self.status == self.Status.RUNNING
        for name, title, cells, rows in self.plan:
            done = min(self.cells.get(name, 0), cells)
            marks = ["done"] * done + ["next"] * (cells - done)
            if works and done < cells:
                marks[done], works = "now", False
            shown = marks if cells <= MOST_MARKS else []
            parts.append(
                {"name": name, "title": title, "cells": cells, "rows": rows, "done": done, "marks": shown}
            )
        return parts

    @property
    def rows_left(self) -> float:
        """About how many rows are still to be answered: those of a part are spread evenly over its cells."""
        left: float = sum(
            part["rows"] * (1 - part["done"] / part["cells"])
            for part in self.progress_by_part
            if part["cells"]
        )
        return max(left - float(self.at_hand.get("row", 0)), 0.0)

    @property
    def eta_seconds(self) -> float | None:
        """About how long the rest takes at the present rate; None where it is not known."""
        return self.rows_left / self.rate if self.rate else None

    @property
    def took(self) -> float | None:
        """Seconds from its first start to its end, of a finished one; waiting and stops in between count."""
        if self.status != self.Status.FINISHED or not (self.started_at and self.finished_at):
            return None
        return (self.finished_at - self.started_at).total_seconds()

    @property
    def passed(self) -> int:
        """How many bars are reached."""
        return sum(bar["reached"] is True for bar in self.bars)

    @property
    def missed(self) -> int:
        """How many bars are not reached."""
        return sum(bar["reached"] is False for bar in self.bars)


class BenchEvent(models.Model):
    """Something that happened to a bench. Only ever added."""

    bench = models.ForeignKey(Bench, on_delete=models.CASCADE, related_name="events")
    what = models.CharField(max_length=300)
    actor = models.ForeignKey(site_settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "pk"]
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.what} {self.at:%Y-%m-%d %H:%M}"
