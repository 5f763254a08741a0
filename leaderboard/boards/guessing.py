"""The guessing line of a board: the best that is reached over exactly its rows without reading the text.

That is the best of the board's floor references and of the attackers that read no text (`floor` and `shortcut`), which
answered the public file. Attackers are kept cell by cell (`Version.guessing`), and cells add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from leaderboard.benchmarks.models import Version
from leaderboard.benchmarks.sealing import shown
from leaderboard.boards import slices
from leaderboard.boards.slices import WHOLE, BoardSlice
from leaderboard.submissions.models import Submission

FLOOR = "floor"


class Guessing(NamedTuple):
    """The guessing line of a board."""

    value: float  # as the board's headline; on the grid of a version that keeps its answers
    name: str  # of the program or the reference system that reaches it


class _Known(NamedTuple):
    """Something that reads no text."""

    name: str
    whole: float | None  # its headline
    cells: Sequence[Sequence[str]]
    sums: Sequence[Sequence[float]]  # (sum, rows) of each cell


def guessing_of(version: Version, part: BoardSlice = WHOLE) -> Guessing | None:
    """The guessing line of one board. One query.

    Args:
        version: Whose board it is, whatever filters leave out.
        part: Whose rows it is ordered by.

    Returns:
        The best of all guesses over exactly those rows; None where nothing that guesses has a figure there.
    """
    return guessings_of(version, [part])[0]


def guessings_of(version: Version, parts: Sequence[BoardSlice]) -> list[Guessing | None]:
    """The guessing line of several boards. One query, whatever their number.

    Args:
        version: Whose boards they are.
        parts: The rows that each is ordered by.

    Returns:
        The line of each, as `guessing_of` has it.
    """
    known = [*_attackers(version), *_floors(version)]
    return [_best(version, part, known) for part in parts]


def _best(version: Version, part: BoardSlice, known: Sequence[_Known]) -> Guessing | None:
    figures = ((_figure(version, part, each), each) for each in known)
    reached = [(value, each) for value, each in figures if value is not None]
    if not reached:
        return None
    pick = max if version.headline.better == "higher" else min
    value, best = pick(reached, key=lambda each: each[0])
    if version.shown_step:
        rows = (
            part.rows(best.cells, best.sums) if part else None
        )  # the headline is shown over however few rows
        told = None if shown.is_of_few(version, rows) else shown.on_own_grid(version, value, None, rows).value
        return None if told is None else Guessing(told, best.name)
    return Guessing(value, best.name)


def _figure(version: Version, part: BoardSlice, known: _Known) -> float | None:
    """The headline over the rows of a part: a rate, or the lowest of several."""
    if not part:
        return known.whole
    rates = [each.rate(known.cells, known.sums) for each in slices.worst_of(version, part) or [part]]
    reached = [rate for rate in rates if rate is not None]
    return min(reached) if len(reached) == len(rates) else None


def _attackers(version: Version) -> Iterator[_Known]:
    """The attackers that read no text; none where the version has none, or they are still to be computed."""
    cells = version.guessing.get("cells", [])
    for each in version.guessing.get("guessers", []):
        yield _Known(each["label"], each["headline"], cells, each["cells"])


def _floors(version: Version) -> Iterator[_Known]:
    """The floor references on the board of the version."""
    floors = Submission.objects.on_board(version).filter(system__reference=FLOOR)
    floors = floors.exclude(system__kind__in=list(version.suite.unranked)).order_by("system__name")
    of_score = ("headline", "exact_headline", "by_split", "cells", "cell_scores")
    rows = floors.values_list("system__name", *(f"score__{name}" for name in of_score))
    for name, told, exact, by_split, cells, packed in rows:
        sums = _totals(cells, bytes(packed)) if by_split else []
        yield _Known(name, told if exact is None else exact, cells if by_split else [], sums)


def _totals(cells: Sequence[Any], packed: bytes) -> list[list[float]]:
    """(sum, rows) over all units of each cell of a score."""
    return slices.table(cells, packed).sum(axis=1).tolist() if cells else []
