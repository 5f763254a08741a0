"""Submissions of different accounts whose files have the same answers or the same wrong answers."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from leaderboard.submissions.models.submission import Submission


class AnswerPrint(models.Model):
    """Hashes of a graded file's answers, to find similar files without reading them."""

    submission = models.OneToOneField(
        Submission, on_delete=models.CASCADE, primary_key=True, related_name="answer_print"
    )
    answers_sha256 = models.CharField(
        max_length=64,
        blank=True,
        db_index=True,
        help_text="SHA-256 of all answers by row; empty: no row is answered.",
    )
    mistakes = models.PositiveIntegerField(default=0, help_text="Number of wrong answers.")
    mistake_sketch = models.BinaryField(
        default=bytes, help_text="The smallest hashes of wrong answers, 8 bytes each."
    )

    def __str__(self) -> str:
        return f"{self.answers_sha256[:12]}, {self.mistakes} wrong"


class Likeness(models.Model):
    """A submission whose file resembles an earlier file of another account, or a file of a reference system."""

    class Kind(models.TextChoices):
        SAME_FILE = "same_file", "The same file"
        SAME_ANSWERS = "same_answers", "The same answers"
        SAME_MISTAKES = "same_mistakes", "The same wrong answers"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="likenesses")
    original = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind)
    evidence = models.JSONField(
        default=dict,
        help_text="Counts of equal answers. For a sealed version, shown only with permission to see the answers.",
    )
    told = models.BooleanField(
        default=True,
        help_text="Whether all readers see that the files are alike while answers are secret; "
        "true only if that reveals no answer.",
    )
    found_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(null=True, blank=True, help_text="When a moderator reviewed the likeness.")
    seen_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        verbose_name_plural = "likenesses"
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["submission", "original"], name="likeness_once")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.submission} and {self.original}"
