"""Ranks and ties: the places of systems among each other, from a few numbers of each.

One test over all pairs of a board (`evaluation.core.statistics.board`) gives each system the range of ranks that it may
have, and all ranges hold together: two are tied exactly where theirs overlap. Systems that fail a requirement take part
and keep their range. Systems that are not above guessing take part and get no number. Over too few units there are no
ranks. References, kinds that a suite does not rank, and self-reported results of a version whose answers are public
stand apart and are in no test. The arithmetic is the engine's, the site only lines systems up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.core import statistics
from evaluation.core.statistics.power import DIAGNOSTIC_BELOW
from evaluation.core.terminal.wording import number_of

Units = np.ndarray[Any, np.dtype[np.float32]]
#: What ranks are computed by. Another one whenever a rank may come out otherwise: what is stored is computed again.
RANKING = "max-t over pairs within strata, 4"
#: Why a system has no rank, where its kind would have one.
UNREPORTED, NOT_ABOVE = "its headline is not reported", "not above guessing"
#: Why an upload stands in a table of its own.
SELF_REPORTED = "self-reported, and the answers of this version are public"
REGRADE = "an earlier grader counted its units otherwise"
#: Why a system has no rank yet, where others have those of before.
NEW = "its rank is not computed yet"
#: Why nobody of a board has a rank.
COMPUTING = "ranks are not computed yet"
CROSSED = "ranks are those of the whole board and of single parts"
TWIN = "a public twin, whose answers are in its rows, ranks nobody"
_DIAGNOSTIC = "diagnostic"
#: Rates that are the lowest of several, with intervals, by a hash of the units they are of.
Lowest = dict[bytes, tuple[float, tuple[float, float] | None]]
#: Of one unit in `Contestant.units`: two float32.
UNIT_BYTES = 8


class Contestant(NamedTuple):
    """What ranking has to know of a system: one row of one query."""

    key: Any  # the submission's primary key
    name: str
    value: float | None  # the headline
    gated: bool  # a requirement is not met
    units: bytes  # the headline's (sum, rows) per unit, float32 pairs
    robust: bytes  # the same for the suite's tie breaker, a column beside the ranks; empty: not reported
    unranked: str = ""  # why it stands apart: its kind, a reference, or self-reported; empty: it takes part
    reference: str = ""  # its role, where it is a reference
    parts: tuple[bytes, ...] = ()  # of a headline that is the lowest of several rates, the units of each
    runs: tuple[float, ...] = ()  # of a mean: the rate of each repeat; empty for a single file
    ends: tuple[float, float] | None = None  # the 95% interval of the headline, as pages show it


@dataclass(slots=True)
class Placement:
    """A contestant's place. Without a rank `reason` says why."""

    key: Any
    rank: int | None = None  # the best that it may have: 1 and how many are shown to be better
    low: int | None = None  # of the range of ranks that it may have; all ranges of a board hold together
    high: int | None = None
    tie: bool = False  # its range overlaps that of the next
    sharing: int = 1  # how many systems are tied with it, this one included
    group: int | None = None  # which chain of ties it is in: systems of two groups are never tied
    best: bool = False  # whether it can still be the best
    name: str = ""
    reason: str = ""  # why it has no rank
    apart: bool = False  # stands in a table of its own, outside ranks and ties
    gated: bool = False  # a requirement is not met
    above: bool = True  # its interval lies above the guessing line, or there is no line
    reference: str = ""  # its role, where it is a reference; empty for others
    units: int = 0  # that the headline is over
    robust: float | None = None  # the rate of the suite's tie breaker; None: not reported
    lead: float | None = None  # how far the first is from the second
    figure: Figure | None = None  # of a slice; the whole board's stands in the score

    def as_tested(self) -> Placement:
        """The place with what the test alone says of it."""
        return Placement(
            self.key,
            self.rank,
            self.low,
            self.high,
            self.tie,
            self.sharing,
            self.group,
            self.best,
            lead=self.lead,
        )


@dataclass(slots=True)
class LastTest:
    """The places of a board as its last test has them. Another test of the same systems has no other outcome."""

    name: str = ""  # of what was tested, see `test_name`; empty: nothing yet
    placements: Mapping[Any, Placement] = field(default_factory=dict)


class Figure(NamedTuple):
    """The headline over some rows."""

    value: float
    interval: tuple[float, float] | None
    rows: int


def unit_scores(packed: bytes) -> Units:
    """[units, 2]: sum and number of rows in each unit, in the version's order."""
    return np.frombuffer(packed, dtype=np.float32).reshape(-1, 2)


