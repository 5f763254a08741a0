"""Counts of submissions that database triggers update, so that pages need not count."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import connections, models, router, transaction
from django.db.models import Sum

from evaluation.core.suite import usable
from leaderboard.benchmarks.models.version import Version
from leaderboard.submissions.models.system import System

#: Columns that are counted separately.
KEYS = ("version_id", "status", "visibility", "shown", "source")


class SubmissionCountQuerySet(models.QuerySet["SubmissionCount"]):
    def readable(self) -> SubmissionCountQuerySet:
        """Keep only counts for versions of installed suites."""
        return self.exclude(version__in=Version.objects.exclude(benchmark__suite__in=usable()).values("pk"))

    def total(self) -> int:
        return int(self.aggregate(total=Sum("number"))["total"] or 0)


class SubmissionCount(models.Model):
    """A partial count of submissions. The count for given values of KEYS is the sum over all rows with these values.

    On PostgreSQL each write adds a row of +1 or -1, so that transactions do not wait for each other, and `fold`
    merges the rows. On SQLite, which has one writer at a time anyway, a single row is updated.
    """

    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="submission_counts")
    status = models.CharField(max_length=10)
    visibility = models.CharField(max_length=10)
    shown = models.BooleanField()
    source = models.CharField(max_length=10)
    number = models.IntegerField()

    objects: ClassVar[Any] = SubmissionCountQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["version", "status", "visibility", "shown", "source"], name="submission_counts"
            )
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.visibility} {self.status}"

    @classmethod
    def fold(cls) -> int:
        """Merge rows with the same values of KEYS. Returns how many rows were removed."""
        with transaction.atomic(using=router.db_for_write(cls)):
            there = cls.objects.select_for_update() if _locks_rows(cls) else cls.objects.all()
            rows = list(there.order_by("pk").values_list("pk", *KEYS, "number"))
            sums: dict[tuple[Any, ...], int] = {}
            for _, *key, number in rows:
                sums[tuple(key)] = sums.get(tuple(key), 0) + number
            folded = {key: number for key, number in sums.items() if number}
            if len(rows) == len(folded):
                return 0
            cls.objects.filter(pk__in=[pk for pk, *_ in rows]).delete()
            cls.objects.bulk_create(
                cls(**dict(zip(KEYS, key, strict=True)), number=number) for key, number in folded.items()
            )
            return len(rows) - len(folded)


def _locks_rows(model: type[models.Model]) -> bool:
    return connections[router.db_for_write(model)].features.has_select_for_update


class SystemCounts(models.Model):
    """The number of public submissions of a system, and the creation time of the newest.

    Averages of repeats are not counted.
    """

    system = models.OneToOneField(System, on_delete=models.CASCADE, primary_key=True, related_name="counts")
    public = models.IntegerField(default=0)
    newest = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "system counts"
        indexes = [models.Index(fields=["-newest", "system"], name="system_newest")]

    def __str__(self) -> str:
        return f"{self.public} public"
