"""Two to four submissions of one version against each other, row against row.

The first is what the others are compared with. A difference is always *other minus first*, with the 95%
interval and the two-sided p of a paired bootstrap over units (`evaluation.core.statistics`). Each is a comparison by
itself, adjusted for no other. Single rows are counted and not tested: those of one unit share a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from evaluation.core import statistics
from evaluation.core.statistics import Difference
from evaluation.core.suite import Column, Unranked
from leaderboard.benchmarks.models import Version
from leaderboard.boards.comparison import verdict_matrix
from leaderboard.boards.comparison.verdict_matrix import CORRECT, FloatArray, Mask, VerdictMatrix
from leaderboard.boards.placements.ranking import rate_of, unit_scores
from leaderboard.boards.rows import Steps
from leaderboard.boards.slices import facets_of
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.score_tables import Interval, MetricCell, interval

LETTERS = "ABCD"
AT_LEAST, AT_MOST = 2, len(LETTERS)
#: A column is paired by a field of the verdicts if their mean gives the reported figure this closely.
TOLERANCE = 1e-5


@dataclass(frozen=True, slots=True)
class Contender:
    """One of the submissions, under a letter."""

    letter: str
    submission: Submission
    score: Score

    def reading(self, column: Column) -> MetricCell:
        """A column's value and interval, as reported."""
        return column, self.score.metrics.get(column.name), interval(self.score.intervals, column.name)

    @property
    def covers(self) -> int:
        """How many of the version's conditions the file covers."""
        return len(self.submission.conditions)


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure of one contender, and how far it is from the first one's."""

    value: float | None
    interval: Interval
    gap: float | None = None
    difference: Difference | None = None
    better: str = "higher"

    @property
    def verdict(self) -> str:
        """better, worse or level, as the difference's interval allows to say; few over too few units for that.

        Empty without a difference.
        """
        if self.difference is None:
            return ""
        if not self.difference.is_enough:
            return "few"
        if not self.difference.excludes_zero:
            return "level"
        return "better" if (self.difference.value > 0) == (self.better == "higher") else "worse"

    @property
    def p(self) -> float | None:
        """The p of the difference; None where its units are too few for one."""
        return self.difference.p if self.difference and self.difference.is_enough else None

    @property
    def range(self) -> Interval:
        """The interval of the difference; None where resampling finds none, every unit differing by the same."""
        found = self.difference
        return (found.low, found.high) if found and found.low != found.high else None


@dataclass(frozen=True, slots=True)
class Line:
    """A column of the suite over all contenders."""

    column: Column
    cells: list[Cell]

    @property
    def is_paired(self) -> bool:
        return any(cell.difference for cell in self.cells)


@dataclass(frozen=True, slots=True)
class ConditionLine:
    """A condition over all contenders: correct rows, and the decomposition where the suite has one."""

    name: str
    rows: int
    cells: list[Cell]
    steps: list[Steps]

    @property
    def pairs(self) -> list[tuple[Cell, Steps]]:
        """A cell and the decomposition of each contender."""
        return list(zip(self.cells, self.steps, strict=True))


@dataclass(frozen=True, slots=True)
class Rows:
    """The first and another contender, counted row by row."""

    other: Contender
    both: int
    only_first: int
    only_other: int
    neither: int


