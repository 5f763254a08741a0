"""Families: subsets of a board's systems that are ranked among themselves, over all rows of the version.

*One per model* keeps one system per owner and model: the system declared as the main one when it was created (the
latest of several), else the first created, never the best. The other families group systems by their way of reading. A
family is computed and offered only if it leaves out at least one system and keeps at least two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.db.models import QuerySet

from leaderboard.benchmarks.models import Version
from leaderboard.boards import slices
from leaderboard.boards.placements import placements, stored
from leaderboard.boards.placements.ranking import Placement
from leaderboard.boards.slices import BoardSlice
from leaderboard.submissions.models import Submission, System

MODELS = "models"
#: Family -> its label on the switch of a board.
LABELS: dict[str, str] = {MODELS: "One per model"} | {
    value: f"Only: {label.lower()}" for value, label in System.Reading.choices if value
}


class _Member(NamedTuple):
    """The fields of a submission that decide to which families its system belongs."""

    key: Any
    owner: int
    model: str
    reading: str
    reference: str
    main: bool
    made: Any  # creation time and primary key of the system, to sort by


def left_out(shown: QuerySet[Submission]) -> dict[str, set[Any]]:
    """Map each offered family to the submissions of a board that are not in it. References are in all. One query."""
    return _left_out([member for _, member in _members(shown)])


def beside_main_ones(versions: Sequence[Version]) -> dict[int, set[Any]]:
    """Map the key of each version to the submissions that its one-per-model board leaves out. One query."""
    there: dict[int, list[_Member]] = {version.pk: [] for version in versions}
    for version_id, member in _members(Submission.objects.filter(version__in=versions, shown=True)):
        there[version_id].append(member)
    return {key: _left_out(board).get(MODELS, set()) for key, board in there.items()}


def _members(shown: QuerySet[Submission]) -> Iterator[tuple[int, _Member]]:
    columns = ("owner", "model", "reading", "reference", "main", "created_at", "pk")
    rows = shown.order_by().values_list("version_id", "pk", *(f"system__{name}" for name in columns))
    for version_id, *row in rows:
        yield version_id, _Member._make([*row[:6], tuple(row[6:])])


def _left_out(there: Sequence[_Member]) -> dict[str, set[Any]]:
    contesting = [each for each in there if not each.reference]
    found = {MODELS: {each.key for each in contesting} - set(_main_ones(contesting))}
    for reading in {each.reading for each in contesting if each.reading}:
        found[reading] = {each.key for each in contesting if each.reading != reading}
    return {name: out for name, out in found.items() if out and len(contesting) - len(out) > 1}


def _main_ones(members: list[_Member]) -> Iterator[Any]:
    """Submissions of the main system of each owner and model. Systems without a model are all included."""
    by_model: dict[tuple[int, str], list[_Member]] = {}
    for each in members:
        if each.model:
            by_model.setdefault((each.owner, each.model.casefold()), []).append(each)
        else:
            yield each.key
    for of_model in by_model.values():
        declared = [each for each in of_model if each.main]
        if declared:
            yield max(declared, key=lambda each: each.made).key
        else:
            yield min(of_model, key=lambda each: each.made).key


def members(shown: QuerySet[Submission], family: str) -> QuerySet[Submission]:
    """The submissions of a board that are in a family (of `LABELS`). If the family is not offered, all submissions."""
    out = left_out(shown).get(family)
    return shown.exclude(pk__in=out) if out else shown


def part_of(version: Version, family: str) -> BoardSlice:
    """The board of all rows, ranked among the systems of a family of `LABELS`. An empty `family` means all systems."""
    return replace(slices.board_slice(version, {}), family=family)


def one_per_model(version: Version) -> list[Placement]:
    """The placements of a version with one system per model, or its whole board if no model has several systems."""
    shown = Submission.objects.on_board(version)
    family = MODELS if MODELS in left_out(shown) else ""
    return placements.board_placements(version, members(shown, family), part_of(version, family))


def store(version: Version) -> int:
    """Compute and store outdated placements of each family. Returns the number of stored boards."""
    boards = _boards(version)
    return sum(placements.store_parts(version, shown, [part]) for shown, part in boards)


def is_late(version: Version) -> bool:
    if placements.why_diagnostic(version):
        return False
    return any(
        not stored.is_fresh(version, part.name, placements.board_state(version, shown).fingerprint)
        for shown, part in _boards(version)
    )


def _boards(version: Version) -> Iterator[tuple[QuerySet[Submission], BoardSlice]]:
    shown = Submission.objects.on_board(version)
    for family, out in left_out(shown).items():
        yield shown.exclude(pk__in=out), part_of(version, family)
