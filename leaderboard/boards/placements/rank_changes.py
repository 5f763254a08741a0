"""What a new grader did to a board: the rank of every system before and after a regrade round.

A *round* is named by the grader that graded again: all scores of that grader which are not the first
revision of their submission. It compares two gradings of **the same submissions**: those that have a score of
the round and one of the revision before it, and that are public and not withdrawn now. Before and after, each
system is represented by the best of these submissions, as a board would choose it, and both boards are ranked
by the one function that ranks every board. What came later, and what was never graded again, takes no part:
so only the grader differs.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple
from uuid import UUID

from leaderboard.benchmarks.models import Version
from leaderboard.boards import rows
from leaderboard.boards.rows import BoardRow
from leaderboard.submissions.models import Score, Submission, System
from leaderboard.submissions.services import headline_of


@dataclass(frozen=True, slots=True)
class Change:
    """One system: its line of the board before and after."""

    before: BoardRow
    after: BoardRow

    @property
    def system(self) -> System:
        return self.after.system

    @property
    def places(self) -> int | None:
        """How many places it went up (negative: down); None where it is or was without a rank."""
        if self.before.rank is None or self.after.rank is None:
            return None
        return self.before.rank - self.after.rank

    @property
    def places_down(self) -> int:
        return -(self.places or 0)

    @property
    def difference(self) -> float | None:
        """The headline after minus before."""
        if self.before.value is None or self.after.value is None:
            return None
        return self.after.value - self.before.value

    @property
    def moved(self) -> bool:
        return self.before.rank != self.after.rank


@dataclass(frozen=True, slots=True)
class Round:
    """Every system that a grader graded again, in the order of the board after."""

    grader: str
    before: str
    started_at: datetime
    ended_at: datetime
    submissions: int
    changes: list[Change]

    @property
    def moved(self) -> int:
        """Systems whose rank is another one."""
        return sum(change.moved for change in self.changes)


class Grading(NamedTuple):
    """One score, as far as choosing needs it: there may be thousands."""

    score: int
    submission: UUID
    system: int
    sent_at: datetime
    grader: str
    headline: float | None
    graded_at: datetime  # when its revision was made


_COLUMNS = (
    "pk",
    "submission_id",
    "submission__system_id",
    "submission__created_at",
    "grader",
    "headline",
    "created_at",
)
#: What no line of the page shows, and is large.
_UNSEEN = (
    "groups",
    "measures",
    "cells",
    "cell_scores",
    "spread",
    "failures",
    "submission__provenance",
    "submission__flags",
)
Pair = tuple[Grading, Grading]


def rounds(version: Version) -> list[Round]:
    """The regrade rounds of a version, the newest first."""
    by_grader: dict[str, list[Pair]] = {}
    for before, after in _pairs(version):
        by_grader.setdefault(after.grader, []).append((before, after))
    found = [_round(version, grader, pairs) for grader, pairs in by_grader.items()]
    return sorted(found, key=lambda each: each.started_at, reverse=True)


def _pairs(version: Version) -> list[Pair]:
    """(revision, next revision) of every submission that everybody may read and that was not withdrawn."""
    public = Submission.objects.filter(version=version, visibility=Submission.Visibility.PUBLIC)
    again = Score.objects.filter(submission__in=public.filter(withdrawn_at=None), revision__gt=1)
    scores = Score.objects.filter(submission__in=again.values("submission")).order_by(
        "submission", "revision"
    )
    gradings = (Grading(*row) for row in scores.values_list(*_COLUMNS))
    return [(before, after) for before, after in pairwise(gradings) if before.submission == after.submission]


def _round(version: Version, grader: str, pairs: list[Pair]) -> Round:
    before = {row.system.pk: row for row in _board(version, [old for old, _ in pairs])}
    after = _board(version, [new for _, new in pairs])
    times = [new.graded_at for _, new in pairs]
    return Round(
        grader=grader,
        before=", ".join(sorted({old.grader for old, _ in pairs})),
        started_at=min(times),
        ended_at=max(times),
        submissions=len(pairs),
        changes=[Change(before=before[row.system.pk], after=row) for row in after],
    )


def _board(version: Version, gradings: list[Grading]) -> list[BoardRow]:
    """The board that these gradings make: the best of each system, ranked. Only these are loaded."""
    best: dict[int, int] = {}
    for grading in sorted(gradings, key=lambda grading: _preference(version, grading)):
        best.setdefault(grading.system, grading.score)
    scores = Score.objects.select_related("submission__system__owner", "submission__submitter")
    loaded = scores.defer(*_UNSEEN).in_bulk(list(best.values()))
    return rows.of_scores(version, [loaded[score] for score in best.values() if score in loaded])


def _preference(version: Version, grading: Grading) -> tuple[bool, float, float]:
    """Sorts as `submissions.choose_shown` chooses: the best headline, the newest of equals."""
    sign = 1 if headline_of(version.suite).better == "lower" else -1
    return grading.headline is None, sign * (grading.headline or 0), -grading.sent_at.timestamp()
