"""The guessing line and the best ranked system of each group of rows, as on the board of the group."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evaluation.core.suite import Column
from leaderboard.benchmarks.models import Version
from leaderboard.boards import slices
from leaderboard.boards.guessing import guessings_of
from leaderboard.boards.headline_summary import model_of
from leaderboard.boards.placements import placements
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.rows import part_headline
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.models import Submission
from leaderboard.web.results_cache import cache

KEEP_SECONDS = 24 * 3600


class Leader(NamedTuple):
    """The best ranked system on the board of a group of rows."""

    key: Any  # of its submission
    model: str
    value: float | None


class PartFigures(NamedTuple):
    guessing: float | None
    leader: Leader | None


def part_figures(version: Version, by: str, columns: Mapping[str, Column | None]) -> dict[str, PartFigures]:
    """Score of guessing and best system for each group of rows. `columns` maps each group to its metric.

    Groups whose board is ordered by a different metric are left out. Three queries.
    """
    parts = _parts(version, by, columns)
    if not parts:
        return {}
    shown = Submission.objects.on_board(version)
    state = placements.board_state(version, shown)
    named = hashlib.sha256(f"{state} {by} {sorted(parts)} {version.shown_step}".encode()).hexdigest()[:32]
    key = f"part-leaders-{placements.KEY}:{version.pk}:{named}"
    found: dict[str, PartFigures] | None = cache.get(key)
    if found is None:
        boards = placements.stored_parts(version, list(parts.values()), state)
        guesses = guessings_of(version, list(parts.values()))
        found = {
            group: PartFigures(guess.value if guess else None, _leader(version, boards.get(part.name, [])))
            for (group, part), guess in zip(parts.items(), guesses, strict=True)
        }
        if len(boards) == len(parts) or placements.why_diagnostic(
            version
        ):  # else ranks are still being computed
            cache.set(key, found, KEEP_SECONDS)
    return found


def _parts(version: Version, by: str, columns: Mapping[str, Column | None]) -> dict[str, BoardSlice]:
    """Group -> the part with exactly its rows. Leaves out groups whose board is ordered by another column."""
    choices = next((dict(facet.choices) for facet in slices.facets_of(version) if facet.name == by), {})
    parts = {group: slices.board_slice(version, {by: group}) for group in columns if group in choices}
    names = {group: column.name for group, column in columns.items() if column}
    return {
        group: part
        for group, part in parts.items()
        if names.get(group) == slices.headline(version, part).name
    }


def _leader(version: Version, places: Sequence[Placement]) -> Leader | None:
    first = next((each for each in places if each.rank is not None), None)
    return Leader(first.key, model_of(first), part_headline(version, first.figure).value) if first else None
