"""Keys with which the site signs scores, and the signed receipts."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

from leaderboard.submissions.models.score import Score


class SigningKey(models.Model):
    """An Ed25519 key of this site. The newest key signs, and older keys stay listed to verify their receipts."""

    public = models.CharField(max_length=64, unique=True, help_text="Ed25519 key: 32 bytes in hexadecimal.")
    private = models.CharField(max_length=64, help_text="Ed25519 key: 32 bytes in hexadecimal.")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return self.keyid

    @property
    def keyid(self) -> str:
        return self.public[:16]


class Receipt(models.Model):
    """The signed statement about a score, with the values that the site showed at the time of signing."""

    score = models.OneToOneField(Score, on_delete=models.CASCADE, related_name="receipt")
    envelope: models.JSONField[dict[str, Any]] = models.JSONField(help_text="A DSSE envelope.")
    signed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"of {self.score}"
