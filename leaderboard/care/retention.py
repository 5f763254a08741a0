"""Removes files of predictions and transcripts after the configured number of days; metrics and verdicts stay."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.core.cache import caches
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from leaderboard.benchmarks import storage
from leaderboard.care import files
from leaderboard.submissions.models import Submission

#: Interval of the periodic removal in seconds, and submissions per transaction.
EVERY_S, BATCH = 3600, 500


def remove_when_due() -> int:
    """Run `remove` at most once an hour. Returns the number of removed files."""
    if not (settings.KEEP_UPLOADS_DAYS or settings.KEEP_TRANSCRIPTS_DAYS):
        return 0
    return remove() if caches["results"].add("retention", 1, EVERY_S) else 0


def remove() -> int:
    """Remove files whose retention period is over. Returns their number. A file stays while other rows refer to it."""
    return sum(_remove(rows, column) for rows, column in _due())


def _due() -> Iterator[tuple[QuerySet[Submission], str]]:
    """Yield submissions past a retention period, with the name of the column that identifies the file to remove."""
    # Shipped files are part of the source anyway.
    settled = Submission.objects.exclude(status__in=Submission.PENDING).exclude(
        source=Submission.Source.SHIPPED
    )
    if days := settings.KEEP_UPLOADS_DAYS:
        uploads = settled.exclude(source__in=Submission.OURS).filter(file_removed_at=None)
        yield _older(uploads, days), "file_sha256"
    if days := settings.KEEP_TRANSCRIPTS_DAYS:
        yield _older(settled, days), "transcripts_sha256"


def _older(rows: QuerySet[Submission], days: int) -> QuerySet[Submission]:
    return rows.filter(created_at__lt=timezone.now() - timedelta(days=days))


def _remove(rows: QuerySet[Submission], column: str) -> int:
    # Mark the rows first: no row may name a file that is gone.
    now, gone = timezone.now(), 0
    while batch := list(
        rows.exclude(**{column: ""}).order_by("created_at").values_list("pk", column)[:BATCH]
    ):
        marks: dict[str, object] = {"file_removed_at": now}
        if column == "transcripts_sha256":
            marks = {"transcripts_removed_at": now, column: ""}
        with transaction.atomic():
            Submission.objects.filter(pk__in=[pk for pk, _ in batch]).update(**marks)
        gone += files.discard_unnamed({(sha256, storage.LINES) for _, sha256 in batch})
    return gone
