"""Marks: sums of the headline by unit, from which its interval and all ranks of a board are computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.core.metric import Reduction, worst_members
from leaderboard.accounts import permissions
from leaderboard.benchmarks.disclosure import State
from leaderboard.benchmarks.models import Version
from leaderboard.boards.placements import ranking
from leaderboard.boards.placements.contestants import contestants_of
from leaderboard.boards.placements.ranking import Contestant
from leaderboard.boards.slices import WHOLE
from leaderboard.submissions import verdicts
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.scores import score_sums


def why_withheld(version: Version, user: Any) -> str:
    """Why a reader may not have the marks of a version; empty if they may.

    Marks are as exact as single verdicts: marks of chosen guesses would reveal which guesses are right.
    """
    if permissions.may(user, permissions.VIEW_GOLD):
        return ""
    if version.disclosure.state == State.SEALED:
        return f"Marks by unit would reveal the answers of {version}, which are secret until it is retired."
    return verdicts.why_withheld(version, user)


def board_marks(version: Version) -> list[dict[str, object]]:
    [contestants] = contestants_of(version, Submission.objects.on_board(version), [WHOLE])
    return [_shown(each) for each in contestants]


def _shown(contestant: Contestant) -> dict[str, object]:
    low, high = contestant.ends or (None, None)
    return {
        "submission": contestant.key,
        "system": contestant.name,
        "value": contestant.value,
        "low": low,
        "high": high,
        "apart": bool(contestant.unranked),
        "units": by_parts(ranking.unit_table(contestant)) if contestant.units else [],
    }


def by_parts(table: Any) -> list[Any]:
    """[units, parts, 2] as lists, from sums [units, 2] or [units, parts, 2]."""
    parts = table if table.ndim == 3 else table[:, None]
    listed: list[Any] = parts.tolist()
    return listed


def own_marks(version: Version, score: Score) -> Mapping[str, object] | None:
    """The exact sums of one score; None for older gradings, means, and headlines other than a (lowest) rate."""
    sums = score_sums.read(bytes(score.metric_sums)).get(version.headline.name)
    metric = version.bound.metrics.get(version.headline.name)
    if sums is None or metric is None or score.repeats > 1:
        return None
    if metric.reducer is not None and metric.reduction is not Reduction.WORST:
        return None
    members = worst_members(metric, sums.parts) if metric.reducer is not None else [0]
    strata = None if sums.strata is None else sums.strata.tolist()
    return {"units": sums.sums[:, members].tolist(), "strata": strata, "icc": version.bound.unit_icc}
