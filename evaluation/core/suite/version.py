"""A version of a suite: the suite bound to validated settings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evaluation.core.records import GradingRecord, Interval, Number, Prediction, Row
from evaluation.core.suite.parts import Column, Drawn, Facet, Gate, Item, Rung, SystemSpec

if TYPE_CHECKING:
    # They import numpy or pydantic, which `--help` does without.
    from evaluation.core.metric import Metric
    from evaluation.core.report import Report
    from evaluation.core.suite.settings import VersionSettings
    from evaluation.core.suite.suite import Suite


class SuiteVersion(ABC):
    """Base class of a version."""

    suite: Suite
    settings: VersionSettings  # validated
    #: Shown beside the headline, without effect on ranks. `Report.robustness` has its sums.
    tie_breaker = Column("tie_breaker", "Tie breaker", "This benchmark has no tie breaker.")

    def __init__(self, suite: Suite, settings: VersionSettings) -> None:
        self.suite, self.settings = suite, settings

    @property
    @abstractmethod
    def grader(self) -> str:
        """Name and revision of the grader, e.g. `toy/1`: part of the version's hash, shown with every score."""

    @property
    @abstractmethod
    def metrics(self) -> Mapping[str, Metric]:
        """The reported metrics, by name."""

    @abstractmethod
    def generate(self) -> Iterator[Item]:
        """Yield the items. Same settings, same bytes, on every machine."""

    @abstractmethod
    def items_from_rows(self, rows: Iterable[Row]) -> Iterator[Item]:
        """Yield the items of existing rows with gold, in the order of the rows.

        Raises RowError for an unusable row; `RowError.line` is the row's number, from 1.
        """

    @abstractmethod
    def grade(self, records: Iterable[GradingRecord], predictions: Iterable[Prediction]) -> Report:
        """Grade valid lines of a predictions file. `records`: `Item.gold` of each item, in the version's order."""

    def count(self) -> int:
        """Number of items that `generate` yields (for progress)."""
        return sum(1 for _ in self.generate())

    def headline(self, split: str = "") -> Column:
        """Return the column that orders the leaderboard of the version or, with `split`, of that split.

        The metric of the column is a rate, or for a whole version the lowest of the rates of several splits. This
        metric then has the grouping of their facet, `Reduction.WORST`, and `families` that name the splits.
        """
        return Column.from_metric(next(metric for metric in self.metrics.values() if metric.headline))

    @property
    def columns(self) -> list[Column]:
        """Columns of a leaderboard: the headline, then all other columns, ordered by section."""
        return self._behind_headline(map(Column.from_metric, self.metrics.values()))

    def _behind_headline(self, columns: Iterable[Column]) -> list[Column]:
        headline = self.headline()
        others = (column for column in columns if column.name != headline.name)
        return [headline, *(replace(each, headline=False) if each.headline else each for each in others)]

    def systems(self) -> Mapping[str, SystemSpec]:
        """Deterministic systems that are meaningful for this version, by name."""
        return self.suite.systems()

    def gates(self, metrics: Mapping[str, Number], intervals: Mapping[str, Interval | None]) -> list[Gate]:
        """Judge each requirement by the `metrics` and `intervals` of a report."""
        return []

    @property
    def unit_icc(self) -> float:
        """Prior of the correlation between rows of a unit, in [0, 1]. It is high if these rows are copies."""
        # imports numpy, which `--help` does without
        from evaluation.core.statistics.intervals import ICC_PRIOR

        return ICC_PRIOR

    def drawn(self, units: int, splits: Mapping[str, int]) -> Drawn:
        """Numbers of independent units and questions, from the number of units and the rows of each split.

        By default all units are independent, and the questions are the rows of the largest split.
        """
        return Drawn(units, self.suite.display.unit, max(splits.values(), default=0))

    @property
    def rungs(self) -> Sequence[Rung]:
        """The text lengths at which the version repeats the same questions, ascending. Empty for most versions."""
        return ()

    def counts_toward_headline(self, split: str) -> bool:
        """True if the headline covers the rows of a split by default."""
        return True

    def facets(self, splits: Collection[str]) -> list[Facet]:
        """The facets of the rows. Each key of `Report.cells` has a part of every facet, in the same order."""
        return []

    @property
    def shared_texts(self) -> Collection[str]:
        """Fields with long texts that several rows share: a version's file stores each text once."""
        return ()

    @property
    def most_citations(self) -> int | None:
        """Largest number of cited lines that count. None means that the suite has no citations."""
        return None
