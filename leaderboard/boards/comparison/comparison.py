"""Compares two to four submissions of one version by their rows.

The first submission is the baseline. A difference is *other minus first*, with 95% interval and two-sided p, paired by
unit within strata (`evaluation.core.statistics`) and not adjusted for multiple comparisons. Rows are counted but not
tested one by one, because rows of one unit share a text.

For a sealed version, only the figures and intervals on its pages are used: from exact sums of two files that differ in
one row, readers could tell which answer is right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.core import statistics
from evaluation.core.metric import Metric, paired_difference
from evaluation.core.sealing.rounding import rounded_interval
from evaluation.core.statistics import CONFIDENCE, Contrast, UnitSums
from evaluation.core.suite import Column, Unranked
from leaderboard.benchmarks.models import Version
from leaderboard.boards.comparison.verdict_matrix import CORRECT, MOST, Mask, VerdictMatrix, load
from leaderboard.boards.placements.ranking import rate_of, unit_scores
from leaderboard.boards.rows import Steps
from leaderboard.boards.slices import board_slice, facets_of
from leaderboard.submissions.models import Score, Submission
from leaderboard.submissions.scores import score_sums
from leaderboard.submissions.scores.score_tables import Interval, MetricCell, interval

#: Step to which p is rounded up: decisions at the 5% level stay the same.
P_STEP = 0.05
Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


def shown_difference(gap: float, first: Interval, other: Interval, step: float) -> Contrast | None:
    """Test `gap`, the other figure minus the first, given both intervals. Returns None if an interval is missing.

    The figures are treated as independent: the half width is the root of the summed squared half widths. So the
    interval is wider than a paired interval. It is rounded outward to multiples of `step`.
    """
    if first is None or other is None:
        return None
    half = math.hypot(first[1] - first[0], other[1] - other[0]) / 2
    low, high = rounded_interval(gap - half, gap + half, step)
    if all(0 <= end <= 1 for end in (*first, *other)):  # rates: their difference is within ±1
        low, high = max(low, -1.0), min(high, 1.0)
    p = 2 * (1 - NormalDist().cdf(abs(gap) * Z / half))
    is_level = low <= 0 <= high  # rounding outward may include 0 even if p is small: keep the two consistent
    least = 2 * P_STEP if is_level else P_STEP
    return Contrast(gap, low, high, max(least, rounded_interval(0.0, p, P_STEP)[1]), units=0, df=math.inf)


def refusal(version: Version) -> str:
    """Why two uploads to a sealed version, neither declared as entry, are not compared, and what to do instead."""
    twin = version.public_twin
    where = (
        f" On its public twin {twin.benchmark.slug}/{twin.slug} any two submissions can be compared, row by row."
        if twin
        else ""
    )
    return (
        f"The answers of {version} are secret and these uploads were not declared as entries, so they only show their "
        "headlines and cannot be compared with each other. Compare one of them with a declared entry or a reference "
        f"system.{where}"
    )


LETTERS = "ABCD"
AT_LEAST, AT_MOST = 2, len(LETTERS)
#: Differences of the same sums, computed in two ways, are closer than this.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Contender:
    """One of the compared submissions. Its name is a letter."""

    letter: str
    submission: Submission
    score: Score

    def reading(self, column: Column) -> MetricCell:
        value = self.score.metrics.get(column.name)
        kept_apart = column == self.submission.version.bound.tie_breaker and self.score.robust_scores
        if value is None and kept_apart and not self.submission.version.shown_step:
            value = rate_of(bytes(self.score.robust_scores))  # an earlier release kept its units only
        return column, value, interval(self.score.intervals, column.name)

    @cached_property
    def sums(self) -> Mapping[str, UnitSums]:
        """Sums of every rate by unit. A score of an earlier release has only the sums of headline and tie breaker."""
        if packed := bytes(self.score.metric_sums):
            return score_sums.read(packed)
        version, score = self.submission.version, self.score
        kept = {version.headline.name: score.unit_scores, version.bound.tie_breaker.name: score.robust_scores}
        tables = {name: unit_scores(bytes(units)) for name, units in kept.items() if units}
        return {name: UnitSums((name,), table[:, None].astype(np.float64)) for name, table in tables.items()}

    @property
    def is_undeclared(self) -> bool:
        """True for an upload to a sealed version that is not declared as entry. It shows only its headline."""
        return not self.score.by_split

    @property
    def covers(self) -> int:
        """Number of the version's splits that the file covers."""
        return len(self.submission.conditions)


