"""Where each system stands on a board, kept until the board changes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from django.core.cache import cache

from leaderboard import ranking
from leaderboard.models import Submission, System, Version


@dataclass(frozen=True, slots=True)
class Standing:
    """A system's line of a board, as far as a badge needs it."""

    value: float | None
    gated: bool
    rank: int | None
    rank_low: int | None
    rank_high: int | None


def fingerprint(version: Version) -> str:
    """Changes when what the board shows, or how it was graded, changes. One small query."""
    shown = Submission.objects.filter(version=version, shown=True).order_by("pk")
    facts = list(shown.values_list("pk", "score__grader", "score__headline", "score__verdicts_sha256"))
    return hashlib.sha256(repr((version.pk, facts)).encode()).hexdigest()[:32]


def of(system: System, version: Version) -> Standing | None:
    """The system's standing; None where the board does not show it."""
    return _standings(version).get(system.pk)


def _standings(version: Version) -> dict[int, Standing]:
    key = f"standings:{fingerprint(version)}"
    found: dict[int, Standing] | None = cache.get(key)
    if found is None:
        rows = ranking.board(version, list(Submission.objects.for_board(version)))
        found = {
            row.system.pk: Standing(row.value, row.gated, row.rank, row.rank_low, row.rank_high)
            for row in rows
        }
        cache.set(key, found, 24 * 3600)
    return found
