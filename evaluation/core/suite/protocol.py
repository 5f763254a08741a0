"""The protocol of a suite: everything that the site and the command line ask of a benchmark."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from evaluation.core.checks import Problem
from evaluation.core.plugin.display import Display
from evaluation.core.records import JsonObject, Prediction, Row, ShownVerdict, Verdict
from evaluation.core.row_states import RowState
from evaluation.core.suite.parts import (
    Column,
    ExpectedRows,
    Facet,
    Gate,
    Item,
    RowPreview,
    Rung,
    Settings,
    SystemSpec,
    Unranked,
    Unseen,
)

if TYPE_CHECKING:
    # They need numpy, which the help of a command does not.
    from evaluation.core.metric import Metric
    from evaluation.core.report import Report


class Suite(Protocol):
    """What a benchmark offers the site and the command line."""

    name: str
    title: str
    summary: str
    unit: str  # what an `Item` is to a reader, and so what intervals are over: "episode"
    asked: tuple[
        str, str
    ]  # what one line of a predictions file answers, one of it and several: "row", "rows"
    texts: Collection[str]  # the fields of a row that a system reads; all others are about it
    grader: str  # the newest, e.g. "goldevidence-strict/1": see `grader_of`
    unranked: Mapping[str, Unranked]  # by kind of system (`SystemSpec.kind`); empty: every kind is ranked
    display: Display  # the pictures, pages and words by which a site shows it
    row_kind: str  # `module:attribute` of its `adapters.kinds.RowKind`; empty: no adapter can answer its rows
    attacks: (
        str  # `module:attribute` of settings → `attacks.plan.AttackPlan`; empty: nobody attacks its versions
    )

    @property
    def columns(self) -> Sequence[Column]:
        """What a board shows, from the metrics as they are now: the headline, then section by section."""

    def headline(self, settings: Settings, split: str = "") -> Column:
        """The column that a board of a version is ordered by.

        Args:
            settings: Those of the version.
            split: The name of a split, of a board that is ordered by its rows alone; empty: the whole version.

        Returns:
            A column of a rate; or, of a whole version, of the lowest of one rate over several splits: its metric then
            has the grouping of their facet, `Reduction.WORST`, and `families` that say which splits.
        """

    @property
    def tie_breaker(self) -> Column:
        """What a board shows beside the headline; it decides no rank. `Report.robustness` is the rate of it."""

    def metrics(self, settings: Settings) -> Mapping[str, Metric]:
        """The definitions of the rates that a version with these settings reports, by name."""

    def presets(self) -> Mapping[str, Settings]:
        """Named settings, as JSON."""

    def about(self, preset: str) -> str:
        """What a version of a named preset measures, for readers; empty for an unknown name."""

    def check(self, settings: Settings) -> dict[str, Any]:
        """Settings completed with defaults. Raises SettingsError naming each bad field."""

    def settings_schema(self) -> dict[str, Any]:
        """The JSON schema of the settings: types, bounds, defaults and what each means."""

    def describe(self, settings: Settings, *, seeds: bool = True) -> list[tuple[str, str]]:
        """The settings for a reader.

        Args:
            settings: Those of a version.
            seeds: Whether seeds and key are told. Whoever knows the seeds can make the gold.

        Returns:
            (label, text) pairs.
        """

    def with_secret_seeds(self, settings: Settings) -> dict[str, Any]:
        """The settings with as many new seeds, and a key of the ids, that nobody can guess."""

    def has_secret_seeds(self, settings: Settings) -> bool:
        """Whether the seeds were drawn: those in the source, and all that people think of, can be tried."""

    def withheld(self, settings: Settings) -> list[str]:
        """Seeds, key, and the names of splits: what must stand beside no text of a sealed version."""

    def shown_by_ids(self, settings: Settings, row: Row) -> str:
        """What the ids of a version frozen before they were keyed give away.

        Args:
            settings: Those of the version.
            row: One of its rows.

        Returns:
            A sentence; empty for nothing.
        """

    def count(self, settings: Settings) -> int:
        """How many items `generate` yields (for progress)."""

    def generate(self, settings: Settings) -> Iterator[Item]:
        """The items of a version. Same settings, same bytes, on every machine."""

    def items_from_rows(self, rows: Iterable[Row], settings: Settings) -> Iterator[Item]:
        """Items of existing rows with gold, for freezing a published data set.

        Args:
            rows: The rows, in the order of the data set.
            settings: Those of the version.

        Raises:
            RowError: A row cannot be used; its `line` is the row's number among `rows`, from 1.
        """

    def public_row(self, row: Row, *, labels: bool = False) -> Row:
        """The row without gold or anything that gives it away.

        Args:
            row: The row with gold.
            labels: Whether it keeps the labels that a published data set has.
        """

    def overtold(self, row: Row) -> Iterable[str]:
        """What a public row without labels says beside id and text, each in a few words; nothing if it is fit."""

    def form_of(self, split: str) -> str:
        """What the rows of a split show, which is all that a row without labels says of it."""

    def expected(self, records: Iterable[JsonObject]) -> ExpectedRows:
        """What a submission has to hold, from grading records or from public rows."""

    def row_id(self, data: JsonObject) -> str | None:
        """The id of the row that a prediction answers, None where it names none."""

    def missing_id_message(self, data: JsonObject) -> str:
        """What is wrong with a prediction that names no row: what it lacks, or what has the wrong type."""

    def tokens(self, data: JsonObject) -> float | None:
        """What a usable prediction says that its query took; None where it says nothing of it."""

    def validate(self, data: Any, expected: ExpectedRows) -> Problem | None:
        """Whether one parsed line is a usable prediction; its id is checked by the intake.

        Args:
            data: The line.
            expected: What the file has to hold.

        Returns:
            Why the line is refused; None where it is usable.
        """

    def state(self, data: JsonObject, expected: ExpectedRows) -> RowState:
        """Whether a usable prediction holds an answer, and if not, why.

        Args:
            data: The line.
            expected: What the file has to hold.
        """

    def grade(
        self, records: Iterable[JsonObject], predictions: Iterable[Prediction], settings: Settings
    ) -> Report:
        """Grade predictions against the grading records of a frozen version.

        Args:
            records: `Item.gold` of each item, in the order of the version.
            predictions: Usable lines of a predictions file.
            settings: Those of the version.
        """

    def record_of_rows(self, record: JsonObject, row_ids: Collection[str]) -> JsonObject | None:
        """A grading record with some of its rows alone: what a part of a version is graded by.

        Args:
            record: `Item.gold` of an item.
            row_ids: Those of the part, whatever items they are of.

        Returns:
            A record that `grade` takes; None where none of its rows is among them.
        """

    def systems(self) -> Mapping[str, SystemSpec]:
        """The deterministic systems of this suite, by name."""

    def measures(
        self, system: str, rows: Iterable[Row], records: Iterable[JsonObject]
    ) -> list[dict[str, Any]]:
        """What a deterministic system shows a model at each budget, measured without one.

        Args:
            system: Its name.
            rows: Public rows.
            records: Their grading records.

        Returns:
            A row a budget; empty where the suite measures nothing of the kind.
        """

    def row_previews(self, row: Row) -> list[RowPreview]:
        """The questions of a public row for a reader (a sample, a failing row)."""

    def redact(self, verdict: Verdict, *, own: bool) -> ShownVerdict:
        """A line of `Report.rows` without what gives a withheld answer away.

        Args:
            verdict: The line.
            own: Whether it is for who sent what was graded.
        """

    def unplaced(self, verdict: Verdict) -> Verdict:
        """A line of `Report.rows` that says no more of its row's split, unit and twin than the public row does."""

    def gates(self, metrics: Mapping[str, Any], intervals: Mapping[str, Any]) -> list[Gate]:
        """The gates and whether these figures pass them.

        Args:
            metrics: `Report.metrics`: name -> figure.
            intervals: `Report.intervals`: name -> its 95% interval.
        """

    def decomposition(self, metrics: Mapping[str, Any]) -> list[tuple[str, float | None]]:
        """The decomposition as (label, rate); empty where the suite has none.

        All but the last are shares of the same rows, each a part of the one before: what is lost on the way. The last
        is the figure that they explain, which may be higher: an answer may be right in another way.
        """

    @property
    def unit_icc(self) -> float:
        """What the correlation of the rows of a unit is taken to be before anything is known of it, from 0 to 1.

        High where the rows of a unit are copies of each other. A suite that was written without it has that of
        `evaluation.core.statistics.ICC_PRIOR`.
        """

    def drawn_units(self, units: int, splits: Collection[str]) -> tuple[int, str]:
        """How many units of a version are drawn independently, which is what a rank takes, and what one is called.

        Args:
            units: How many units it has.
            splits: The names of its splits.
        """

    def independent_questions(self, settings: Settings, splits: Mapping[str, int]) -> int:
        """How many rows of a version have answers that do not follow from those of other rows, at least.

        Args:
            settings: Those of the version.
            splits: The number of rows of each split.
        """

    def rungs(self, settings: Settings) -> Sequence[Rung]:
        """The lengths of a version whose units are asked about in texts of several, ascending; empty for all others.

        The rows of a unit are the same questions at each length, so that lengths are paired.
        """

    def counts_toward_headline(self, split: str, settings: Settings) -> bool:
        """Whether the headline of a version is over the rows of a split, where nothing else is chosen.

        Args:
            split: The name of the split.
            settings: Those of the version.
        """

    def facets(self, settings: Settings, splits: Iterable[str]) -> list[Facet]:
        """How the rows of a version divide.

        Args:
            settings: Those of the version.
            splits: The names of its splits.

        Returns:
            The facets in the order of the parts that name a cell (`Report.cells`).
        """

    def order_bias(self, groups: Mapping[str, Any], settings: Settings) -> list[tuple[str, float | None]]:
        """The order bias: how often a system chooses rightly, by the order of the candidates.

        Args:
            groups: `Report.groups`: grouping -> group -> figures.
            settings: Those of the version.

        Returns:
            (order, rate): first, middle, last, shuffle; empty where the suite has no order bias.
        """

    def revisions(self) -> Mapping[str, int]:
        """The present revision of what builds the contexts of a result, by its name; empty where nothing does."""

    def unseen(self, verdict: Verdict) -> Unseen | None:
        """What an answer has right that its row did not show; None where the row shows what answers it."""
