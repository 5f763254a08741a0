"""What a worker computes for the boards of a version, and which versions wait for it."""

from __future__ import annotations

from leaderboard.benchmarks.models import Version
from leaderboard.boards.figures import item_answers
from leaderboard.boards.lengths import computing as lengths
from leaderboard.boards.placements import ahead, placements, rank_changes
from leaderboard.jobs import dispatch


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
    dispatch.enqueue_once("render_pages", seconds=0)
    return computed


def store(version: Version) -> int:
    """Compute and store what changed on the boards and in the regrade rounds of a version.

    Args:
        version: One that readers see. Where its units are too few for ranks, only figures of lengths and of items are.

    Returns:
        How many boards were computed.
    """
    lengths.store(version)
    item_answers.store(version)
    if placements.why_diagnostic(version):
        return 0
    return placements.store(version) + rank_changes.store(version)


def mark_late() -> int:
    """Mark the versions whose boards wait for their ranks, after an upgrade, say. Returns how many there are."""
    late = [
        version.pk
        for version in Version.objects.readable()
        if placements.is_late(version) or lengths.is_late(version) or item_answers.is_late(version)
    ]
    for pk in late:
        ahead.mark(pk)
    return len(late)
