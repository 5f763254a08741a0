"""The effect of a new grader on a board: the rank of every system before and after a regrade round.

A *round* is all scores by one grader that replaced earlier scores. It compares two gradings of the same submissions,
public and not withdrawn. Submissions that were not regraded are left out, so that only the grader differs.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple
from uuid import UUID

from leaderboard.benchmarks.models import Version
from leaderboard.boards import rows, slices
from leaderboard.boards.placements import placements
from leaderboard.boards.rows import BoardRow
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions.models import Score, Submission, System


@dataclass(frozen=True, slots=True)
class Change:
    before: BoardRow
    after: BoardRow

    @property
    def system(self) -> System:
        return self.after.system

    @property
    def places(self) -> int | None:
        """Number of ranks gained (negative: lost). None if the system is not ranked both before and after."""
        if self.before.rank is None or self.after.rank is None:
            return None
        return self.before.rank - self.after.rank

    @property
    def places_down(self) -> int:
        return -(self.places or 0)

    @property
    def difference(self) -> float | None:
        if self.before.value is None or self.after.value is None:
            return None
        return self.after.value - self.before.value

    @property
    def moved(self) -> bool:
        return self.before.rank != self.after.rank


@dataclass(frozen=True, slots=True)
class Round:
    grader: str
    before: str
    started_at: datetime
    submissions: int
    changes: list[Change]

    @property
    def moved(self) -> int:
        return sum(change.moved for change in self.changes)


class Grading(NamedTuple):
    """The fields of a score that decide which submission represents its system. There may be thousands of scores."""

    score: int
    submission: UUID
    system: int
    sent_at: datetime
    grader: str
    declared: bool
    graded_at: datetime  # creation of its revision


_COLUMNS = (
    "pk",
    "submission_id",
    "submission__system_id",
    "submission__created_at",
    "grader",
    "submission__declared",
    "created_at",
)
#: Large fields that the page does not show.
_UNSEEN = (
    "groups",
    "measures",
    "cells",
    "cell_scores",
    "metric_sums",
    "spread",
    "failures",
    "submission__provenance",
    "submission__flags",
)
Pair = tuple[Grading, Grading]
#: The boards of a round are stored under these words and the grader.
BEFORE, AFTER = "before", "after"


def rounds(version: Version) -> list[Round]:
    """The regrade rounds of a version, newest first."""
    regrades = [_round(version, grader, pairs) for grader, pairs in _by_grader(version).items()]
    return sorted(regrades, key=lambda each: each.started_at, reverse=True)


def store(version: Version) -> int:
    """Compute and store missing placements before and after each round. Returns the number of boards computed."""
    boards = (
        (side, grader, _entries(version, [pair[at] for pair in pairs]))
        for grader, pairs in _by_grader(version).items()
        for at, side in enumerate((BEFORE, AFTER))
    )
    computed = (
        placements.store_scores(version, {score.submission_id: score for score in scores}, f"{side} {grader}")
        for side, grader, scores in boards
    )
    return sum(computed)


def _by_grader(version: Version) -> dict[str, list[Pair]]:
    by_grader: dict[str, list[Pair]] = {}
    for before, after in _pairs(version):
        by_grader.setdefault(after.grader, []).append((before, after))
    return by_grader


def _pairs(version: Version) -> list[Pair]:
    """Pairs of successive gradings, for every regraded submission that a board may show."""
    public = Submission.objects.for_boards().filter(version=version)
    standing = public.filter(withdrawn_at=None, mean=None)  # a repeat never stands alone
    again = Score.objects.filter(submission__in=standing, revision__gt=1)
    if not Score.objects.filter(revision__gt=1).exists():  # cheap: a partial index holds only regrades
        return []
    scores = Score.objects.filter(submission__in=again.values("submission")).order_by(
        "submission", "revision"
    )
    gradings = (Grading(*row) for row in scores.values_list(*_COLUMNS))
    return [(before, after) for before, after in pairwise(gradings) if before.submission == after.submission]


def _round(version: Version, grader: str, pairs: list[Pair]) -> Round:
    former, newer = (_entries(version, [pair[at] for pair in pairs]) for at in (0, 1))
    before = {row.system.pk: row for row in rows.score_rows(version, former, f"{BEFORE} {grader}")}
    after = rows.score_rows(version, newer, f"{AFTER} {grader}")
    return Round(
        grader=grader,
        before=", ".join(sorted({old.grader for old, _ in pairs})),
        started_at=min(new.graded_at for _, new in pairs),
        submissions=len(pairs),
        changes=[Change(before=before[row.system.pk], after=row) for row in after],
    )


def _entries(version: Version, gradings: list[Grading]) -> list[Score]:
    """The scores that a board of these gradings shows, one per system. Other scores are not loaded."""
    entries: dict[int, int] = {}
    for grading in sorted(gradings, key=_preference):
        entries.setdefault(grading.system, grading.score)
    scores = Score.objects.select_related("submission__system__owner", "submission__submitter")
    unseen = set(_UNSEEN) - ({"cells", "cell_scores"} if slices.worst_of(version, WHOLE) else set())
    loaded = scores.defer(*unseen).in_bulk(list(entries.values()))
    return [loaded[score] for score in entries.values() if score in loaded]


def _preference(grading: Grading) -> tuple[bool, float]:
    """Sort key of gradings: newest declared submission first, else the oldest, as `submissions.choose_shown` does."""
    sent_at = grading.sent_at.timestamp()
    return (False, -sent_at) if grading.declared else (True, sent_at)