def place(
    contestants: Sequence[Contestant],
    *,
    better: str = "higher",
    unit: str = "unit",
    strata: NDArray[np.int64] | None = None,
    unranked: str = "",
    guessing: float | None = None,
    last: LastTest | None = None,
) -> list[Placement]:
    """Everybody's place, in the order of the headline.

    Args:
        contestants: In any order.
        better: Which headlines are better, `higher` or `lower`.
        unit: What a reader calls a unit.
        strata: [units], the number of each unit's stratum; None is one stratum.
        unranked: Why there are no ranks at all; empty: the test decides.
        guessing: The headline that guessing reaches; None: not known, and every system counts as above it.
        last: The last test of the board, which this one replaces, and repeats only where something else is tested.

    Returns:
        The systems above guessing, those that are not, those without a figure; then the references and the
        self-reported ones in the order of the headline, and by name those of a kind that is not ranked. The last
        three are in no test: the others have the same place without them.
    """
    sign = -1 if better == "higher" else 1
    ordered = sorted(contestants, key=lambda c: (c.value is None, sign * (c.value or 0.0), c.name))
    able = [c for c in ordered if c.value is not None and not c.unranked]
    units = max((count_units(c) for c in able), default=0)
    why = unranked or diagnostic(units, unit)
    whole = max((_size(c) for c in able), default=())
    compared = [] if why else [c for c in able if _size(c) == whole]
    above = {c.key for c in able if _is_above(c, guessing, better)}
    last = last or LastTest()
    if (name := test_name(compared, better, strata, above)) != last.name:
        last.name = name
        last.placements = {each.key: each for each in _ranked(compared, better, strata, above)}
    ranked = dict(last.placements)
    placements = [
        ranked.get(c.key) or Placement(c.key, reason=why or REGRADE) for c in able if c.key in above
    ]
    below = [c for c in able if c.key not in above]
    placements += [Placement(c.key, reason=why or NOT_ABOVE, above=False) for c in below]
    placements += [Placement(c.key) for c in ordered if not c.unranked and c.value is None]
    placements += [Placement(c.key, apart=True, reference=c.reference) for c in ordered if c.reference]
    placements += [Placement(c.key, apart=True) for c in ordered if c.unranked == SELF_REPORTED]
    others = (c for c in ordered if c.unranked and c.unranked != SELF_REPORTED and not c.reference)
    placements += [Placement(c.key, apart=True) for c in sorted(others, key=lambda c: c.name)]
    by_key = {contestant.key: contestant for contestant in contestants}
    for placement in placements:
        _describe(placement, by_key[placement.key])
    return placements


def test_name(
    compared: Sequence[Contestant], better: str, strata: NDArray[np.int64] | None, above: Collection[Any]
) -> str:
    """Names a test by all that its outcome follows from: two of one name give the same places.

    Args:
        compared: The systems, in board order.
        better: Which headlines are better, `higher` or `lower`.
        strata: [units], the number of each unit's stratum.
        above: The keys of those above guessing.
    """
    named = hashlib.sha256(f"{RANKING} {better} {len(compared)}".encode())
    named.update(b"" if strata is None else np.asarray(strata, dtype=np.int64).tobytes())
    for each in compared:
        named.update(f"\n{each.key} {each.value} {each.key in above} {_size(each)}".encode())
        named.update(b"".join(each.parts or (each.units,)))
    return named.hexdigest()


def _is_above(contestant: Contestant, guessing: float | None, better: str) -> bool:
    """Whether the interval of a headline leaves the guessing line out. Without an interval the value decides."""
    if guessing is None or contestant.value is None:
        return True
    low, high = contestant.ends or (contestant.value, contestant.value)
    return low > guessing if better == "higher" else high < guessing


def diagnostic(units: int, unit: str) -> str:
    """Why nobody is ranked over few units; empty where they are enough.

    Args:
        units: That the headline is over.
        unit: What a reader calls one.
    """
    if units >= DIAGNOSTIC_BELOW:
        return ""
    return f"{_DIAGNOSTIC} with {number_of(units, unit)}, ranks begin at {DIAGNOSTIC_BELOW}"


def guessable(reason: str) -> str:
    """Why nobody is ranked where an attacker came above its ceiling; empty where none did.

    Args:
        reason: What the attackers' report says.
    """
    return f"{_DIAGNOSTIC}: {reason}" if reason else ""