@dataclass(frozen=True, slots=True)
class Cell:
    """The value of a metric for one contender, and the difference from the first contender."""

    value: float | None
    interval: Interval
    gap: float | None = None
    difference: Contrast | None = None
    better: str = "higher"

    @property
    def verdict(self) -> str:
        """`better`, `worse` or `level`, judged by the interval of the difference; empty if there is no interval."""
        if self.difference is None:
            return ""
        if not self.difference.excludes_zero:
            return "level"
        return "better" if (self.difference.value > 0) == (self.better == "higher") else "worse"

    @property
    def is_over_fewer(self) -> bool:
        """True if the test leaves out units that only one submission reports, so that `difference` is not `gap`."""
        if self.difference is None or self.gap is None:
            return False
        return abs(self.difference.value - self.gap) > ROUNDING

    @property
    def p(self) -> float | None:
        return self.difference.p if self.difference else None

    @property
    def range(self) -> Interval:
        """The interval of the difference; None without an interval, or if every unit differs by the same amount."""
        difference = self.difference
        return (difference.low, difference.high) if difference and difference.low != difference.high else None


@dataclass(frozen=True, slots=True)
class Line:
    """One metric of a comparison, with a cell for each contender."""

    column: Column
    cells: list[Cell]

    @property
    def is_paired(self) -> bool:
        return any(cell.difference for cell in self.cells)


@dataclass(frozen=True, slots=True)
class SplitLine:
    name: str
    rows: int
    cells: list[Cell]
    steps: list[Steps]

    @property
    def pairs(self) -> list[tuple[Cell, Steps]]:
        return list(zip(self.cells, self.steps, strict=True))


@dataclass(frozen=True, slots=True)
class Rows:
    """Counts of the rows that both the first contender and `other` answer correctly, only one of them, or neither."""

    other: Contender
    both: int
    only_first: int
    only_other: int
    neither: int


