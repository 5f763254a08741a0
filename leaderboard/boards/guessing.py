"""The guessing line of a board: the best score over its rows by a system or program that does not read the text.

The candidates are the board's floor references and the attackers that read no text (`floor` and `shortcut`) and
answered the public file. The sums of attackers are stored by cell (`Version.guessing`), that is, by combination of the
facets' parts. The score over a part is computed from the cells of the part.
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
    value: float  # in units of the board's headline; rounded in a sealed version
    name: str  # of the program or reference system that reaches it


class _Known(NamedTuple):
    """Scores of a program or system that reads no text."""

    name: str
    whole: float | None  # headline
    cells: Sequence[Sequence[str]]
    sums: Sequence[Sequence[float]]  # (sum, rows) of each cell


def guessing_of(version: Version, part: BoardSlice = WHOLE) -> Guessing | None:
    """The guessing line over the rows of one part; None if it is not known. Filters do not change it. One query."""
    return guessings_of(version, [part])[0]


def guessings_of(version: Version, parts: Sequence[BoardSlice]) -> list[Guessing | None]:
    """The guessing line of each part, see `guessing_of`. One query."""
    known = [*_attackers(version), *_floors([version])[version.pk]]
    return [_best(version, part, known) for part in parts]


def guessing_of_each(versions: Sequence[Version]) -> dict[int, Guessing | None]:
    """Map the key of each version to the guessing line over all of its rows. One query."""
    floors = _floors(versions)
    return {each.pk: _best(each, WHOLE, [*_attackers(each), *floors[each.pk]]) for each in versions}


def _best(version: Version, part: BoardSlice, known: Sequence[_Known]) -> Guessing | None:
    figures = ((_figure(version, part, each), each) for each in known)
    reached = [(value, each) for value, each in figures if value is not None]
    if not reached:
        return None
    pick = max if version.headline.better == "higher" else min
    value, best = pick(reached, key=lambda each: each[0])
    if version.shown_step:
        rows = part.rows(best.cells, best.sums) if part else None  # None: the whole headline is always shown
        rounded = (
            None if shown.is_of_few(version, rows) else shown.on_own_grid(version, value, None, rows).value
        )
        return None if rounded is None else Guessing(rounded, best.name)
    return Guessing(value, best.name)


def _figure(version: Version, part: BoardSlice, known: _Known) -> float | None:
    """The headline of a program over the rows of a part; None if one of the rates that it depends on is unknown."""
    if not part:
        return known.whole
    rates = [each.rate(known.cells, known.sums) for each in slices.worst_of(version, part) or [part]]
    reached = [rate for rate in rates if rate is not None]
    return min(reached) if len(reached) == len(rates) else None


def _attackers(version: Version) -> Iterator[_Known]:
    cells = version.guessing.get("cells", [])
    for each in version.guessing.get("guessers", []):
        yield _Known(each["label"], each["headline"], cells, each["cells"])


def _floors(versions: Sequence[Version]) -> dict[int, list[_Known]]:
    found: dict[int, list[_Known]] = {version.pk: [] for version in versions}
    unranked = {version.pk: version.suite.unranked for version in versions}
    floors = Submission.objects.filter(version__in=versions, shown=True, system__reference=FLOOR)
    of_score = ("headline", "exact_headline", "by_split", "cells", "cell_scores")
    columns = ("version_id", "system__kind", "system__name", *(f"score__{name}" for name in of_score))
    rows = floors.order_by("system__name").values_list(*columns)
    for key, kind, name, rounded, exact, by_split, cells, packed in rows:
        if kind not in unranked[key]:
            sums = _totals(cells, bytes(packed)) if by_split else []
            whole = rounded if exact is None else exact
            found[key].append(_Known(name, whole, cells if by_split else [], sums))
    return found


def _totals(cells: Sequence[Any], packed: bytes) -> list[list[float]]:
    return slices.table(cells, packed).sum(axis=1).tolist() if cells else []
