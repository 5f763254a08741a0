"""Gates, ranks and tie groups: the places of systems among each other, from a few numbers of each.

Gates first; then the headline; where the interval of the paired difference includes 0, robustness decides; where that
cannot either, systems share a rank. Kinds of system that a suite does not rank come last, without a place. The
arithmetic is the engine's (`evaluation.core.statistics`), the site only lines systems up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from evaluation.core import statistics
from evaluation.core.statistics import Difference

Units = np.ndarray[Any, np.dtype[np.float32]]
#: Why a system has no rank, where its kind would have one.
GATED, UNREPORTED = "a gate failed", "its headline is not reported"


class Contestant(NamedTuple):
    """What ranking has to know of a system: one row of one query."""

    key: Any  # the submission's primary key
    name: str
    value: float | None  # the headline
    gated: bool
    units: bytes  # the headline's (sum, rows) per unit, float32 pairs
    robust: bytes  # the same for the suite's tie breaker; empty: not reported
    unranked: str = ""  # why the suite ranks no system of its kind; empty: it does


@dataclass(slots=True)
class Placement:
    """A contestant's place. `rank` is None where a gate failed, nothing is reported or its kind is not ranked."""

    key: Any
    rank: int | None = None
    low: int | None = None  # of the range of ranks among resamples, see `evaluation.core.statistics.rank`
    high: int | None = None
    tie: bool = False  # shares the rank of the next
    sharing: int = 1  # how many systems have this rank, this one included
    name: str = ""
    reason: str = ""  # why it has no rank
    apart: bool = False  # of a kind that the suite does not rank: it stands in a table of its own
    units: int = 0  # that the headline is over
    robust: float | None = None  # the rate that breaks ties; None: not reported
    lead: Difference | None = None  # of the first before the second, by score
    figure: Figure | None = None  # of a slice; the whole board's stands in the score


class Figure(NamedTuple):
    """The headline over some rows."""

    value: float
    interval: tuple[float, float] | None
    rows: int


def unit_scores(packed: bytes) -> Units:
    """[units, 2]: sum and number of rows in each unit, in the version's order."""
    return np.frombuffer(packed, dtype=np.float32).reshape(-1, 2)


def place(contestants: Sequence[Contestant], *, better: str = "higher") -> list[Placement]:
    """Everybody's place, best first: ranked systems, then those that report only conditions, then gated ones, then
    those without a figure, and by name those of a kind that is not ranked."""
    sign = -1 if better == "higher" else 1
    ordered = sorted(contestants, key=lambda c: (c.value is None, sign * (c.value or 0.0), c.name))
    passed = [c for c in ordered if not (c.gated or c.unranked)]
    placings = _ranked([c for c in passed if c.value is not None], better)
    placings += _partial([c for c in passed if c.value is None and c.robust], len(placings))
    placed = {placing.key for placing in placings}
    placings += [Placement(c.key) for c in ordered if c.key not in placed and not c.unranked]
    placings += [Placement(c.key, apart=True) for c in sorted(ordered, key=lambda c: c.name) if c.unranked]
    by_key = {contestant.key: contestant for contestant in contestants}
    sharing = Counter(placing.rank for placing in placings)
    for placing in placings:
        _describe(placing, by_key[placing.key])
        placing.sharing = sharing[placing.rank] if placing.rank else 1
    _measure_lead(placings, {c.key: c.units for c in contestants if c.value is not None})
    return placings


def _describe(placing: Placement, contestant: Contestant) -> None:
    placing.name = contestant.name
    placing.robust = rate_of(contestant.robust) if contestant.robust else None
    placing.units = int(np.count_nonzero(unit_scores(contestant.units)[:, 1]))
    if placing.rank is None:
        placing.reason = contestant.unranked or (GATED if contestant.gated else UNREPORTED)


def _measure_lead(placings: list[Placement], units: Mapping[Any, bytes]) -> None:
    """How far the first is before the second, where both are ranked by score."""
    pair = [units.get(placing.key) for placing in placings[:2] if placing.rank is not None]
    if len(pair) == 2 and pair[0] and pair[1]:
        placings[0].lead = statistics.paired_difference(unit_scores(pair[0]), unit_scores(pair[1]))


def figures(contestants: Sequence[Contestant]) -> dict[Any, Figure]:
    """The headline of each contestant that has rows, from its units, with its interval (see `scorecards.interval`)."""
    having = [contestant for contestant in contestants if contestant.units]
    tables = [unit_scores(contestant.units) for contestant in having]
    found = statistics.rates_with_intervals(tables)
    return {
        contestant.key: Figure(value, interval if _has_width(interval) else None, int(table[:, 1].sum()))
        for contestant, table, (value, interval) in zip(having, tables, found, strict=True)
        if value is not None
    }


def _has_width(interval: tuple[float, float] | None) -> bool:
    return interval is not None and interval[0] != interval[1]


def _ranked(contestants: list[Contestant], better: str) -> list[Placement]:
    """By the headline; each tie group by robustness."""
    groups: dict[int, list[tuple[Contestant, Placement]]] = {}
    found = statistics.rank([unit_scores(c.units) for c in contestants], better=better)
    for contestant, at in zip(contestants, found, strict=True):
        placing = Placement(contestant.key, at.rank, at.low, at.high, at.tied_with_next)
        groups.setdefault(at.rank, []).append((contestant, placing))
    return [placing for group in groups.values() for placing in _by_robustness(group)]


def _partial(contestants: list[Contestant], above: int) -> list[Placement]:
    """Files that leave the headline's rows out, behind all others, by what they do report."""
    first, last = above + 1, above + len(contestants)
    group = [(c, Placement(c.key, first, first, last, c is not contestants[-1])) for c in contestants]
    return _by_robustness(group)


def _by_robustness(group: list[tuple[Contestant, Placement]]) -> list[Placement]:
    """The places of one tie group: most robust first, those that do not report it last.

    Those that robustness leaves level stay in the headline's order. The range of ranks is as wide as either
    leaves it: a tie was broken, and the headline's doubt remains.
    """
    known = sorted(
        (pair for pair in group if pair[0].robust), key=lambda pair: -(rate_of(pair[0].robust) or 0.0)
    )
    rest = [placing for contestant, placing in group if not contestant.robust]
    found = statistics.rank([unit_scores(contestant.robust) for contestant, _ in known])
    if not known or (found[-1].rank == 1 and not rest):
        return [placing for _, placing in group]
    base = group[0][1].rank or 1
    for (_, placing), at in zip(known, found, strict=True):
        placing.rank = base + at.rank - 1
        placing.low = min(placing.low or base, base + at.low - 1)
        placing.high = max(placing.high or base, base + at.high - 1)
    for placing in rest:
        placing.rank = base + len(known)
        placing.low = min(placing.low or base, placing.rank)
        placing.high = max(placing.high or base, base + len(group) - 1)
    ordered = sorted((placing for _, placing in group), key=lambda placing: placing.rank or 0)
    for placing, following in zip(ordered, [*ordered[1:], None], strict=True):
        placing.tie = following is not None and following.rank == placing.rank
    return ordered


def rate_of(packed: bytes) -> float | None:
    """The rate over all units; None where there are no rows."""
    total, count = unit_scores(packed).sum(axis=0)
    return float(total / count) if count else None
