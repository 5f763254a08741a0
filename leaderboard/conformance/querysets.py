"""Questions over conformance reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import OuterRef, Subquery

if TYPE_CHECKING:
    from leaderboard.conformance.models import ConformanceReport


class ConformanceQuerySet(models.QuerySet["ConformanceReport"]):
    """Questions over reports."""

    def newest_of(self, systems: list[int]) -> dict[int, ConformanceReport]:
        """The newest report of each of these systems that has one, its vectors left out. One query."""
        newest_first = self.filter(system=OuterRef("system")).order_by("-created_at", "-pk")
        newest = self.filter(system__in=systems, pk=Subquery(newest_first.values("pk")[:1]))
        return {report.system_id: report for report in newest.defer("vectors") if report.system_id}
