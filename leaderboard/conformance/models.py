"""Conformance reports: the requirements of a specification that an implementation fulfils, with the evidence."""

from __future__ import annotations

from functools import cached_property

from django.conf import settings
from django.db import models
from django.db.models import OuterRef, Subquery
from django.urls import reverse
from django.utils import timezone

from evaluation.statebench.conformance.requirements import Requirement, completed
from evaluation.statebench.conformance.suite import REVISION, whole
from leaderboard.submissions.models.system import System


class ConformanceQuerySet(models.QuerySet["ConformanceReport"]):
    def newest_of(self, systems: list[int]) -> dict[int, ConformanceReport]:
        """Newest report of each system, by system id, without vectors. Systems without a report are left out."""
        newest_first = self.filter(system=OuterRef("system")).order_by("-created_at", "-pk")
        newest = self.filter(system__in=systems, pk=Subquery(newest_first.values("pk")[:1]))
        return {report.system_id: report for report in newest.defer("vectors") if report.system_id}


class ConformanceReport(models.Model):
    """A stored conformance report. `verified`: this site ran its own implementation."""

    system = models.ForeignKey(
        System, null=True, blank=True, on_delete=models.CASCADE, related_name="conformance_reports"
    )
    implementation = models.CharField(max_length=200)
    vectors_sha256 = models.CharField(max_length=64, blank=True, help_text="SHA-256 of the vectors run.")
    suite_revision = models.PositiveIntegerField(
        default=1,
        help_text="Revision of the vectors and checks that judged the report; 1 in reports older than this field.",
    )
    seed = models.BigIntegerField(
        null=True, blank=True, help_text="Seed of the generated timelines; empty: none generated."
    )
    timelines = models.PositiveIntegerField(default=0, help_text="Number of generated timelines.")
    passed = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    # Also has `missing`, the vectors of the suite of that day that the report lacks. For today's suite see `judged`.
    requirements = models.JSONField(
        default=list, help_text="id, text, passed (null: not run), evidence, vectors."
    )
    vectors = models.JSONField(default=list, help_text="name, passed, evidence.")
    verified = models.BooleanField(default=False)
    seconds = models.FloatField(null=True, blank=True)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(default=timezone.now)

    objects = ConformanceQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        permissions = [("run_conformance", "Can have our own implementation checked again")]

    def __str__(self) -> str:
        ran = f", {self.ran}" if self.missing else ""
        return f"{self.name}: {self.requirements_passed} of {len(self.judged)} requirements{ran}"

    def get_absolute_url(self) -> str:
        return reverse("leaderboard:conformance_report", args=[self.pk])

    @property
    def name(self) -> str:
        return self.system.name if self.system else self.implementation

    @cached_property
    def judged(self) -> list[Requirement]:
        """The requirements, judged by all vectors of the current suite. Older reports lack newer vectors."""
        return completed(self.requirements, whole())

    @property
    def requirements_run(self) -> int:
        return sum(row["passed"] is not None for row in self.judged)

    @property
    def requirements_passed(self) -> int:
        return sum(row["passed"] is True for row in self.judged)

    @property
    def conforms(self) -> bool:
        """True if every requirement is met and was tested with all of its vectors."""
        return bool(self.judged) and all(row["passed"] for row in self.judged)

    @cached_property
    def missing(self) -> list[str]:
        """The vectors of this site's suite that the report lacks."""
        run = {vector for row in self.judged for vector in row.get("vectors", ())}
        named = dict.fromkeys(vector for row in self.judged for vector in row.get("missing", ()))
        return [vector for vector in named if vector not in run]

    @property
    def vectors_expected(self) -> int:
        """Number of vectors that a complete report has."""
        return self.total + len(self.missing)

    @property
    def is_of_this_suite(self) -> bool:
        return self.suite_revision == REVISION

    @property
    def ran(self) -> str:
        return f"{self.total} of {self.vectors_expected} vectors were run"
