"""QuerySet of versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import get_object_or_404

from evaluation.core.suite import usable
from leaderboard.jobs.querysets import JobQuerySet

if TYPE_CHECKING:
    from leaderboard.benchmarks.models import Version


class FrozenError(Exception):
    """Raised on an attempt to change or delete a frozen version."""


class VersionQuerySet(JobQuerySet["Version"]):
    """QuerySet that filters versions by visibility, and refuses to change or delete frozen versions."""

    def readable(self) -> VersionQuerySet:
        """Frozen or retired versions, which are public. Leaves out versions whose suite is not installed."""
        known = self.filter(status__in=self.model.FINAL, benchmark__suite__in=usable())
        return known.select_related("benchmark")

    def open(self) -> VersionQuerySet:
        """Versions that accept submissions."""
        known = self.filter(status=self.model.Status.FROZEN, benchmark__suite__in=usable())
        return known.select_related("benchmark")

    def with_twins(self) -> VersionQuerySet:
        """Load each version's public twin, or the version of which it is the twin, in the same query."""
        return self.select_related("twin__benchmark", "twin_of__benchmark")

    def without_twins(self) -> VersionQuerySet:
        """Leave out public twins, which have no ranks and appear beside their originals."""
        return self.filter(twin_of=None)

    def get_readable(self, benchmark: str, slug: str) -> Version:
        """The frozen or retired version at this address. Raises Http404."""
        version: Version = get_object_or_404(
            self.readable().with_twins().select_related("preset"), benchmark__slug=benchmark, slug=slug
        )
        return version

    def by_address(self, address: str) -> Version | None:
        """The version at `<benchmark>/<version>`, or None."""
        benchmark, _, slug = address.partition("/")
        return self.filter(benchmark__slug=benchmark, slug=slug).first()

    def delete(self) -> tuple[int, dict[str, int]]:
        if self.filter(status__in=self.model.FINAL).exists():
            raise FrozenError("A frozen version cannot be deleted. Retire it instead.")
        return super().delete()

    def update(self, **values: Any) -> int:
        touched = self.model.SEALED_FIELDS & values.keys()
        if touched and self.filter(status__in=self.model.FINAL).exists():
            raise FrozenError(f"A frozen version cannot change ({', '.join(sorted(touched))}).")
        return super().update(**values)
