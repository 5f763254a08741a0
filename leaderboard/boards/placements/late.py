"""A board whose ranks are late: those of before, and how far the new ones are.

Only the page of a board shows them, and says of when they are. Files, the API and comparisons have the ranks of now
or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from django.db.models import QuerySet

from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import ahead, placements, ranking, stored
from leaderboard.boards.placements.ranking import COMPUTING, NEW, Placement
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.models import Submission


class LateRanks(NamedTuple):
    """How far a worker is with the ranks of a version."""

    as_of: datetime | None  # of the ranks that are shown; None: none are
    done: int  # boards that are computed
    boards: int
    is_at_work: bool
    is_grading: bool  # submissions of the version wait for their grades, and ranks for those

    @property
    def words(self) -> str:
        """Of when the ranks are, and what the new ones wait for."""
        who = "New ones" if self.as_of else "Ranks"
        if self.is_at_work:
            waits = f"are being computed ({self.done} of {self.boards} boards)"
        elif self.is_grading:
            waits = "come when the submissions on their way are graded"
        else:
            waits = f"wait for a worker ({self.done} of {self.boards} boards are computed)"
        shown = f"Ranks as of {self.as_of:%-d %b %Y, %H:%M} UTC. " if self.as_of else ""
        return f"{shown}{who} {waits}."


def with_former_ranks(
    version: Version, shown: QuerySet[Submission], part: BoardSlice, now: Sequence[Placement]
) -> tuple[list[Placement], LateRanks | None]:
    """The places of a board, those of late ranks with the ranks of before.

    Args:
        version: Whose board it is.
        shown: The submissions of it.
        part: Whose rows to order by.
        now: Its places, see `placements.board_placements`.

    Returns:
        The places in their order, and None where their ranks are those of now, or where there will be none.
    """
    if ranking.why_nobody(now) != COMPUTING:
        return list(now), None
    former = stored.former(version, part.name)
    ranks = {each.key: each.as_tested() for each in former.placements if each.rank} if former else {}
    carried = [_carried(place, ranks.get(place.key), bool(ranks)) for place in now]
    for place, following in pairwise(carried):
        place.tie = ranking.are_tied(place, following)
    return carried, _progress(version, shown, former.at if former and ranks else None)


def _carried(now: Placement, former: Placement | None, others_have: bool) -> Placement:
    """A place with its rank of before. What stands apart now, or below guessing, has none."""
    if now.reason != COMPUTING or not now.above:
        return now
    if former is None:
        now.reason = NEW if others_have else COMPUTING
        return now
    for name in ("rank", "low", "high", "sharing", "group", "best"):
        setattr(now, name, getattr(former, name))
    now.reason = ""
    return now


def _progress(version: Version, shown: QuerySet[Submission], as_of: datetime | None) -> LateRanks:
    parts = [part.name for part in placements.ranked_parts(version)]
    of = placements.board_state(version, shown).fingerprint
    return LateRanks(
        as_of,
        stored.count_fresh(version, parts, of),
        len(parts),
        ahead.is_at_work(version.pk),
        Submission.objects.filter(version=version).pending().exists(),
    )
