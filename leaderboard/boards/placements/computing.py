"""Computes ranks and other figures for the boards of a version, in a worker."""

from __future__ import annotations

import logging

from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import attacked
from leaderboard.boards.figures import item_answers
from leaderboard.boards.lengths import computing as lengths
from leaderboard.boards.placements import ahead, families, placements, rank_changes
from leaderboard.jobs import dispatch, numbers

log = logging.getLogger(__name__)


def compute(version_id: int) -> int:
    """Claim a version's mark and compute what changed on its boards. Returns the number of boards ranked."""
    if not ahead.claim(version_id):
        return 0
    version = Version.objects.readable().filter(pk=version_id).first()
    computed = 0
    if version:
        with numbers.PLACEMENT_SECONDS.labels(version.suite.name).time():
            computed = store(version)
    dispatch.enqueue_later("render_pages", seconds=0)
    return computed


def store(version: Version) -> int:
    """Compute what changed on a version's boards. Returns the number of boards that were ranked."""
    with ahead.at_work(version.pk):
        _store_guesses(version)
        lengths.store(version)
        item_answers.store(version)
        if placements.why_diagnostic(version):
            return 0
        return placements.store(version) + families.store(version) + rank_changes.store(version)


def _store_guesses(version: Version) -> None:
    """Compute missing guessing scores, as of a version frozen by an earlier release. Errors are only logged."""
    try:
        attacked.store_guesses(version)
    except (
        Exception
    ):  # damaged or missing files, a bug in a suite's attacker: the board is computed all the same
        log.exception("guessing scores of version %s cannot be computed", version.pk)


def mark_late() -> int:
    """Mark the versions whose boards lack current ranks or figures, as after an upgrade. Returns their number."""
    late = [
        version.pk
        for version in Version.objects.readable()
        if attacked.lacks_guesses(version)
        or placements.is_late(version)
        or families.is_late(version)
        or lengths.is_late(version)
        or item_answers.is_late(version)
    ]
    for pk in late:
        ahead.mark(pk)
    return len(late)