class Comparison:
    """Everything a page, a picture or a file says about the contenders. Raises storage.DamagedFileError."""

    def __init__(self, version: Version, submissions: Sequence[Submission]) -> None:
        self.version = version
        self.suite = version.suite
        self.contenders = [
            Contender(letter, submission, submission.score)
            for letter, submission in zip(LETTERS, submissions, strict=False)
            if submission.score
        ]

    @cached_property
    def sheet(self) -> VerdictMatrix:
        paired = [column for column in self.suite.columns if column.per_row]
        fields = {column.per_row for column in paired} | {
            column.where[0] for column in paired if column.where
        }
        return verdict_matrix.load([each.submission for each in self.contenders], sorted(fields))

    @cached_property
    def headline_rows(self) -> Mask:
        """[rows] whether the headline counts a row."""
        counted = ~self.sheet.aside
        for facet in facets_of(self.version):
            if facet.default in self.sheet.condition_names:
                counted &= self.sheet.in_condition(facet.default)
        return counted

    @property
    def headline(self) -> Line:
        return next(line for line in self.lines if line.column.headline)

    @cached_property
    def lines(self) -> list[Line]:
        """Every column that somebody reports, the headline first and behind it what breaks its ties."""
        columns = sorted(self.suite.columns, key=lambda column: not column.headline)
        lines = [Line(column, list(self._cells(column))) for column in columns]
        lines.insert(1, self.tie_breaker)
        return [line for line in lines if any(cell.value is not None for cell in line.cells)]

    @cached_property
    def tie_breaker(self) -> Line:
        """What ranks the contenders where the difference of their headlines has an interval that includes 0."""
        packed = [bytes(each.score.robust_scores) for each in self.contenders]
        rates = [rate_of(units) if units else None for units in packed]
        cells = []
        for at, (value, units) in enumerate(zip(rates, packed, strict=True)):
            known = at > 0 and value is not None and rates[0] is not None
            difference = _paired(unit_scores(units), unit_scores(packed[0])) if known else None
            gap = value - rates[0] if known and value is not None and rates[0] is not None else None
            cells.append(Cell(value, None, gap, difference))
        return Line(self.suite.tie_breaker, cells)

    @property
    def paired(self) -> list[Line]:
        """The columns of which differences can be paired."""
        return [line for line in self.lines if line.is_paired]

    @property
    def unpaired(self) -> list[Line]:
        return [line for line in self.lines if not line.is_paired]

    def _cells(self, column: Column) -> Iterator[Cell]:
        first = self.contenders[0].score.metrics.get(column.name)
        for at, contender in enumerate(self.contenders):
            _, value, spread = contender.reading(column)
            gap = None if at == 0 or first is None or value is None else value - first
            difference = None if gap is None else self._difference(column, at, gap)
            yield Cell(value, spread, gap, difference, column.better)

    def _difference(self, column: Column, at: int, gap: float) -> Difference | None:
        """How far a contender is from the first; None where rows do not explain the difference of the reported figures.

        A figure over rows that depend on the answers may have no row of a unit on one side. Pairing leaves such a unit
        out, so there is a test only where that changes nothing.
        """
        if column.headline:
            return _paired(*(unit_scores(bytes(self.contenders[i].score.unit_scores)) for i in (at, 0)))
        scope = self._scope(column, at)
        if scope is None:
            return None
        found = _paired(*(self._by_unit(column, i, scope) for i in (at, 0)))
        return found if found and abs(found.value - gap) < 2 * TOLERANCE else None

    def _by_unit(self, column: Column, at: int, rows: Mask) -> FloatArray:
        return self.sheet.by_unit(column.per_row, at, rows & self.sheet.where(column.where, at))

    def _scope(self, column: Column, at: int) -> Mask | None:
        """The rows whose mean is the reported figure, for this contender and the first; None where none are.

        A suite's figures look at its first condition (the headline's), at all others, or at all rows.
        """
        if not column.per_row:
            return None
        first = self.sheet.in_condition(self.sheet.condition_names[0])
        scopes = (first, ~first, np.ones_like(first))
        return next((rows for rows in scopes if all(self._explains(column, i, rows) for i in (0, at))), None)

    def _explains(self, column: Column, at: int, rows: Mask) -> bool:
        values = self.sheet.values[column.per_row][at][rows & self.sheet.where(column.where, at)]
        reported = self.contenders[at].score.metrics.get(column.name)
        known = values[~np.isnan(values)]
        return (
            reported is not None
            and known.size > 0
            and abs(known.mean(dtype=np.float64) - reported) < TOLERANCE
        )

    @property
    def has_few(self) -> bool:
        """Whether some difference is over too few units to say which side is better."""
        lines: list[Line | ConditionLine] = [*self.lines, *self.conditions]
        return any(cell.verdict == "few" for line in lines for cell in line.cells)

    @property
    def unranked(self) -> list[tuple[Contender, Unranked]]:
        """The contenders of a kind that the suite does not rank, and what such a system does instead."""
        kinds = self.suite.unranked
        pairs = [(each, kinds.get(each.submission.system.kind)) for each in self.contenders]
        return [(each, kind) for each, kind in pairs if kind is not None]

    @cached_property
    def conditions(self) -> list[ConditionLine]:
        """Condition by condition; empty where the version has one only."""
        names = self.sheet.condition_names
        return [self._condition(name) for name in names] if len(names) > 1 else []

    @property
    def has_steps(self) -> bool:
        """Whether any contender has a decomposition under any condition."""
        return any(any(line.steps) for line in self.conditions)

    def _condition(self, name: str) -> ConditionLine:
        rows = self.sheet.in_condition(name)
        groups = [each.score.groups.get("condition", {}).get(name, {}) for each in self.contenders]
        rates = [_mean(self.sheet.correct[at][rows]) for at in range(len(self.contenders))]
        cells = []
        for at, value in enumerate(rates):
            gap = None if at == 0 or value is None or rates[0] is None else value - rates[0]
            sums = [self.sheet.by_unit(CORRECT, i, rows) for i in (at, 0)]
            difference = None if gap is None else _paired(*sums)
            cells.append(Cell(value, None, gap, difference))
        steps = [self.suite.decomposition(group.get("metrics", {})) for group in groups]
        return ConditionLine(name, int(rows.sum()), cells, steps)

    @cached_property
    def rows(self) -> list[Rows]:
        """Each contender against the first, by the rows of the headline that both have."""
        return [self._rows(at) for at in range(1, len(self.contenders))]

    def _rows(self, at: int) -> Rows:
        first, other = self.sheet.correct[0], self.sheet.correct[at]
        shared = self.headline_rows & ~np.isnan(first) & ~np.isnan(other)
        table = [int(np.count_nonzero(shared & (first == a) & (other == b))) for a in (1, 0) for b in (1, 0)]
        both, only_first, only_other, neither = table
        return Rows(self.contenders[at], both, only_first, only_other, neither)


def _paired(other: Any, first: Any) -> Difference | None:
    return statistics.paired_difference(other, first) if len(other) == len(first) else None


def _mean(values: Any) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean(dtype=np.float64)) if known.size else None
