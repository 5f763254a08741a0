"""Attackers that compare the positions of a line in related rows. For example, a right line might never be third."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from evaluation.attacks.goldevidence.joining.links import Groups
from evaluation.attacks.goldevidence.joining.notes import FileNotes, NotedRow
from evaluation.core.records import GradingRecord, Prediction

#: Distinguished positions from the first; the last stands for all later ones.
PLACES: Final = 8
#: Smaller differences are rounding.
TIED: Final = 1e-9
Counts = Sequence[int]  # rows with a line at each position
Weights = Sequence[float]  # of each place
Grouping = Callable[[FileNotes], Groups]
#: The identity of a line across the rows of a group.
Naming = Callable[[NotedRow, int], Hashable]


class Tally(NamedTuple):
    """Counts, for each line about the question's key, how many rows of a group show it at each position."""

    counts: Mapping[Hashable, Counts]
    width: int  # most positions of any of its rows
    totals: Counts  # of all lines together


Statistic = Callable[[Counts, Tally], float]


def by_id(row: NotedRow, line: int) -> Hashable:
    return row.lines[line].uid


def by_rank(row: NotedRow, line: int) -> Hashable:
    """Number of later lines about the same key. It identifies a line without its id and value."""
    step = row.lines[line].step
    return sum(row.lines[other].step > step for other in row.mine)


def tally(rows: Sequence[NotedRow], naming: Naming) -> Tally:
    """Count the positions of lines in a group of rows. `naming` says which lines of different rows are the same."""
    counts: dict[Hashable, list[int]] = defaultdict(lambda: [0] * PLACES)
    width, totals = 1, [0] * PLACES
    for row in rows:
        width = max(width, min(len(row.lines), PLACES))
        for line in row.mine:
            place = min(line, PLACES - 1)
            counts[naming(row, line)][place] += 1
            totals[place] += 1
    return Tally(counts, width, totals)


def _avoiding(counts: Counts, group: Tally) -> float:
    """A score that is high if the line is never (or rarely) at one of the positions."""
    return -min(counts[: group.width])


def _even(counts: Counts, group: Tally) -> float:
    """A score that is high if the line is equally often at each position."""
    return -(max(counts[: group.width]) - min(counts[: group.width])) / sum(counts)


def _common(counts: Counts, group: Tally) -> float:
    """A score that is high if most rows show the line."""
    return float(sum(counts))


def _unlike(counts: Counts, group: Tally) -> float:
    """A score that is high if the line is at other positions than the other lines of the group."""
    total, rest = sum(counts), sum(group.totals) - sum(counts) or 1
    apart = (
        abs(own / total - (all_lines - own) / rest)
        for own, all_lines in zip(counts, group.totals, strict=True)
    )
    return math.fsum(apart)


def _weighted(weights: Weights, counts: Counts, group: Tally) -> float:
    """A score that is high if the line is at positions where the training rows have many right lines."""
    return math.fsum(count * weight for count, weight in zip(counts, weights, strict=True)) / sum(counts)


STATISTICS: Final[Sequence[Statistic]] = (_avoiding, _even, _common, _unlike)


class PlaceJoiner:
    """Chooses the line whose positions in related rows most resemble those of right lines."""

    def __init__(self, grouping: Grouping, naming: Naming) -> None:
        self._grouping, self._naming = grouping, naming

    def __call__(self, notes: FileNotes, told: Sequence[GradingRecord]) -> Iterator[Prediction]:
        statistic = self._learnt(notes.twin) if notes.twin else _common
        for row, line in self.choices(notes, statistic):
            yield row.guess() if line is None else row.takes(line)

    def choices(self, notes: FileNotes, statistic: Statistic) -> Iterator[tuple[NotedRow, int | None]]:
        """Yield each row with the line that the statistic chooses, or None without a line about the question's key."""
        for members in self._grouping(notes):
            rows = [notes.rows[number] for number in members]
            group = tally([row for row in rows if row.has_candidates], self._naming)
            scores = {name: statistic(counts, group) for name, counts in group.counts.items()}
            for row in rows:
                chosen = row.has_candidates and row.mine
                yield (
                    row,
                    best(row, [scores[self._naming(row, line)] for line in row.mine]) if chosen else None,
                )

    def _learnt(self, twin: FileNotes) -> Statistic:
        known: list[Statistic] = [*STATISTICS, partial(_weighted, self._weights(twin))]
        right = [
            sum(
                line is not None and row.lines[line].uid == twin.gold[row.id]
                for row, line in self.choices(twin, statistic)
            )
            for statistic in known
        ]
        return known[right.index(max(right))]

    def _weights(self, twin: FileNotes) -> Weights:
        """Log odds, for each position, that a line about the question's key is right, from the training rows."""
        gold, other = Counter[int](), Counter[int]()
        for row in twin.rows:
            for line in row.mine if row.has_candidates else ():
                is_gold = row.lines[line].uid == twin.gold[row.id]
                (gold if is_gold else other)[min(line, PLACES - 1)] += 1
        most, rest = gold.total() + PLACES, other.total() + PLACES
        return [math.log((gold[n] + 1) / most * rest / (other[n] + 1)) for n in range(PLACES)]


def best(row: NotedRow, scores: Sequence[float]) -> int:
    """Index of the line about the question's key with the highest score. Ties are broken by `row.lot`."""
    highest = max(scores)
    tied = [line for line, score in zip(row.mine, scores, strict=True) if score >= highest - TIED]
    return tied[row.lot % len(tied)]


def shape_joiner(notes: FileNotes, told: Sequence[GradingRecord]) -> Iterator[Prediction]:
    """Choose the position that lines about the question's key take most often in rows of the same shape."""
    for members in notes.by_shape:
        rows = [notes.rows[number] for number in members]
        stand = Counter(line for row in rows if row.has_candidates for line in row.mine)
        for row in rows:
            is_shown = row.has_candidates and row.mine
            yield row.takes(best(row, [float(stand[line]) for line in row.mine])) if is_shown else row.guess()
