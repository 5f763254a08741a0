"""Model of benches. A bench is one job with the standard measurements of a suite for one system."""

from __future__ import annotations

from typing import Self, TypedDict

from django.conf import settings as site_settings
from django.db import models
from django.urls import reverse

from evaluation.core.suite import usable
from leaderboard.jobs.querysets import JobQuerySet
from leaderboard.runs.model_job import JobEvent, ModelJob
from leaderboard.runs.models import ModelFile

#: Up to this many cells are drawn as marks; more are drawn as a bar.
MOST_MARKS = 60


class BenchQuerySet(JobQuerySet["Bench"]):
    """Filters over benches, which are never public: only accounts that may see runs see them."""

    def for_list(self) -> Self:
        """Rows for lists: joined with the model file, without large columns."""
        return self.select_related("model_file").defer("report", "plan")


class PartProgress(TypedDict):
    name: str
    title: str
    cells: int
    rows: int
    done: int  # cells
    marks: list[str]  # per cell: done, now or next; empty above MOST_MARKS


class Bench(ModelJob):
    """A job that runs one system over a grid of measurements (cells) and tests the results against thresholds."""

    TASK, SERVER_TASK = "execute_bench", "execute_server_bench"
    AT_REST = {"at_hand": {}}

    suite_name = models.CharField("suite", max_length=40, help_text="Suite that defines the measurements.")
    name = models.CharField(max_length=80, help_text="Name of the system in tables and folders.")
    model_file = models.ForeignKey(
        ModelFile, null=True, blank=True, on_delete=models.PROTECT, related_name="benches"
    )
    size = models.CharField(max_length=20, help_text="Name of a size of the suite's bench.")
    seeds = models.PositiveSmallIntegerField(
        default=0, help_text="Number of seeds; 0: the default of the size."
    )
    parts = models.JSONField(default=list, blank=True, help_text="Names of the parts; empty: all that apply.")
    thresholds = models.JSONField(
        default=dict, blank=True, help_text="Map from a bar to its changed threshold."
    )
    started_by = models.ForeignKey(
        site_settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="benches"
    )

    plan = models.JSONField(default=list, blank=True, help_text="Name, title, cells and rows of each part.")
    cells = models.JSONField(default=dict, blank=True, help_text="Number of finished cells by part.")
    at_hand = models.JSONField(default=dict, blank=True, help_text="The current cell and its progress.")
    rate = models.FloatField(null=True, blank=True, help_text="Rows per second since the last start.")
    report = models.JSONField(null=True, blank=True, help_text="Engine's report of the finished cells.")
    bars = models.JSONField(default=list, blank=True, help_text="Bars (thresholds) with the values measured.")
    files_sha256 = models.CharField(
        max_length=64,
        blank=True,
        default="",
        help_text="SHA-256 of the archive of the result folder; empty: no archive.",
    )

    objects = BenchQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        verbose_name_plural = "benches"
        default_permissions = ()  # those of runs apply

    def __str__(self) -> str:
        return f"bench of {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("leaderboard:bench", args=[self.pk])

    @property
    def suite_title(self) -> str:
        """Title of the suite, or its name if it is no longer installed."""
        known = usable().get(self.suite_name)
        return known.title if known else self.suite_name

    @property
    def progress_by_part(self) -> list[PartProgress]:
        """Progress of each part, in order. Parts with few cells (single measurements) list the state of each cell."""
        parts: list[PartProgress] = []
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
        """Estimated number of unanswered rows, assuming that all measurements of a part have equally many rows."""
        left: float = sum(
            part["rows"] * (1 - part["done"] / part["cells"])
            for part in self.progress_by_part
            if part["cells"]
        )
        return max(left - float(self.at_hand.get("row", 0)), 0.0)

    @property
    def took(self) -> float | None:
        """Seconds from the first start to the end, pauses included; None if the bench has not finished."""
        if self.status != self.Status.FINISHED or not (self.started_at and self.finished_at):
            return None
        return (self.finished_at - self.started_at).total_seconds()

    @property
    def passed(self) -> int:
        return sum(bar["reached"] is True for bar in self.bars)

    @property
    def missed(self) -> int:
        return sum(bar["reached"] is False for bar in self.bars)


class BenchEvent(JobEvent):
    bench = models.ForeignKey(Bench, on_delete=models.CASCADE, related_name="events")

    class Meta(JobEvent.Meta):
        default_permissions = ()
