"""A version of StateBench: the suite bound to validated settings. One item is one timeline."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import cast

from evaluation.core.errors import FORM_FAULTS, RowError, SettingsError, in_row
from evaluation.core.metric import Metric
from evaluation.core.records import GradingRecord, Prediction, Row
from evaluation.core.report import Report
from evaluation.core.sealing import keyed_ids
from evaluation.core.suite import Column, Drawn, Facet, Item, SuiteVersion
from evaluation.statebench.columns import TIE_BREAKER, columns
from evaluation.statebench.data.timeline import check_timeline
from evaluation.statebench.data.truth import record
from evaluation.statebench.generator.scenes import generate as scenes
from evaluation.statebench.generator.scenes.clock import SPANS
from evaluation.statebench.generator.scenes.telling import length_label
from evaluation.statebench.generator.scenes.vocabulary import DOMAINS
from evaluation.statebench.generator.tracks import generate
from evaluation.statebench.grading import metrics
from evaluation.statebench.grading.measured import ICC_OF_COPIES
from evaluation.statebench.grading.rubrics import BARE, TYPED
from evaluation.statebench.presets import GENERATED, IMPORTED, SCENES, Settings
from evaluation.statebench.records import Timeline, TimelineRecord
from evaluation.statebench.reporting import report_on


class StateVersion(SuiteVersion):
    settings: Settings
    tie_breaker = TIE_BREAKER
    unit_icc = ICC_OF_COPIES  # timelines of one template get nearly the same answers

    @property
    def grader(self) -> str:
        if self.settings.rubric in TYPED:
            return f"statebench/{self.settings.rubric}"
        revision = self.settings.rubric.rpartition("@")[2] if self.settings.rubric in BARE else 2
        return f"statebench/strict-{revision}/1.0/2.0"

    @property
    def columns(self) -> list[Column]:
        return self._behind_headline(columns(self.settings.rubric))

    def headline(self, split: str = "") -> Column:
        """The column of decision accuracy, which is the headline of every version and track."""
        shown = columns(self.settings.rubric)
        return replace(next(column for column in shown if column.headline), headline=True)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        rubric = self.settings.rubric
        return {each.name: each for each in (*metrics.site_metrics(rubric), *metrics.beside(rubric))}

    def count(self) -> int:
        """Number of timelines, or 0 for an imported version."""
        chosen = self.settings
        if chosen.source == SCENES:
            return len(chosen.tracks) * chosen.templates * len(chosen.lengths) * chosen.count
        return 0 if chosen.source == IMPORTED else chosen.count * len(chosen.tracks)

    def generate(self) -> Iterator[Item]:
        """Generate the timelines. Raises SettingsError for an imported version."""
        chosen = self.settings
        if chosen.source == IMPORTED:
            raise SettingsError(
                {"source": ["an imported version takes its timelines from a file; choose the file."]}
            )
        if chosen.rubric in TYPED and chosen.source == GENERATED:
            raise SettingsError(
                {"rubric": [f"{chosen.rubric} needs typed gold, which these timelines lack."]}
            )
        yield from map(_item, self._rows(chosen.key or keyed_ids.OPEN_KEY))

    def _rows(self, key: str) -> Iterator[Timeline]:
        chosen = self.settings
        if chosen.source == SCENES:
            lengths = chosen.lengths
            return scenes.generate(chosen.tracks, chosen.templates, lengths, chosen.count, chosen.seed, key)
        return generate(chosen.tracks, chosen.count, chosen.seed, key)

    def items_from_rows(self, rows: Iterable[Row]) -> Iterator[Item]:
        """Items from the timelines of a file. Raises RowError, or SettingsError unless the version is imported."""
        if self.settings.source != IMPORTED:
            raise SettingsError({"source": [f'must be "{IMPORTED}" for timelines that come from a file.']})
        return imported(rows, typed=self.settings.rubric in TYPED)

    def grade(self, records: Iterable[GradingRecord], predictions: Iterable[Prediction]) -> Report:
        return report_on(records, predictions, self.settings.rubric, grader=self.grader)

    def drawn(self, units: int, splits: Mapping[str, int]) -> Drawn:
        """Number of templates (the independent units) and of questions.

        Timelines of one template are similar, so they count as one unit. A track has one template, of scenes as many as
        set. Imported timelines may have more (`data.truth.template_of`); this count is then the stricter one. Every
        question counts as independent, because each timeline draws its own state.
        """
        templates = len(splits) * (self.settings.templates or 1)
        return Drawn(min(units, templates), "template", sum(splits.values()))

    def counts_toward_headline(self, split: str) -> bool:
        """True for all tracks except those that test keeping a fact. Under rubric 1.0, True for all tracks."""
        return metrics.in_headline(split, self.settings.rubric)

    def facets(self, splits: Collection[str]) -> list[Facet]:
        """The facets by which a board can be filtered, such as track, length and domain."""
        tracks = tuple((name, name.replace("_", " ").capitalize()) for name in splits)
        by_track = Facet("track", "Track", "All tracks", tracks if len(tracks) > 1 else ())
        if self.settings.source != SCENES:
            return [by_track]
        labels = [length_label(length) for length in self.settings.lengths]
        lengths = tuple((label, f"{label} tokens" if label != "0" else "Bare") for label in labels)
        return [
            by_track,
            Facet("length", "Length", "All lengths", lengths if len(lengths) > 1 else ()),
            Facet("domain", "Domain", "All domains", _named(DOMAINS)),
            Facet("span", "Span", "All spans", _named(SPANS)),
        ]


def _named(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, name.capitalize()) for name in names)


def imported(rows: Iterable[Row], *, typed: bool = False) -> Iterator[Item]:
    """Items from released timelines. `typed` requires typed gold. Raises RowError with the number of the timeline."""
    seen: set[str] = set()
    for number, row in enumerate(rows, 1):
        yield _imported(cast(Timeline, row), number, seen, typed=typed)


def _item(row: Timeline) -> Item:
    return Item(row["id"], [row], record(row))


def _imported(row: Timeline, number: int, seen: set[str], *, typed: bool) -> Item:
    try:
        check_timeline(row)
        if row["id"] in seen:
            raise RowError(f"two timelines have the id {row['id']!r}")
        seen.add(row["id"])
        item = _item(row)
        if typed and not all("answer" in query for query in cast(TimelineRecord, item.gold)["queries"]):
            raise RowError(f"timeline {row['id']!r} has a query without typed gold (ground_truth.answer)")
        return item
    except (RowError, *FORM_FAULTS) as fault:
        raise in_row(fault, number) from fault
