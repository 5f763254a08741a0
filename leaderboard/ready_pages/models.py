"""Models of marks that record changes to public content, and of pages rendered ahead of requests."""

from __future__ import annotations

import hashlib

from django.db import connection, models


class ContentChange(models.Model):
    """Record of a write to public content. Pages rendered before the write are outdated.

    On PostgreSQL each statement adds a record, so that no transaction waits for another.
    """

    token = models.CharField(max_length=32, blank=True)

    class Meta:
        verbose_name = "change of content"
        verbose_name_plural = "changes of content"

    def __str__(self) -> str:
        return f"{self.pk} {self.token}"


class RenderedPage(models.Model):
    """A page rendered ahead by a worker, ready to send. Valid only while the site has the same state."""

    key = models.CharField(max_length=64, primary_key=True, help_text="SHA-256 of the absolute address.")
    state = models.CharField(max_length=80, help_text="Fingerprint of content and code.")
    address = models.TextField()
    packed = models.BinaryField()
    headers = models.JSONField()
    etag = models.CharField(max_length=80)
    good_until = models.DateTimeField(
        db_index=True, help_text="When a relative time on the page, such as 5 min ago, becomes wrong."
    )

    class Meta:
        verbose_name = "page rendered ahead"
        verbose_name_plural = "pages rendered ahead"

    def __str__(self) -> str:
        return self.address


#: A single row, cheap to read. Ids are never reused, so count, sum and maximum identify a set of marks.
_STATE = "SELECT COUNT(*), MAX(id), SUM(id), MAX(token) FROM leaderboard_contentchange"
#: Old marks are deleted once there are more.
MOST_MARKS = 1000


def fingerprint() -> str:
    """Fingerprint of all public content, as this transaction sees it. Every committed write changes it."""
    with connection.cursor() as cursor:
        cursor.execute(_STATE)
        state = cursor.fetchone()
    return hashlib.sha256(repr(state).encode()).hexdigest()[:16]


def thin_out() -> int:
    """Delete all recorded changes but the newest if there are too many. Returns the number of deleted records.

    This changes the fingerprint once.
    """
    if ContentChange.objects.count() <= MOST_MARKS:
        return 0
    newest = ContentChange.objects.order_by("-pk").values_list("pk", flat=True).first()
    return ContentChange.objects.filter(pk__lt=newest).delete()[0]
