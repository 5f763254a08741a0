"""A version of a suite: the suite bound to settings that were validated once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evaluation.core.records import GradingRecord, Interval, Number, Prediction, Row
from evaluation.core.suite.parts import Column, Drawn, Facet, Gate, Item, Rung, SystemSpec

if TYPE_CHECKING:
    # They need numpy or pydantic, which the help of a command does not.
    from evaluation.core.metric import Metric
    from evaluation.core.report import Report
    from evaluation.core.suite.settings import VersionSettings
    from evaluation.core.suite.suite import Suite


class SuiteVersion(ABC):
    """Base of what a suite says of a version."""

    suite: Suite
    settings: VersionSettings  # validated
    #: Shown beside the headline; it decides no rank. `Report.robustness` is the rate of it.
    tie_breaker = Column("tie_breaker", "Tie breaker", "This benchmark has none.")

    def __init__(self, suite: Suite, settings: VersionSettings) -> None:
        self.suite, self.settings = suite, settings

    @property
    @abstractmethod
    def grader(self) -> str:
        """Name and revision of the grader, e.g. `toy/1`: enters the hash, and stands at every score."""

    @property
    @abstractmethod
    def metrics(self) -> Mapping[str, Metric]:
        """The definitions of the rates that are reported, by name."""

    @abstractmethod
    def generate(self) -> Iterator[Item]:
        """The items. Same settings, same bytes, on every machine."""

    @abstractmethod
    def items_from_rows(self, rows: Iterable[Row]) -> Iterator[Item]:
        """Items of existing rows with gold, in the order of a published data set.

        Raises RowError for a row that cannot be used; its `line` is the row's number, from 1.
        """

    @abstractmethod
    def grade(self, records: Iterable[GradingRecord], predictions: Iterable[Prediction]) -> Report:
        """Grade predictions.

        Args:
            records: `Item.gold` of each item, in the order of the version.
            predictions: Usable lines of a predictions file.
        """

    def count(self) -> int:
        """How many items `generate` yields (for progress)."""
        return sum(1 for _ in self.generate())

    def headline(self, split: str = "") -> Column:
        """The column that a board is ordered by, marked as the headline.

        Args:
            split: The name of a split, of a board that is ordered by its rows alone; empty: the whole version.

        Returns:
            A column of a rate; or, of a whole version, of the lowest of one rate over several splits: its metric then
            has the grouping of their facet, `Reduction.WORST`, and `families` that say which splits.
        """
        return Column.from_metric(next(metric for metric in self.metrics.values() if metric.headline))

    @property
    def columns(self) -> list[Column]:
        """The columns of a board: the headline, then section by section."""
        return self._behind_headline(map(Column.from_metric, self.metrics.values()))

    def _behind_headline(self, columns: Iterable[Column]) -> list[Column]:
        """The columns with the version's headline first, and no other marked as one."""
        headline = self.headline()
        others = (column for column in columns if column.name != headline.name)
        return [headline, *(replace(each, headline=False) if each.headline else each for each in others)]

    def systems(self) -> Mapping[str, SystemSpec]:
        """The deterministic systems that say something of this version, by name."""
        return self.suite.systems()

    def gates(self, metrics: Mapping[str, Number], intervals: Mapping[str, Interval | None]) -> list[Gate]:
        """The requirements, and whether these figures meet them.

        Args:
            metrics: `Report.metrics`: name -> figure.
            intervals: `Report.intervals`: name -> its 95% interval.
        """
        return []

    @property
    def unit_icc(self) -> float:
        """Prior of the correlation of the rows of a unit, from 0 to 1: high where they are copies of each other."""
        from evaluation.core.statistics.intervals import ICC_PRIOR  # numpy, which --help does without

        return ICC_PRIOR

    def drawn(self, units: int, splits: Mapping[str, int]) -> Drawn:
        """How much of a version is drawn independently: each unit, and the questions of the largest split.

        Args:
            units: How many units it has.
            splits: The number of rows of each split.
        """
        return Drawn(units, self.suite.display.unit, max(splits.values(), default=0))

    @property
    def rungs(self) -> Sequence[Rung]:
        """The lengths of a version whose units are asked about in texts of several, ascending; empty for all others.

        The rows of a unit are the same questions at each length, so that lengths are paired.
        """
        return ()

    def counts_toward_headline(self, split: str) -> bool:
        """Whether the headline is over the rows of a split, where nothing else is chosen."""
        return True

    def facets(self, splits: Collection[str]) -> list[Facet]:
        """How the rows divide, in the order of the parts that name a cell (`Report.cells`).

        Args:
            splits: The names of the splits.
        """
        return []

    @property
    def shared_texts(self) -> Collection[str]:
        """The fields of long texts that rows share: a version's file has each text once."""
        return ()

    @property
    def most_citations(self) -> int | None:
        """How many lines that an answer cites count at most; None where nothing is cited."""
        return None
