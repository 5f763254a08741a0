"""Robustness: how a system does under the condition that suits it least.

It decides between systems that the headline cannot tell apart: reading the whole book, a system that always takes the
last line is as good as one that reads; shown the gold line first, it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from evaluation.goldevidence.case import CLOSED_BOOK

Units = dict[str, tuple[float, int]]


def worst_condition(rows: Iterable[Mapping[str, Any]], conditions: Iterable[str]) -> tuple[str, Units] | None:
    """The covered condition with the lowest share of exact answers, and its (exact, rows) by unit.

    `rows` are verdicts, `conditions` the names of the version. The first of equals; None where none is covered.
    """
    tallies: dict[str, dict[str, list[int]]] = {name: {} for name in conditions}
    covered = set()
    for row in rows:
        name = row["condition"]
        if name == CLOSED_BOOK or name not in tallies:
            continue
        tally = tallies[name].setdefault(row["unit"], [0, 0])
        tally[0] += row["correct"]
        tally[1] += 1
        if row["failure"] != "missing":
            covered.add(name)
    found = [name for name in tallies if name in covered]
    if not found:
        return None
    worst = min(found, key=lambda name: _rate(tallies[name]))
    return worst, {unit: (float(exact), count) for unit, (exact, count) in tallies[worst].items()}


def _rate(tally: Mapping[str, list[int]]) -> float:
    return sum(exact for exact, _ in tally.values()) / sum(count for _, count in tally.values())
