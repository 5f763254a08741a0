"""Compares a submission with the previous one of its system: a paired test, and the rows whose answers changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from leaderboard.benchmarks import storage
from leaderboard.boards.comparison.comparison import Cell, Comparison, Line
from leaderboard.boards.comparison.disagreements import Matrix, Row
from leaderboard.submissions.models import Submission

#: Patterns of the matrix (last, this): wrong then and right now, and the reverse.
GAINED, LOST = "wr", "rw"
MOST_FIGURES = 6  # significantly changed figures listed besides the headline
MOST_ROWS = 5  # rows listed of each kind


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """Rows that only one of two submissions answers correctly."""

    pattern: str
    count: int
    rows: Sequence[Row]  # the first few
    url: str  # lists all of them


class SinceLast:
    """Comparison of a submission with `last`, an older one of its system. Both are graded and of the same version."""

    def __init__(self, submission: Submission, last: Submission) -> None:
        self.submission, self.last = submission, last
        self.comparison = Comparison(submission.version, [last, submission])

    @property
    def refusal(self) -> str:
        return self.comparison.refusal

    @property
    def url(self) -> str:
        return f"{reverse('leaderboard:compare')}?{self._query()}"

    @property
    def headline(self) -> Line:
        return self.comparison.headline

    @property
    def change(self) -> Cell:
        """The headline of the submission, and its difference from the last submission."""
        return self.headline.cells[1]

    @cached_property
    def others(self) -> list[tuple[Line, Cell]]:
        """The first few metrics, other than the headline, that changed significantly (the interval excludes 0)."""
        lines = [(line, line.cells[1]) for line in self.comparison.paired if not line.column.headline]
        return [(line, cell) for line, cell in lines if cell.verdict in ("better", "worse")][:MOST_FIGURES]

    @cached_property
    def rows(self) -> list[ChangedRows]:
        """Two groups of rows: newly right and newly wrong. Empty on a sealed version, or if verdicts cannot be read."""
        if not self.comparison.shows_rows:
            return []
        try:
            return [self._rows(pattern) for pattern in (GAINED, LOST)]
        except storage.DamagedFileError:
            return []

    def _rows(self, pattern: str) -> ChangedRows:
        page = Matrix(self.comparison, pattern=pattern).page(1)
        url = f"{self.url}&{urlencode({'pattern': pattern})}#rows"
        return ChangedRows(pattern, page.paginator.count, list(page.object_list)[:MOST_ROWS], url)

    def _query(self) -> str:
        return urlencode([("s", str(self.last.pk)), ("s", str(self.submission.pk))])


def since_last(submission: Submission, reader: Any) -> SinceLast | None:
    """Compare a submission with the previous graded submission of its system that the reader may see.

    Returns None if there is no previous submission, or if the submission is a trial or not graded. A mean of repeats is
    compared with single submissions and other means, never with its own repeats.
    """
    if submission.score is None or submission.is_trial:
        return None
    earlier = Submission.objects.visible_to(reader).with_names()
    earlier = earlier.filter(
        system_id=submission.system_id,
        version_id=submission.version_id,
        score__isnull=False,
        created_at__lt=submission.created_at,
        run__row_limit__isnull=True,
    ).exclude(pk=submission.pk)
    own = submission.pk if submission.is_mean else submission.mean_id
    if own is not None:
        earlier = earlier.exclude(mean_id=own).exclude(pk=own)
    else:
        earlier = earlier.filter(mean__isnull=True)  # the mean stands for its repeats
    last = earlier.order_by("-created_at", "pk").first()
    return SinceLast(submission, last) if last else None
