"""Finds systems that a new result overtook, that is, systems only now shown to be worse than the result's system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from leaderboard.boards.placements.ranking import Placement


class Overtaken(NamedTuple):
    """Old and new placement of an overtaken system, and the placement of the system that overtook it (`by`)."""

    before: Placement
    after: Placement
    by: Placement


def overtaken(
    before: Iterable[Placement],
    after: Iterable[Placement],
    owners: Mapping[Any, int],
    systems: Mapping[Any, int],
) -> Iterator[Overtaken]:
    """Yield the placements that a new result of another account has overtaken.

    Placements that were already shown to be worse than the new result's system, or that moved down only because other
    results were removed, are left out.
    `owners` maps a placement's key to the id of its account, `systems` to the id of its system.
    """
    then = {place.key: place for place in before if place.rank is not None}
    now = [place for place in after if place.rank is not None]
    of_system = {systems[key]: place for key, place in then.items() if key in systems}
    new = [place for place in now if place.key not in then and place.key in owners]
    for place in now:
        was = then.get(place.key)
        if was is None or place.key not in owners or (place.low or 0) <= (was.low or 0):
            continue
        for other in new:
            former = of_system.get(systems[other.key])
            stranger = owners[other.key] != owners[place.key]
            if stranger and _is_above(other, place) and not (former and _is_above(former, was)):
                yield Overtaken(was, place, other)
                break


def _is_above(one: Placement, other: Placement) -> bool:
    return one.high is not None and other.low is not None and one.high < other.low
