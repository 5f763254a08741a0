"""Models of stored placements and figures by length, and of marks that placements must be computed."""

from __future__ import annotations

from django.db import models

from leaderboard.benchmarks.models import Version


class StoredPlacements(models.Model):
    """The placements on one board of a version. A board covers all rows, a part of the rows, or a regrade round."""

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="stored_placements")
    part = models.TextField(
        blank=True, help_text="Name of the part of the rows that is ranked; empty: all rows."
    )
    ranking = models.CharField(max_length=60, help_text="Name of the ranking method.")
    fingerprint = models.CharField(max_length=64, help_text="Fingerprint of the ranked scores.")
    places = models.BinaryField(help_text="Compressed JSON, see `placements.stored`.")
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "stored placements"
        constraints = [models.UniqueConstraint(fields=["version", "part"], name="placements_part_once")]

    def __str__(self) -> str:
        return f"{self.version_id} {self.part}".strip()


class StoredLengths(models.Model):
    """Figures by length of each system on the board of a version. Versions without several text lengths have none."""

    version = models.OneToOneField(
        Version, on_delete=models.CASCADE, primary_key=True, related_name="stored_lengths"
    )
    method = models.CharField(max_length=60, help_text="Name of the method that computed the figures.")
    fingerprint = models.CharField(max_length=64, help_text="Fingerprint of the scores behind the figures.")
    figures = models.BinaryField(help_text="Compressed JSON, see `lengths.computing`.")
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "stored lengths"

    def __str__(self) -> str:
        return f"{self.version_id}"


class DuePlacements(models.Model):
    """Marks a version whose board changed since its placements were computed. One task claims and deletes the mark."""

    version = models.OneToOneField(
        Version, on_delete=models.CASCADE, primary_key=True, related_name="due_placements"
    )
    since = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "due placements"

    def __str__(self) -> str:
        return f"{self.version_id} since {self.since}"
