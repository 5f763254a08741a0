"""Ranks and ties of the systems of a board.

One test over all pairs of systems (`evaluation.core.statistics.board`) gives each system a range of possible ranks. All
ranges are right at once in 95% of versions; two systems are tied if and only if their ranges overlap. Systems that fail
a requirement take part and keep their range. Systems not above guessing take part in the test and get no rank. With too
few units there are no ranks. References, kinds that a suite does not rank, and self-reported results of a version with
public answers are left out of the test. The engine computes the statistics; the site prepares the input.
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
from evaluation.core.terminal.wording import noun, number_of

Units = np.ndarray[Any, np.dtype[np.float32]]
#: Name of the method. Change it whenever a rank may differ: stored placements of another name are recomputed.
RANKING = statistics.RANKING
#: Why a system of a ranked kind has no rank.
UNREPORTED, NOT_ABOVE = "its headline is not reported", "not above guessing"
#: Why an upload is listed in a table of its own.
SELF_REPORTED = "self-reported, and the answers of this version are public"
REGRADE = "an earlier grader counted other units"
#: Why a system has no rank yet while others keep their previous ones.
NEW = "its rank is not computed yet"
#: Why a whole board has no ranks.
COMPUTING = "ranks are not computed yet"
CROSSED = "ranks are those of the whole board, of single parts and of families of systems"
TWIN = "this version is a public twin, whose rows contain the answers"
_TOO_FEW = f"too few (ranks need at least {DIAGNOSTIC_BELOW})"
_GUESSABLE = "answers can be guessed, as "
#: How such reasons began in placements stored by earlier releases.
_FORMERLY = ("diagnostic", "a public twin")
#: Lowest rates with their intervals, by a hash of their units.
Lowest = dict[bytes, tuple[float, tuple[float, float] | None]]
#: Size of one unit in `Contestant.units`: two float32.
UNIT_BYTES = 8


class Contestant(NamedTuple):
    """A system of a board, with the data from which its rank is computed."""

    key: Any  # the submission's primary key
    name: str
    value: float | None  # the headline
    gated: bool  # a requirement is not met
    units: bytes  # the headline's (sum, rows) per unit, float32 pairs
    robust: bytes  # the same for the suite's robustness column, which breaks no ties; empty: not reported
    unranked: str = ""  # why it is left out: its kind, a reference, or self-reported; empty: it takes part
    reference: str = ""  # its role, if it is a reference
    parts: tuple[bytes, ...] = ()  # units of each rate, if the headline is the lowest of several
    runs: tuple[float, ...] = ()  # rate of each repeat of a mean; empty for a single file
    ends: tuple[float, float] | None = None  # the 95% interval of the headline, as pages show it


@dataclass(slots=True)
class Placement:
    """The position of a system on a board. If it has no rank, `reason` says why."""

    key: Any
    rank: int | None = None  # the best possible: 1 + the number of systems shown to be better
    low: int | None = None  # range of possible ranks; all ranges of a board hold together
    high: int | None = None
    tie: bool = False  # its range overlaps that of the next
    sharing: int = 1  # how many systems are tied with it, itself included
    group: int | None = None  # number of its chain of ties: systems of two groups are never tied
    best: bool = False  # it can still be the best
    name: str = ""
    reason: str = ""  # why it has no rank
    apart: bool = False  # listed in a table of its own, outside ranks and ties
    gated: bool = False  # a requirement is not met
    above: bool = True  # its interval lies above the guessing line, or there is no line
    reference: str = ""  # its role, if it is a reference
    units: int = 0  # behind the headline
    robust: float | None = None  # rate of the robustness column; None: not reported
    lead: float | None = None  # headline difference of the first to the second
    #: Its interval, by the test of the board; None for a lowest rate and in sealed versions.
    lead_ends: tuple[float, float] | None = None
    figure: Figure | None = None  # of a slice; the figure of the whole board is in the score

    def as_tested(self) -> Placement:
        """A copy that has only the fields that the test of a board determines."""
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
            lead_ends=self.lead_ends,
        )


@dataclass(slots=True)
class LastTest:
    """The outcome of a board's last test, which is reused as long as its input is the same."""

    name: str = ""  # of its input, see `test_name`; empty: no test yet
    placements: Mapping[Any, Placement] = field(default_factory=dict)


