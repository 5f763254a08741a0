"""Filters over versions by visibility."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import get_object_or_404

from evaluation.core.suite import usable
from leaderboard.jobs.querysets import JobQuerySet

if TYPE_CHECKING:
    from leaderboard.benchmarks.models import Version


class FrozenError(Exception):
    """Attempt to change or delete a frozen version."""


class VersionQuerySet(JobQuerySet["Version"]):
    """Filters over versions. Bulk changes of frozen ones are refused."""

    def readable(self) -> VersionQuerySet:
        """Public versions: frozen or retired, of installed suites (others cannot be read)."""
        known = self.filter(status__in=self.model.FINAL, benchmark__suite__in=usable())
        return known.select_related("benchmark")

    def open(self) -> VersionQuerySet:
        """Versions that take submissions."""
        known = self.filter(status=self.model.Status.FROZEN, benchmark__suite__in=usable())
        return known.select_related("benchmark")

    def with_twins(self) -> VersionQuerySet:
        """Joined with public twin and original."""
        return self.select_related("twin__benchmark", "twin_of__benchmark")

    def without_twins(self) -> VersionQuerySet:
        """Without public twins: they have no ranks and appear beside their originals."""
        return self.filter(twin_of=None)

    def get_readable(self, benchmark: str, slug: str) -> Version:
        """The frozen or retired version at this address. Raises Http404."""
        version: Version = get_object_or_404(
            self.readable().with_twins().select_related("preset"), benchmark__slug=benchmark, slug=slug
        )
        return version

    def by_address(self, address: str) -> Version | None:
        """The version at `<benchmark>/<version>`."""
        benchmark, _, slug = address.partition("/")
        return self.filter(benchmark__slug=benchmark, slug=slug).first()

    def delete(self) -> tuple[int, dict[str, int]]:
        if self.filter(status__in=self.model.FINAL).exists():
            raise FrozenError("A frozen version cannot be deleted. Retire it instead.")
        return super().delete()

    def update(self, **values: Any) -> int:
        touched = self.model.SEALED_FIELDS & values.keys()
        if touched and self.filter(status__in=self.model.FINAL).exists():
            raise FrozenError(f"A frozen version's {', '.join(sorted(touched))} cannot change.")
        return super().update(**values)
