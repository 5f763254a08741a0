"""The newest results, one line each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.boards.front.standings import Board
from leaderboard.boards.placements import ranking
from leaderboard.boards.sharing.feeds import results
from leaderboard.submissions.models import Submission, System
from leaderboard.web.formatting import number

LINES = 4


class Item(NamedTuple):
    submission: Submission
    said: str  # score, version and present rank, for display after the name of the system


def newest(boards: Sequence[Board]) -> list[Item]:
    """The newest results of runs by this site or its authors, without reference systems and strategies."""
    ranks = {each.placement.key: each.placement for board in boards for each in board.standings}
    aside = [System.Kind.STRATEGY, System.Kind.BASELINE]
    ours = results().listed().filter(system__reference="").exclude(system__kind__in=aside)
    # One query per source, so that an index yields the newest directly: self-reported results are many.
    found = [
        *ours.filter(source=Submission.Source.RUN)[:LINES],
        *ours.filter(source=Submission.Source.SHIPPED)[:LINES],
        *ours.filter(source=Submission.Source.MEAN, verified=True)[:LINES],
    ]
    shown = sorted(found, key=lambda each: each.graded_at, reverse=True)[:LINES]
    return [Item(each, _said(each, ranks.get(each.pk))) for each in shown]


def _said(submission: Submission, placement: ranking.Placement | None) -> str:
    """Text such as "95.8% on Ladder, rank 1–2". The rank is missing if the board does not show this result."""
    result = f"{number(submission.result)} " if submission.result is not None else ""
    rank = ranking.range_words(placement.low, placement.high, gated=placement.gated) if placement else ""
    return f"{result}on {submission.version.title}" + (f", rank {rank}" if rank else "")
