"""Attackers by the places of a line over the rows of its group: one that stands nowhere third, say, or everywhere.

Which statistic of the places tells the gold line is learnt on the twin, group by group; where none does, all of them
choose no better than by lot.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from evaluation.attacks.goldevidence.joining.links import Groups
from evaluation.attacks.goldevidence.joining.notes import FileNotes, NotedRow
from evaluation.core.records import GradingRecord, Prediction

#: Places that are told apart, from the first; the last of them stands for all behind it.
PLACES: Final = 8
#: Differences that rounding makes are none.
TIED: Final = 1e-9
Counts = Sequence[int]  # of rows in which a line stands at each place
Weights = Sequence[float]  # of each place
Grouping = Callable[[FileNotes], Groups]
#: What a line is in all rows of a group.
Naming = Callable[[NotedRow, int], Hashable]


class Tally(NamedTuple):
    """The places of the lines of a group, about its tag, over its rows with candidates."""

    counts: Mapping[Hashable, Counts]
    width: int  # the most places of any of its rows
    totals: Counts  # of all lines together


Statistic = Callable[[Counts, Tally], float]


def by_id(row: NotedRow, line: int) -> Hashable:
    """The id of a line.

    Args:
        row: The row that shows it.
        line: Its number there.
    """
    return row.lines[line].uid


def by_rank(row: NotedRow, line: int) -> Hashable:
    """How many lines about the tag are later: what ids and values of its own do not change.

    Args:
        row: The row that shows it.
        line: Its number there.
    """
    step = row.lines[line].step
    return sum(row.lines[other].step > step for other in row.mine)


def tally(rows: Sequence[NotedRow], naming: Naming) -> Tally:
    """Count the places of the lines of a group.

    Args:
        rows: The group.
        naming: What tells that two lines of different rows are one.
    """
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
    """It stands at some place more seldom than any other line stands anywhere."""
    return -min(counts[: group.width])


def _even(counts: Counts, group: Tally) -> float:
    """It stands everywhere about as often."""
    return -(max(counts[: group.width]) - min(counts[: group.width])) / sum(counts)


def _common(counts: Counts, group: Tally) -> float:
    """It is shown in most rows."""
    return float(sum(counts))


def _unlike(counts: Counts, group: Tally) -> float:
    """Its places are unlike those of the other lines together."""
    total, rest = sum(counts), sum(group.totals) - sum(counts) or 1
    apart = (
        abs(own / total - (all_lines - own) / rest)
        for own, all_lines in zip(counts, group.totals, strict=True)
    )
    return math.fsum(apart)


def _weighted(weights: Weights, counts: Counts, group: Tally) -> float:
    """It stands where gold lines of the twin stand, and other lines do not."""
    return math.fsum(count * weight for count, weight in zip(counts, weights, strict=True)) / sum(counts)


STATISTICS: Final[Sequence[Statistic]] = (_avoiding, _even, _common, _unlike)


class PlaceJoiner:
    """Takes the line whose places over its group are most like those of a gold line.

    Args:
        grouping: Which rows belong together.
        naming: What tells that two lines of different rows are one.
    """

    def __init__(self, grouping: Grouping, naming: Naming) -> None:
        self._grouping, self._naming = grouping, naming

    def __call__(self, notes: FileNotes, told: Sequence[GradingRecord]) -> Iterator[Prediction]:
        """Answer every row of a file."""
        statistic = self._learnt(notes.twin) if notes.twin else _common
        for row, line in self.choices(notes, statistic):
            yield row.guess() if line is None else row.takes(line)

    def choices(self, notes: FileNotes, statistic: Statistic) -> Iterator[tuple[NotedRow, int | None]]:
        """Each row of a file with the line that is taken; None where it shows no candidates about its tag.

        Args:
            notes: Of the file.
            statistic: By which of the places lines are taken.
        """
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
        """The statistic that takes most gold lines of the twin; the first of equal ones."""
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
        """How much more often gold lines of the twin stand at each place than other lines about the tag: log odds."""
        gold, other = Counter[int](), Counter[int]()
        for row in twin.rows:
            for line in row.mine if row.has_candidates else ():
                is_gold = row.lines[line].uid == twin.gold[row.id]
                (gold if is_gold else other)[min(line, PLACES - 1)] += 1
        most, rest = gold.total() + PLACES, other.total() + PLACES
        return [math.log((gold[n] + 1) / most * rest / (other[n] + 1)) for n in range(PLACES)]


def best(row: NotedRow, scores: Sequence[float]) -> int:
    """The line about the tag with the highest score; of equal ones any.

    Args:
        row: Whose lines they are.
        scores: Of each line about the tag.
    """
    highest = max(scores)
    tied = [line for line, score in zip(row.mine, scores, strict=True) if score >= highest - TIED]
    return tied[row.lot % len(tied)]


def shape_joiner(notes: FileNotes, told: Sequence[GradingRecord]) -> Iterator[Prediction]:
    """Take the line at the place where lines about the tag stand most often, over all rows of like shape.

    Args:
        notes: Of the whole file.
        told: Records of the units whose gold is shown.
    """
    for members in notes.by_shape:
        rows = [notes.rows[number] for number in members]
        stand = Counter(line for row in rows if row.has_candidates for line in row.mine)
        for row in rows:
            is_shown = row.has_candidates and row.mine
            yield row.takes(best(row, [float(stand[line]) for line in row.mine])) if is_shown else row.guess()