def reference_reason(role: str) -> str:
    """Why a reference has no rank; empty without a role.

    Args:
        role: `oracle`, `floor` or `rule`; empty for a contestant.
    """
    return f"a reference system ({role})" if role else ""


def in_order(
    placements: Sequence[Placement], values: Mapping[Any, float | None], *, better: str = "higher"
) -> list[Placement]:
    """Places of contestants with references among them, by the headline.

    Args:
        placements: Contestants in board order, and references.
        values: The headline by key.
        better: Which headlines are better, `higher` or `lower`.

    Returns:
        The same places: those that are not above guessing, or without a figure, stay behind.
    """
    sign = -1 if better == "higher" else 1
    behind = [p for p in placements if not p.above or values.get(p.key) is None]
    keys = {placement.key for placement in behind}
    known = [placement for placement in placements if placement.key not in keys]
    return sorted(known, key=lambda placement: sign * (values[placement.key] or 0.0)) + behind


def why_nobody(placements: Iterable[Placement]) -> str:
    """Why nobody of a board has a rank, where that is the board's and no system's own reason; else empty."""
    reasons = (placement.reason for placement in placements)
    of_boards = (COMPUTING, CROSSED, TWIN)
    return next((why for why in reasons if why in of_boards or why.startswith(_DIAGNOSTIC)), "")


def count_units(contestant: Contestant) -> int:
    """How many units the headline of a contestant is over."""
    return int(np.count_nonzero(unit_scores(contestant.units)[:, 1]))


def count_rows(contestant: Contestant) -> int:
    """How many rows the headline of a contestant is over."""
    return int(unit_scores(contestant.units)[:, 1].sum())


def are_tied(first: Placement, second: Placement) -> bool:
    """Whether two systems are tied: their ranges overlap.

    Args:
        first: A place; one without a rank is tied with nobody.
        second: Another place of the same board.
    """
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return False
    return first.low <= second.high and second.low <= first.high


def range_words(low: int | None, high: int | None, *, gated: bool = False) -> str:
    """The ranks that a system may have: "1", "2–5", in parentheses "(2–5)"; empty where it has none.

    Args:
        low: The best of them.
        high: The worst.
        gated: Whether a requirement is not met, which the parentheses say.
    """
    if low is None or high is None:
        return ""
    between = f"{low:,}" if low == high else f"{low:,}–{high:,}"
    return f"({between})" if gated else between


def _describe(placement: Placement, contestant: Contestant) -> None:
    placement.name = contestant.name
    placement.gated = contestant.gated
    placement.robust = rate_of(contestant.robust) if contestant.robust else None
    placement.units = count_units(contestant)
    if placement.rank is None and not placement.reason:
        placement.reason = contestant.unranked or UNREPORTED


def _ranked(
    contestants: Sequence[Contestant], better: str, strata: NDArray[np.int64] | None, above: Collection[Any]
) -> list[Placement]:
    """The places of systems above guessing, in the order of the headline, all over the same units.

    The test is over all of them, so that who is above guessing, which the figures decide, costs no coverage.
    """
    numbered = [at for at, contestant in enumerate(contestants) if contestant.key in above]
    if not numbered:
        return []
    board = _among(statistics.board([_table(c) for c in contestants], strata, better=better), numbered)
    chosen = [contestants[at] for at in numbered]
    best = _can_be_best(board)
    placements = [
        Placement(c.key, low, low, high, best=can_be)
        for c, low, high, can_be in zip(
            chosen, board.low.tolist(), board.high.tolist(), best.tolist(), strict=True
        )
    ]
    _tie(placements, board)
    if len(chosen) > 1:
        placements[0].lead = abs((chosen[0].value or 0.0) - (chosen[1].value or 0.0))
    return placements


def _among(board: statistics.Board, kept: Sequence[int]) -> statistics.Board:
    """Restrict a board to some of its systems: ranks among these, by the test over all."""
    apart = board.apart[np.ix_(kept, kept)]
    low, high = 1 + np.count_nonzero(apart, axis=0), len(kept) - np.count_nonzero(apart, axis=1)
    return board._replace(rates=board.rates[kept], apart=apart, best=board.best[kept], low=low, high=high)


def _size(contestant: Contestant) -> tuple[int, ...]:
    """What has to be alike for two systems to be compared."""
    return tuple(map(len, contestant.parts or (contestant.units,)))


def _table(contestant: Contestant) -> Units:
    """[units, 2], or [units, parts, 2] where the headline is the lowest of several rates."""
    if not contestant.parts:
        return unit_scores(contestant.units)
    return np.stack([unit_scores(part) for part in contestant.parts], axis=1)


