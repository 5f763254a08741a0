"""A version of GoldEvidenceBench: the suite with validated settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import cast

from evaluation.core.metric import Metric
from evaluation.core.records import GradingRecord, Interval, Number, Prediction, Row
from evaluation.core.report import Report
from evaluation.core.sealing import keyed_ids
from evaluation.core.suite import Column, Drawn, Facet, Gate, Item, Rung, SuiteVersion, SystemSpec
from evaluation.goldevidence import gates, public
from evaluation.goldevidence.columns import TIE_BREAKER, columns
from evaluation.goldevidence.conditions.conditions import Condition
from evaluation.goldevidence.conditions.rows import condition_rows
from evaluation.goldevidence.data import imported
from evaluation.goldevidence.data.case import CLOSED_BOOK
from evaluation.goldevidence.data.ledger import parse_book, parse_log
from evaluation.goldevidence.data.rubrics import RUBRICS, Options
from evaluation.goldevidence.facets import facets, of_lengths
from evaluation.goldevidence.grading.frozen import to_record
from evaluation.goldevidence.grading.grade import grade_each, grade_records
from evaluation.goldevidence.grading.metrics import METRICS, WORST_ORDER_RATE, version_metrics
from evaluation.goldevidence.grading.robustness import compared, lowest_part
from evaluation.goldevidence.presets import Settings
from evaluation.goldevidence.protocols import shown_by
from evaluation.goldevidence.records import EpisodePrediction, EpisodeRecord, EpisodeRow
from evaluation.goldevidence.split_names import split_labels

#: Label of the worst order on a board that it orders.
IN_WORST_ORDER = "Evidence chosen, worst order"
WORST_ORDER = (
    "Share of rows whose first citation is the gold line, in the order that is worst for the system."
)


class GoldVersion(SuiteVersion):
    settings: Settings
    tie_breaker = TIE_BREAKER

    @property
    def grader(self) -> str:
        """Return the names and revisions of the rubrics; for `strict` the revision frozen with the version."""
        rubric = self.settings.rubric
        strict = RUBRICS[rubric if rubric != "reference" else "strict"]
        return f"goldevidence/strict-{strict.revision}/reference-{RUBRICS['reference'].revision}"

    @property
    def columns(self) -> list[Column]:
        return self._behind_headline(columns())

    def headline(self, split: str = "") -> Column:
        """Return the column that ranks systems: exact accuracy, or the selection rate in one or in the worst order."""
        name = "exact_acc"
        if self.settings.headline_splits and split != CLOSED_BOOK:
            name = "selection_rate" if split else WORST_ORDER_RATE
        column = replace(next(each for each in columns() if each.name == name), headline=True)
        return replace(column, label=IN_WORST_ORDER, help=WORST_ORDER) if name == WORST_ORDER_RATE else column

    @property
    def metrics(self) -> Mapping[str, Metric]:
        return {each.name: each for each in (*METRICS[self.settings.rubric], *self._condition_metrics())}

    def _condition_metrics(self) -> tuple[Metric, ...]:
        return version_metrics(self.settings.conditions, complete=bool(self.settings.headline_splits))

    def count(self) -> int:
        return self.settings.count_units()

    def generate(self) -> Iterator[Item]:
        """Yield the units: whole-book rows, then the same questions under every condition."""
        shows, key = self.settings.shows, self.settings.key or keyed_ids.OPEN_KEY
        whole = shows.split_name if shows else CLOSED_BOOK
        for unit in self.settings.units():
            shown = [*unit.rows, *_under_conditions(unit.rows, self.settings.conditions)]
            yield self._frozen(*public.named(unit.key, shown, key, whole=whole))

    def items_from_rows(self, rows: Iterable[Row]) -> Iterator[Item]:
        """Yield the units of an existing data set. The rows of each unit must be adjacent. Raises RowError."""
        return imported.units(cast(Iterable[EpisodeRow], rows), self._item)

    def _item(self, key: str, rows: Sequence[EpisodeRow]) -> Item:
        return self._frozen(key, [*rows, *_under_conditions(rows, self.settings.conditions)])

    def _frozen(self, key: str, rows: list[EpisodeRow]) -> Item:
        shown = [shown_by(row, self.settings.shows) for row in rows]
        return Item(key, shown, to_record(key, shown, RUBRICS[self.settings.rubric]))

    @property
    def shared_texts(self) -> Collection[str]:
        """The fields with long texts that rows share; empty under older protocols, whose rows are stored unchanged."""
        return public.LONG if self.settings.shows else ()

    @property
    def most_citations(self) -> int | None:
        options = options_of(self.settings)
        return options.max_support_k if options.requires(self.settings.generator.require_citations) else None

    def grade(self, records: Iterable[GradingRecord], predictions: Iterable[Prediction]) -> Report:
        also, of_candidates = self._ordering()
        report = grade_records(
            cast(Iterable[EpisodeRecord], records),
            cast(Iterable[EpisodePrediction], predictions),
            options_of(self.settings),
            also=also,
            of_candidates=of_candidates,
        )
        return self._ordered(report)

    def grade_each(
        self, records: Iterable[GradingRecord], files: Iterable[Iterable[Prediction]]
    ) -> Iterator[Report]:
        also, of_candidates = self._ordering()
        reports = grade_each(
            cast(Iterable[EpisodeRecord], records),
            cast(Iterable[Iterable[EpisodePrediction]], files),
            options_of(self.settings),
            also=also,
            of_candidates=of_candidates,
        )
        return map(self._ordered, reports)

    def _ordering(self) -> tuple[tuple[Metric, ...], Metric | None]:
        also = {each.name: each for each in self._condition_metrics()}
        return tuple(also.values()), also[WORST_ORDER_RATE] if self.settings.headline_splits else None

    def _ordered(self, report: Report) -> Report:
        splits, by_condition = self.settings.headline_splits, report.sums.get(self.tie_breaker.name)
        parts = compared(self.settings.split_names, by_condition.parts) if by_condition else []
        if worst := lowest_part(by_condition, report.unit_names, parts):
            report.robustness = worst[1]
        if splits:
            _order_by_worst(report, splits)
        return report

    def systems(self) -> Mapping[str, SystemSpec]:
        """The systems that can answer the questions of this version."""
        from evaluation.goldevidence.systems.registry import (  # they import the suite's parts
            CANDIDATES,
            FAMILIES,
            LADDERS,
            SYSTEMS,
        )

        settings, families = self.settings, bool(self.settings.generator.families)
        has = {
            "": not families,
            CANDIDATES: bool(settings.conditions),
            LADDERS: settings.ladder is not None,
            FAMILIES: families,
        }
        return {
            name: spec for name, spec in SYSTEMS.items() if has[spec.only_over] or spec.reference == "oracle"
        }

    def gates(self, metrics: Mapping[str, Number], intervals: Mapping[str, Interval | None]) -> list[Gate]:
        return gates.judge(metrics, intervals)

    def drawn(self, units: int, splits: Mapping[str, int]) -> Drawn:
        """Count units and questions. Twins belong to one unit; all conditions ask the same questions, counted once."""
        drawn = super().drawn(units, splits)
        return drawn._replace(questions=drawn.questions // 2) if self.settings.generator.twins else drawn

    @property
    def rungs(self) -> Sequence[Rung]:
        return self.settings.rungs

    def counts_toward_headline(self, split: str) -> bool:
        """True if a split contributes to the headline. If the headline is the worst order, only splits of orders do."""
        splits = self.settings.headline_splits
        return split in splits if splits else True

    def facets(self, splits: Collection[str]) -> list[Facet]:
        chosen = self.settings
        if chosen.ladder is not None:
            return of_lengths(chosen.state_modes, splits, chosen.generator.families)
        whole, names = "Worst order" if chosen.headline_splits else "", list(splits)
        return facets(chosen.state_modes, names, whole=whole, labels=split_labels(chosen.as_json(), names))


def options_of(settings: Settings) -> Options:
    return Options(
        rubric=settings.rubric,
        citations=settings.citations,
        support_metric=settings.support_metric,
        max_support_k=settings.generator.max_support_k,
        entailment=settings.entailment,
    )


def _order_by_worst(report: Report, splits: Sequence[str]) -> None:
    sums = report.sums.get(WORST_ORDER_RATE)
    worst = lowest_part(sums, report.unit_names, splits)
    report.units = worst[1] if worst else {}
    there = [] if sums is None else [sums.parts.index(split) for split in splits if split in sums.parts]
    # A trial lacks some of the splits.
    report.metrics["n"] = int(sums.sums[:, there, 1].sum()) if sums is not None else 0


def _under_conditions(rows: Sequence[EpisodeRow], conditions: Sequence[Condition]) -> Iterator[EpisodeRow]:
    if not conditions or any(row.get("candidates") is not None for row in rows):
        return
    for (book, log), group in groupby(rows, lambda row: (row.get("book"), row.get("document"))):
        of_book = list(group)
        entries = parse_book(book) if book else parse_log(log or "")
        yield from condition_rows(of_book, entries, conditions, of_book[0]["meta"].get("seed", 0))
