"""Scores: the gradings of a submission. A new grader adds a score, and older scores stay readable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from django.db import models
from django.db.models import Q

from evaluation.core.records import Figures, Number
from evaluation.core.statistics import VERSION, few_repeats


class ScoreColumns(TypedDict, total=False):
    """The values of a `Score` that a grading computes. `group_rows` is stored inside the column `exact`."""

    headline: float | None
    metrics: dict[str, Number]
    intervals: dict[str, tuple[float, float] | None]
    groups: Mapping[str, Mapping[str, Figures]]
    #: grouping -> group -> metric -> number of rows.
    group_rows: Mapping[str, Mapping[str, Mapping[str, float]]]
    unit_scores: bytes
    robust_scores: bytes
    cells: list[list[str]]
    cell_scores: bytes
    metric_sums: bytes
    statistics: int
    repeats: int
    run_sds: dict[str, float]
    gated: bool
    spread: Sequence[tuple[str, float | None]]
    measures: Sequence[Mapping[str, object]]
    failures: dict[str, int]
    seconds: float
    asked: int | None
    verdicts_sha256: str


class Score(models.Model):
    """A grading of a submission. The verdicts on rows are in a stored file, named by its SHA-256."""

    submission = models.ForeignKey("Submission", on_delete=models.CASCADE, related_name="scores")
    revision = models.PositiveSmallIntegerField(default=1)
    grader = models.CharField(max_length=60)
    asked = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Number of rows of a trial, over which all metrics are computed. "
        "Empty: all rows of the version.",
    )
    headline = models.FloatField(
        null=True, blank=True, help_text="The suite's headline metric, for ordering."
    )
    metrics = models.JSONField(default=dict)
    intervals = models.JSONField(default=dict)
    groups = models.JSONField(default=dict)
    unit_scores = models.BinaryField(
        default=bytes, help_text="float32 pairs (sum, rows) of the headline per unit."
    )
    robust_scores = models.BinaryField(
        default=bytes,
        help_text="float32 pairs (sum, rows) of the worst condition per unit; empty: not reported.",
    )
    cells = models.JSONField(
        default=list, help_text="Parts of the rows by which a board can rank, each as a list of names."
    )
    cell_scores = models.BinaryField(
        default=bytes,
        help_text="float32 pairs (sum, rows) per unit of each item of `cells`, compressed; empty: not reported.",
    )
    metric_sums = models.BinaryField(
        default=bytes, help_text="Sums of each rate by unit, see `score_sums`; empty: an older grading."
    )
    statistics = models.PositiveSmallIntegerField(
        default=1, help_text="Version of the statistics that made the intervals; 1 was the bootstrap."
    )
    repeats = models.PositiveSmallIntegerField(
        default=1, help_text="Number of repeats that are averaged; 1: a single file."
    )
    run_sds = models.JSONField(
        default=dict,
        help_text="Metric -> standard deviation between the repeats, with repeats - 1 degrees of freedom.",
    )
    exact = models.JSONField(
        default=dict,
        help_text="Metrics before rounding, for a version whose answers are secret; never shown on pages or in the "
        "API. Empty: the metrics are not rounded.",
    )
    exact_headline = models.FloatField(
        null=True, blank=True, help_text="The headline before rounding, by which ranks are computed."
    )
    rounding = models.PositiveSmallIntegerField(
        default=1, help_text="Number of the rounding rule, see `sealed_figures.RULE`."
    )
    by_split = models.BooleanField(
        default=True, help_text="Whether metrics besides the headline, and metrics by split, are shown."
    )
    gates = models.JSONField(
        default=list,
        help_text="State of each gate, computed from exact metrics; empty: computed from `metrics`.",
    )
    gated = models.BooleanField(
        default=False, help_text="A requirement failed: the score is shown without a rank."
    )
    spread = models.JSONField(default=list, help_text="Order bias as [order, rate] pairs; empty: none.")
    measures = models.JSONField(
        default=list,
        help_text="Measures of the context that the system builds, one item per token budget; empty: not measured.",
    )
    failures = models.JSONField(default=dict, help_text="Failure code -> number of rows.")
    verdicts_sha256 = models.CharField(max_length=64, blank=True)
    seconds = models.FloatField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    graded_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-revision"]
        indexes = [
            models.Index(
                fields=["revision", "submission"], condition=Q(revision__gt=1), name="score_regraded"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["submission", "revision"], name="score_revision_once"),
            models.UniqueConstraint(fields=["submission", "grader"], name="score_grader_once"),
        ]

    def __str__(self) -> str:
        return f"revision {self.revision} ({self.grader})"

    @property
    def ranked_by(self) -> float | None:
        """The headline metric before rounding, which ranks use."""
        return self.headline if self.exact_headline is None else self.exact_headline

    @property
    def has_older_intervals(self) -> bool:
        """True if an older release of the statistics computed the intervals. Grading again updates them."""
        return self.statistics != VERSION

    def metric(self, name: str) -> Any:
        return self.metrics.get(name)

    @property
    def doubt(self) -> str:
        """A warning that the score has too few repeats, or an empty text."""
        return few_repeats(self.repeats) if self.repeats > 1 else ""

    def interval(self, name: str) -> list[float] | None:
        """Return the 95% interval of a metric, or None if it is missing or its ends are equal."""
        ends: list[float] | None = self.intervals.get(name)
        return ends if ends and ends[0] != ends[1] else None
