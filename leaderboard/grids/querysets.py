"""Questions over benches: those over jobs of any kind, and what lists show of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from leaderboard.jobs.querysets import JobQuerySet

if TYPE_CHECKING:
    from leaderboard.grids.models import Bench  # noqa: F401 (names the row)


class BenchQuerySet(JobQuerySet["Bench"]):
    """Benches are seen by who may see runs; nothing of them is public."""

    def for_list(self) -> Self:
        """With the names that a list shows, without the report."""
        return self.select_related("model_file").defer("report", "plan")

    def in_status(self, status: str) -> Self:
        """Those of a status; all where none is named."""
        return self.filter(status=status) if status else self

    def of_model(self, model_file: Any) -> Self:
        """Those of a model file, newest first."""
        return self.for_list().filter(model_file=model_file).order_by("-created_at")