def _can_be_best(board: statistics.Board) -> NDArray[np.bool_]:
    """[systems] who can still be the best. One alone only where its range says so, too: the two are one statement."""
    first = board.low == 1
    alone = np.count_nonzero(board.best) == 1 and np.count_nonzero(first) > 1
    return first if alone or not board.best.any() else board.best


def _tie(placements: Sequence[Placement], board: statistics.Board) -> None:
    """Say of each place how many are tied with it, whether the next is, and in which chain of ties it is."""
    lows, highs = np.sort(board.low), np.sort(board.high)
    begun = np.searchsorted(lows, board.high, side="right")  # ranges that begin before this one ends
    ended = np.searchsorted(highs, board.low, side="left")  # ranges that end before it begins
    for placement, sharing in zip(placements, (begun - ended).tolist(), strict=True):
        placement.sharing = sharing
    for placement, following in pairwise(placements):
        placement.tie = are_tied(placement, following)
    group, reach = 0, 0
    for placement in sorted(placements, key=lambda each: each.low or 0):
        group += (placement.low or 0) > reach
        reach = max(reach, placement.high or 0)
        placement.group = group


def figures(
    contestants: Sequence[Contestant],
    strata: NDArray[np.int64] | None = None,
    *,
    icc: float = statistics.ICC_PRIOR,
    known: Lowest | None = None,
) -> dict[Any, Figure]:
    """The headline of each contestant that has rows, from its units, with its interval.

    Args:
        contestants: In any order. Those that an earlier grader counted by other units have intervals of their own.
        strata: [units], the number of each unit's stratum; None is one stratum.
        icc: What the correlation of the rows of a unit is taken to be before anything is known of it.
        known: The lowest rates that were computed before; those of these contestants afterwards.
    """
    alike: dict[int, list[Contestant]] = {}
    for contestant in contestants:
        if contestant.units:
            alike.setdefault(len(contestant.units), []).append(contestant)
    figures_of: dict[Any, Figure] = {}
    lowest: Lowest = {}
    for size, having in alike.items():
        of_units = strata if strata is not None and len(strata) == size // UNIT_BYTES else None
        if any(contestant.parts for contestant in having):
            figures_of |= _lowest_figures(having, of_units, known or {}, lowest)
        else:
            figures_of |= _figures_alike(having, of_units, icc)
    if known is not None:
        known.clear()
        known.update(lowest)
    return figures_of


def _figures_alike(
    having: Sequence[Contestant], strata: NDArray[np.int64] | None, icc: float
) -> dict[Any, Figure]:
    """The same of contestants over the same units."""
    tables = [_table(contestant) for contestant in having]
    rates = statistics.rates_with_intervals(tables, strata, icc=icc)
    return {
        contestant.key: Figure(value, _over_runs(value, interval, contestant.runs), int(table[:, 1].sum()))
        for contestant, table, (value, interval) in zip(having, tables, rates, strict=True)
        if value is not None
    }


def _lowest_figures(
    contestants: Sequence[Contestant], strata: NDArray[np.int64] | None, known: Lowest, used: Lowest
) -> dict[Any, Figure]:
    """The same of a headline that is the lowest of several rates; none of a system that lacks one of them.

    Args:
        contestants: Over the same units.
        strata: [units], the number of each unit's stratum.
        known: What needs not be computed.
        used: Where what was known or computed is left.
    """
    figures_of = {}
    of_strata = b"" if strata is None else strata.tobytes()
    for contestant in contestants:
        table = _table(contestant)
        name = hashlib.sha256(f"{table.shape}".encode() + of_strata + table.tobytes()).digest()
        if (found := known.get(name)) is None:
            found = statistics.worst_with_interval(table, strata)
        used[name] = found
        if contestant.parts and not np.isnan(found[0]):
            figures_of[contestant.key] = Figure(*found, int(table[..., 1].sum()))
    return figures_of


def _over_runs(
    value: float, ends: tuple[float, float] | None, runs: Sequence[float]
) -> tuple[float, float] | None:
    """The interval of a rate, that of a mean widened by how much its repeats differ."""
    if ends is None or not runs:
        return ends
    low, high = statistics.widened(value, ends, statistics.run_variance(runs), len(runs))
    return max(low, 0.0), min(high, 1.0)


def rate_of(packed: bytes) -> float | None:
    """The rate over all units; None where there are no rows."""
    total, count = unit_scores(packed).sum(axis=0)
    return float(total / count) if count else None