class Comparison:
    """All figures of a comparison, for its page, charts and files. Raises storage.DamagedFileError."""

    def __init__(self, version: Version, submissions: Sequence[Submission]) -> None:
        self.version = version
        self.suite = version.suite
        self.contenders = [
            Contender(letter, submission, submission.score)
            for letter, submission in zip(LETTERS, submissions, strict=False)
            if submission.score
        ]

    @cached_property
    def verdict_matrix(self) -> VerdictMatrix:
        return load([each.submission for each in self.contenders], [])

    @cached_property
    def metrics(self) -> Mapping[str, Metric]:
        return self.version.bound.metrics

    @cached_property
    def headline_rows(self) -> Mask:
        """[rows]: True if the headline counts the row."""
        counted = ~self.verdict_matrix.aside
        for facet in facets_of(self.version):
            if facet.default in self.verdict_matrix.split_names:
                counted &= self.verdict_matrix.in_split(facet.default)
        for name in self.verdict_matrix.split_names:
            if not self.version.bound.counts_toward_headline(name):
                counted &= ~self.verdict_matrix.in_split(name)
        return counted

    @property
    def headline(self) -> Line:
        return next(line for line in self.lines if line.column.headline)

    @cached_property
    def lines(self) -> list[Line]:
        """One line per reported metric: the headline, its tie breaker, then the metrics in the order of the version."""
        lines = [self._line(column) for column in self.version.columns]
        lines.sort(key=lambda line: not line.column.headline)
        lines.insert(1, self.tie_breaker)
        return [line for line in lines if any(cell.value is not None for cell in line.cells)]

    @cached_property
    def tie_breaker(self) -> Line:
        return self._line(self.version.bound.tie_breaker)

    def _line(self, column: Column) -> Line:
        return Line(column, list(self._cells(column)))

    @property
    def without_sums(self) -> list[Contender]:
        """The contenders graded by an earlier release, which stored no sums. They cannot take part in paired tests."""
        return [each for each in self.contenders if not (each.score.metric_sums or self.version.shown_step)]

    @property
    def refusal(self) -> str:
        """Why these contenders may not be compared, and what to do instead; empty if they may."""
        undeclared = [each.letter for each in self.contenders if each.is_undeclared]
        return refusal(self.version) if len(undeclared) > 1 else ""

    @property
    def paired(self) -> list[Line]:
        return [line for line in self.lines if line.is_paired]

    @property
    def unpaired(self) -> list[Line]:
        return [line for line in self.lines if not line.is_paired]

    def _cells(self, column: Column) -> Iterator[Cell]:
        _, first, first_spread = self.contenders[0].reading(column)
        for at, contender in enumerate(self.contenders):
            _, value, spread = contender.reading(column)
            gap = None if at == 0 or first is None or value is None else value - first
            if gap is not None and self.version.shown_step:
                gap = round(gap, 12)
                difference = shown_difference(gap, first_spread, spread, self.version.shown_step)
            else:
                difference = None if gap is None else self._difference(column, at)
            yield Cell(value, spread, gap, difference, column.better)

    def _difference(self, column: Column, at: int) -> Contrast | None:
        """Paired difference of contender `at` from the first; None if sums by unit are missing or cannot be paired."""
        metric = self.metrics.get(column.name)
        first, other = (self.contenders[i].sums.get(column.name) for i in (0, at))
        if metric is None or first is None or other is None or not _are_alike(first, other):
            return None
        if metric.reducer and first.parts == (metric.name,):  # an earlier release kept the part that decides
            metric = replace(metric, reducer=None)
        return paired_difference(metric, other, first)

    @property
    def shows_rows(self) -> bool:
        """False on a sealed version, where a comparison of single rows would reveal answers."""
        return not self.version.shown_step

    @property
    def unranked(self) -> list[tuple[Contender, Unranked]]:
        kinds = self.suite.unranked
        pairs = [(each, kinds.get(each.submission.system.kind)) for each in self.contenders]
        return [(each, kind) for each, kind in pairs if kind is not None]

    @cached_property
    def splits(self) -> list[SplitLine]:
        """One line per split; empty if the version has only one split, or is sealed."""
        if not self.shows_rows:
            return []
        names = self.verdict_matrix.split_names
        return [self._split(name) for name in names] if len(names) > 1 else []

    @property
    def has_steps(self) -> bool:
        return any(any(line.steps) for line in self.splits)

    def _split(self, name: str) -> SplitLine:
        rows = self.verdict_matrix.in_split(name)
        groups = [each.score.groups.get("condition", {}).get(name, {}) for each in self.contenders]
        rates = [_mean(self.verdict_matrix.correct[at][rows]) for at in range(len(self.contenders))]
        cells = []
        for at, value in enumerate(rates):
            gap = None if at == 0 or value is None or rates[0] is None else value - rates[0]
            difference = None if gap is None else self._split_difference(name, rows, at)
            cells.append(Cell(value, None, gap, difference))
        steps = [self._steps(group.get("metrics", {})) for group in groups]
        return SplitLine(name, int(rows.sum()), cells, steps)

    def _split_difference(self, name: str, rows: Mask, at: int) -> Contrast | None:
        """Paired difference of contender `at` from the first on one split; None if they were graded on other units."""
        facet = next((f for f in facets_of(self.version) if name in dict(f.choices)), None)
        if facet is None:
            sums = [self.verdict_matrix.by_unit(CORRECT, i, rows) for i in (at, 0)]
        else:
            part = board_slice(self.version, {facet.name: name})
            scores = [self.contenders[i].score for i in (at, 0)]
            packed = [part.units(each.cells, bytes(each.cell_scores)) for each in scores]
            sums = [unit_scores(units).astype(np.float64) for units in packed if units]
        if len(sums) < AT_LEAST or sums[0].shape != sums[1].shape:
            return None
        known = self.strata
        strata = known if known is not None and len(known) == len(sums[0]) else None
        return statistics.paired_contrast(sums[0], sums[1], strata)

    def _steps(self, metrics: Mapping[str, float | None]) -> Steps:
        return self.suite.display.decomposition(metrics) or self.suite.display.own_decomposition(metrics)

    @cached_property
    def strata(self) -> NDArray[np.int64] | None:
        """[units of the version]: the stratum number of each unit; None if all units are in one stratum."""
        known = (score_sums.strata(bytes(each.score.metric_sums)) for each in self.contenders)
        return next((codes for codes in known if codes is not None), None)

    @cached_property
    def rows(self) -> list[Rows]:
        """Counts of the headline rows that the first and another contender both answer; empty on a sealed version."""
        if not self.shows_rows:
            return []
        return [self._rows(at) for at in range(1, len(self.contenders))]

    def _rows(self, at: int) -> Rows:
        first, other = self.verdict_matrix.correct[0], self.verdict_matrix.correct[at]
        shared = self.headline_rows & ~np.isnan(first) & ~np.isnan(other)
        right = first > MOST, other > MOST
        pairs = [(a, b) for a in (True, False) for b in (True, False)]
        table = [int(np.count_nonzero(shared & (right[0] == a) & (right[1] == b))) for a, b in pairs]
        both, only_first, only_other, neither = table
        return Rows(self.contenders[at], both, only_first, only_other, neither)


def _are_alike(first: UnitSums, other: UnitSums) -> bool:
    """True if two scores have sums of the same units and parts. Revisions of a grader may differ in both."""
    return first.parts == other.parts and first.sums.shape == other.sums.shape


def _mean(values: Any) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean(dtype=np.float64)) if known.size else None
