"""What a worker computes for the boards of a version, and which versions wait for it."""

from __future__ import annotations

import logging

from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import attacked
from leaderboard.boards.figures import item_answers
from leaderboard.boards.lengths import computing as lengths
from leaderboard.boards.placements import ahead, placements, rank_changes
from leaderboard.jobs import dispatch

log = logging.getLogger(__name__)


def compute(version_id: int) -> int:
    """Compute what changed on the boards of a version, if its mark is there to be claimed.

    Args:
        version_id: Its primary key.

    Returns:
        How many boards were computed.
    """
    if not ahead.claim(version_id):
        return 0
    version = Version.objects.readable().filter(pk=version_id).first()
    computed = store(version) if version else 0
    dispatch.enqueue_later("render_pages", seconds=0)
    return computed


def store(version: Version) -> int:
    """Compute and store what changed on the boards and in the regrade rounds of a version.

    Args:
        version: One that readers see. Where its units are too few for ranks, only figures of lengths and of items are.

    Returns:
        How many boards were computed.
    """
    with ahead.at_work(version.pk):
        _store_guesses(version)
        lengths.store(version)
        item_answers.store(version)
        if placements.why_diagnostic(version):
            return 0
        return placements.store(version) + rank_changes.store(version)


def _store_guesses(version: Version) -> None:
    """Have the guesses of a version that was frozen before they were kept. Without them its board has floors alone."""
    try:
        attacked.store_guesses(version)
    except Exception:  # of files that are damaged or away, of a suite's attackers: no board waits for it
        log.exception("guesses of version %s cannot be computed", version.pk)


def mark_late() -> int:
    """Mark the versions whose boards wait for their ranks, after an upgrade, say. Returns how many there are."""
    late = [
        version.pk
        for version in Version.objects.readable()
        if attacked.lacks_guesses(version)
        or placements.is_late(version)
        or lengths.is_late(version)
        or item_answers.is_late(version)
    ]
    for pk in late:
        ahead.mark(pk)
    return len(late)
