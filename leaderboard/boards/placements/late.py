"""Shows previous ranks, and the progress of the worker, on board pages while new ranks are being computed."""

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
from leaderboard.web.formatting import minute


class LateRanks(NamedTuple):
    """Progress of the worker that computes the ranks of a version."""

    as_of: datetime | None  # date of the ranks shown; None if none are
    done: int  # boards computed
    boards: int
    is_at_work: bool
    is_grading: bool  # submissions of the version are being graded, and the ranks wait for them

    @property
    def words(self) -> str:
        who = "New ranks" if self.as_of else "Ranks"
        if self.is_at_work:
            waits = f"are being computed ({self.done} of {self.boards} boards)"
        elif self.is_grading:
            waits = "follow when all pending submissions are graded"
        else:
            waits = f"wait for a worker ({self.done} of {self.boards} boards are computed)"
        shown = f"Ranks as of {minute(self.as_of)}. " if self.as_of else ""
        return f"{shown}{who} {waits}."


def with_former_ranks(
    version: Version, shown: QuerySet[Submission], part: BoardSlice, now: Sequence[Placement]
) -> tuple[list[Placement], LateRanks | None]:
    """Prepare the placements of a page. Returns the placements, and the worker's progress or None.

    While ranks are being computed, the placements in `now` get the previous ranks. Otherwise they are unchanged.
    """
    if ranking.why_no_ranks(now) != COMPUTING:
        return list(now), None
    former = stored.former(version, part.name)
    ranks = {each.key: each.as_tested() for each in former.placements if each.rank} if former else {}
    carried = [_carried(place, ranks.get(place.key), bool(ranks)) for place in now]
    for place, following in pairwise(carried):
        place.tie = ranking.are_tied(place, following)
    return carried, _progress(version, shown, part, former.at if former and ranks else None)


def _carried(now: Placement, former: Placement | None, others_have: bool) -> Placement:
    """Give `now` the previous rank of the system, unless it may no longer have a rank.

    A system without a previous rank is marked as new if others have ranks (`others_have`).
    """
    if now.reason != COMPUTING or not now.above:
        return now
    if former is None:
        now.reason = NEW if others_have else COMPUTING
        return now
    for name in ("rank", "low", "high", "sharing", "group", "best"):
        setattr(now, name, getattr(former, name))
    now.reason = ""
    return now


def _progress(
    version: Version, shown: QuerySet[Submission], part: BoardSlice, as_of: datetime | None
) -> LateRanks:
    parts = [part.name] if part.family else [each.name for each in placements.ranked_parts(version)]
    of = placements.board_state(version, shown).fingerprint
    return LateRanks(
        as_of,
        stored.count_fresh(version, parts, of),
        len(parts),
        ahead.is_at_work(version.pk),
        Submission.objects.filter(version=version).pending().exists(),
    )
