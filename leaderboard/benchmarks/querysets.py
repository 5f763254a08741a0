"""Questions over versions: who may see which of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.shortcuts import get_object_or_404

from evaluation.core.suite import usable
from leaderboard.jobs.querysets import JobQuerySet

if TYPE_CHECKING:
    from leaderboard.benchmarks.models import Version


class FrozenError(Exception):
    """Something tried to change or delete a frozen version."""


class VersionQuerySet(JobQuerySet["Version"]):
    """Questions over versions. Bulk changes that would touch a frozen one are refused here as well."""

    def readable(self) -> VersionQuerySet:
        """What the public sees: frozen and retired, where their suite is installed: nobody else can read them."""
        known = self.filter(status__in=self.model.FINAL, benchmark__suite__in=usable())
        return known.select_related("benchmark")

    def open(self) -> VersionQuerySet:
        """What takes submissions."""
        known = self.filter(status=self.model.Status.FROZEN, benchmark__suite__in=usable())
        return known.select_related("benchmark")

    def with_twins(self) -> VersionQuerySet:
        """With the public twin of each, or the version whose twin it is."""
        return self.select_related("twin__benchmark", "twin_of__benchmark")

    def without_twins(self) -> VersionQuerySet:
        """All but public twins: they rank nobody, and stand beside their versions."""
        return self.filter(twin_of=None)

    def get_readable(self, benchmark: str, slug: str) -> Version:
        """The frozen or retired one at this address. Raises Http404."""
        version: Version = get_object_or_404(
            self.readable().with_twins().select_related("preset"), benchmark__slug=benchmark, slug=slug
        )
        return version

    def by_address(self, address: str) -> Version | None:
        """The one at `<benchmark>/<version>`."""
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