class Figure(NamedTuple):
    value: float
    interval: tuple[float, float] | None
    rows: int


def unit_scores(packed: bytes) -> Units:
    """[units, 2]: sum of a metric and number of rows in each unit, in the order of the version."""
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
    """Rank the systems of a board. Returns their placements in the order of the board.

    Args:
        strata: [units], the stratum number of each unit; None is one stratum.
        unranked: Reason for which the board has no ranks; empty: the test decides.
        guessing: The headline that guessing reaches; None: not known, and every system counts as above it.
        last: The last test of the board; updated, and run again only if its input changed.

    Returns:
        Systems above guessing by headline, then other systems by headline, then systems without a headline. Then the
        systems that no test includes: references by headline, self-reported results by headline, and kinds without
        ranks by name.
    """
    sign = -1 if better == "higher" else 1
    ordered = sorted(contestants, key=lambda c: (c.value is None, sign * (c.value or 0.0), c.name))
    able = [c for c in ordered if c.value is not None and not c.unranked]
    units = max((count_units(c) for c in able), default=0)
    why = unranked or diagnostic(units, unit)
    whole = max((_size(c) for c in able), default=())
    # an earlier grader may have counted other units, and the test needs the same ones in all systems
    compared = [] if why else [c for c in able if _size(c) == whole]
    above = {c.key for c in able if statistics.is_above(c.value, c.ends, guessing, better)}
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
    """Hash of everything that determines the outcome of a test. Tests with equal hashes give equal placements."""
    named = hashlib.sha256(f"{RANKING} {better} {len(compared)}".encode())
    named.update(b"" if strata is None else np.asarray(strata, dtype=np.int64).tobytes())
    for each in compared:
        named.update(f"\n{each.key} {each.value} {each.key in above} {_size(each)}".encode())
        named.update(b"".join(each.parts or (each.units,)))
    return named.hexdigest()


def diagnostic(units: int, unit: str) -> str:
    """Reason for no ranks if a headline has too few units, else empty. `unit` is the word for a unit."""
    if units >= DIAGNOSTIC_BELOW:
        return ""
    return f"{number_of(units, unit)} {noun(units, 'is', 'are')} {_TOO_FEW}"


def guessable(reason: str) -> str:
    """Reason for no ranks if an attacker beat its ceiling. `reason` is from the attackers' report, or empty."""
    return f"{_GUESSABLE}{reason}" if reason else ""


def reference_reason(role: str) -> str:
    """Reason for which a reference (`oracle`, `floor` or `rule`) has no rank; empty for other systems."""
    return f"a reference system ({role})" if role else ""


def in_order(
    placements: Sequence[Placement], values: Mapping[Any, float | None], *, better: str = "higher"
) -> list[Placement]:
    """Sort placements by `values`, best first. Systems not above guessing or without a value are last."""
    sign = -1 if better == "higher" else 1
    behind = [p for p in placements if not p.above or values.get(p.key) is None]
    keys = {placement.key for placement in behind}
    known = [placement for placement in placements if placement.key not in keys]
    return sorted(known, key=lambda placement: sign * (values[placement.key] or 0.0)) + behind


def why_no_ranks(placements: Iterable[Placement]) -> str:
    """The reason for which a whole board has no ranks; empty if only single systems have no rank."""
    reasons = (placement.reason for placement in placements)
    return next((why for why in reasons if _is_of_board(why)), "")


def _is_of_board(reason: str) -> bool:
    of_boards = (COMPUTING, CROSSED, TWIN)
    return reason in of_boards or reason.startswith((_GUESSABLE, *_FORMERLY)) or reason.endswith(_TOO_FEW)


def count_units(contestant: Contestant) -> int:
    return int(np.count_nonzero(unit_scores(contestant.units)[:, 1]))


