"""A score: one graded revision of a submission. A new grader adds a revision; old ones stay readable."""

from __future__ import annotations

from typing import Any

from django.db import models


class Score(models.Model):
    """The engine's report, as the site keeps it. Verdicts lie in a file named by its SHA-256."""

    submission = models.ForeignKey("Submission", on_delete=models.CASCADE, related_name="scores")
    revision = models.PositiveSmallIntegerField(default=1)
    grader = models.CharField(max_length=60)
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
        default=bytes, help_text="The same for the worst condition; empty: not reported."
    )
    cells = models.JSONField(default=list, help_text="The parts of the rows that are ranked apart.")
    cell_scores = models.BinaryField(
        default=bytes, help_text="The same pairs for each of the cells, compressed; empty: not reported."
    )
    gated = models.BooleanField(default=False, help_text="A gate failed: shown and not ranked.")
    spread = models.JSONField(default=list, help_text="The order bias as [order, rate] pairs; empty: none.")
    measures = models.JSONField(
        default=list, help_text="What a system shows a model, a row a budget; empty: not measured."
    )
    failures = models.JSONField(default=dict, help_text="Failure code -> rows.")
    verdicts_sha256 = models.CharField(max_length=64, blank=True)
    seconds = models.FloatField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    graded_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-revision"]
        constraints = [
            models.UniqueConstraint(fields=["submission", "revision"], name="score_revision_once"),
            models.UniqueConstraint(fields=["submission", "grader"], name="score_grader_once"),
        ]

    def __str__(self) -> str:
        return f"{'not reported' if self.headline is None else f'{self.headline:.3f}'} ({self.grader})"

    def metric(self, name: str) -> Any:
        return self.metrics.get(name)

    def interval(self, name: str) -> list[float] | None:
        """The 95% interval of a metric; None where there is none, or where its ends are equal (see `scorecards`)."""
        found: list[float] | None = self.intervals.get(name)
        return found if found and found[0] != found[1] else None
