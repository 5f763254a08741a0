"""Robustness: how a system does under the condition that suits it least.

It decides between systems that the headline cannot tell apart: reading the whole book, a system that always takes the
last line is as good as one that reads; shown the gold line first, it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evaluation.goldevidence.grading.scope import Cell

Units = dict[str, tuple[float, int]]


def worst_condition(
    cells: Mapping[Cell, Mapping[str, tuple[float, int]]], conditions: Iterable[str]
) -> tuple[str, Units] | None:
    """The condition with the lowest share of exact answers, and its (exact, rows) by unit.

    `cells` as in a report, `conditions` the names of the version. The first of equals; None where the file leaves one
    of them out: that may be the one that suits it least, and leaving it out must not raise a rank.
    """
    tallies = {name: _added_up(cells, name) for name in conditions}
    if not tallies or not all(any(rows for _, rows in tally.values()) for tally in tallies.values()):
        return None
    worst = min(tallies, key=lambda name: _rate(tallies[name]))
    return worst, tallies[worst]


def _added_up(cells: Mapping[Cell, Mapping[str, tuple[float, int]]], condition: str) -> Units:
    units: Units = {}
    for name, cell in cells.items():
        for unit, (exact, rows) in cell.items() if name[-1] == condition else ():
            before = units.get(unit, (0.0, 0))
            units[unit] = (before[0] + exact, before[1] + rows)
    return units


def _rate(tally: Units) -> float:
    return sum(exact for exact, _ in tally.values()) / sum(rows for _, rows in tally.values())