def count_rows(contestant: Contestant) -> int:
    return int(unit_scores(contestant.units)[:, 1].sum())


def are_tied(first: Placement, second: Placement) -> bool:
    """True if the rank ranges of two systems of one board overlap; False if one of the systems has no rank."""
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return False
    return first.low <= second.high and second.low <= first.high


def range_words(low: int | None, high: int | None, *, gated: bool = False) -> str:
    """Possible ranks as text: "1", "2–5", or "(2–5)" if `gated` by a failed requirement; empty without a rank."""
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
    """Placements of the systems in `above`. The test compares all systems, so that its confidence level is right."""
    numbered = [at for at, contestant in enumerate(contestants) if contestant.key in above]
    if not numbered:
        return []
    board = statistics.among(
        statistics.board([unit_table(c) for c in contestants], strata, better=better), numbered
    )
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
        placements[0].lead_ends = _lead_ends(chosen, board.critical, strata, better)
    return placements


def _lead_ends(
    chosen: Sequence[Contestant], critical: float, strata: NDArray[np.int64] | None, better: str
) -> tuple[float, float] | None:
    """Interval of the first system's lead over the second; None if the headline is the lowest of several rates."""
    if chosen[0].parts:
        return None
    pair = chosen[:2] if better == "higher" else chosen[1::-1]
    first, second = (unit_table(contestant) for contestant in pair)
    return statistics.adjusted_difference(first, second, critical, strata)


def _size(contestant: Contestant) -> tuple[int, ...]:
    """Sizes of the contestant's tables of units. Two systems can only be compared if their sizes are equal."""
    return tuple(map(len, contestant.parts or (contestant.units,)))


def unit_table(contestant: Contestant) -> Units:
    """Sums of a contestant: [units, 2], or [units, parts, 2] if the headline is the lowest of several rates."""
    if not contestant.parts:
        return unit_scores(contestant.units)
    return np.stack([unit_scores(part) for part in contestant.parts], axis=1)


def _can_be_best(board: statistics.Board) -> NDArray[np.bool_]:
    """[systems]: True if a system can be the best.

    If `board.best` includes at most one system, all systems whose rank range begins at 1 can be the best.
    """
    first = board.low == 1
    alone = np.count_nonzero(board.best) == 1 and np.count_nonzero(first) > 1
    return first if alone or not board.best.any() else board.best


def _tie(placements: Sequence[Placement], board: statistics.Board) -> None:
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
    """The headline of each contestant with its interval. Leaves out contestants without rows.

    Args:
        strata: [units], the stratum number of each unit; None is one stratum.
        icc: Prior of the correlation of rows within a unit.
        known: Lowest rates computed earlier; the dictionary is updated to the rates of these contestants.
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
    tables = [unit_table(contestant) for contestant in having]
    rates = statistics.rates_with_intervals(tables, strata, icc=icc)
    return {
        contestant.key: Figure(value, _over_runs(value, interval, contestant.runs), int(table[:, 1].sum()))
        for contestant, table, (value, interval) in zip(having, tables, rates, strict=True)
        if value is not None
    }


def _lowest_figures(
    contestants: Sequence[Contestant], strata: NDArray[np.int64] | None, known: Lowest, used: Lowest
) -> dict[Any, Figure]:
    """As `figures`, for a headline that is the lowest of several rates. Reuses rates in `known`, adds all to `used`."""
    figures_of = {}
    of_strata = b"" if strata is None else strata.tobytes()
    for contestant in contestants:
        table = unit_table(contestant)
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
    """The interval of a rate. For a mean of repeats, the variance between the repeats widens it."""
    if ends is None or not runs:
        return ends
    low, high = statistics.widened(value, ends, statistics.run_variance(runs), len(runs))
    return max(low, 0.0), min(high, 1.0)


def rate_of(packed: bytes) -> float | None:
    """The rate over all units; None if the units have no rows."""
    total, count = unit_scores(packed).sum(axis=0)
    return float(total / count) if count else None
