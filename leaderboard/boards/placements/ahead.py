"""Placements are computed by a worker when something lands, before a reader asks for them.

Landings of one version within a few seconds are one computation. A message that is lost costs nothing but time: a page
that finds no placements computes them itself.
"""

from __future__ import annotations

from typing import Any

from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import placements
from leaderboard.boards.slices import WHOLE
from leaderboard.jobs import dispatch
from leaderboard.submissions import signals
from leaderboard.submissions.models import Submission
from leaderboard.web.results_cache import cache

#: Long enough for the gradings of a batch to share a computation, short enough that nobody waits for it.
DELAY_S = 5
#: A computation whose message was lost is asked for again after this.
LOST_AFTER_S = 60


def connect() -> None:
    """Listen to what submissions tell."""
    signals.landed.connect(plan, dispatch_uid="placements are computed ahead")


def plan(*, version_id: int, **_: Any) -> None:
    """Have the placements of a version computed soon, once however often it is asked for meanwhile."""
    dispatch.on_commit(lambda: _enqueue(version_id))


def _enqueue(version_id: int) -> None:
    if cache.add(_key(version_id), 1, LOST_AFTER_S):
        dispatch.enqueue_later("place_version", version_id, seconds=DELAY_S)


def compute(version_id: int) -> int:
    """Compute and keep the placements of a version's whole board. Returns how many there are."""
    cache.delete(_key(version_id))  # what lands from here on asks for another computation
    version = Version.objects.readable().filter(pk=version_id).first()
    if version is None:
        return 0
    return len(placements.board_placements(version, Submission.objects.on_board(version), WHOLE))


def _key(version_id: int) -> str:
    return f"placements-planned:{version_id}"
