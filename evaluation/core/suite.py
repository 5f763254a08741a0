"""The suites behind one small protocol. The site knows no benchmark by name; it knows this.

A third suite is one folder and one entry point of the group `goldevidencebench.suites`: docs/suites.md says how.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from evaluation.core.checks import (
    Problem as Problem,
)  # part of the protocol, and of no more than its module needs
from evaluation.core.errors import PluginError
from evaluation.core.plugin.display import Display
from evaluation.core.plugin.plots import Scatter
from evaluation.core.records import JsonObject, Prediction, Row, ShownVerdict, Verdict
from evaluation.core.registry import SUITES_GROUP, Registry, find
from evaluation.core.row_states import RowState

if TYPE_CHECKING:
    # They need numpy, which the help of a command does not.
    from evaluation.core.metric import Metric
    from evaluation.core.report import Report
    from evaluation.core.sealing.attacks import AttackPlan

log = logging.getLogger(__name__)

#: Seeds below are those that stand in the source or that people think of; drawn ones are larger, but for one in 2**31.
LARGEST_THOUGHT_OF = 2**32

#: Members that a suite which was written before them does without, see `headline_of`.
LATER = frozenset({"headline", "independent_questions", "rungs"})

Settings = Mapping[str, Any]
Progress = Callable[[int, int], None]  # (done, total)


@dataclass(frozen=True, slots=True)
class Column:
    """One figure of a board: where it is in a report, how to read it, which way is better."""

    name: str  # key in Report.metrics
    label: str
    help: str
    better: str = "higher"  # or "lower"
    headline: bool = False
    format: str = "ratio"  # ratio | count | seconds
    section: str = ""  # the heading under which a page lists it; columns of a section follow each other
    by_split: bool = False  # whether the short table of a system, a line a split, has it
    whole: bool = False  # whether the figure is a whole number, as the number of rows is
    first: bool = False  # whether it is among the dozen that a page shows before all others
    neutral: bool = False  # whether neither way is better: it describes, as the number of rows does
    counts: tuple[str, str] | None = None  # what its denominator counts, one and several; None: rows
    part_of: str = ""  # key in Report.metrics of the number that a whole one is a part of
    chance: str = ""  # key in Report.metrics of what choosing at random gets in the same rows

    @classmethod
    def from_metric(cls, metric: Metric) -> Column:
        """What a board shows of a metric."""
        return cls(
            metric.name,
            metric.label,
            metric.help,
            metric.better,
            metric.headline,
            metric.format,
            metric.section,
            metric.by_split,
            first=metric.first,
            neutral=metric.neutral,
            counts=metric.counts,
            chance=metric.chance,
        )


@dataclass(frozen=True, slots=True)
class Item:
    """One frozen unit (an episode with its twin, a timeline): what is drawn independently.

    `rows` are in download form *with* gold; `gold` is the compact grading record, parsed once.
    """

    key: str
    rows: Sequence[Row]
    gold: JsonObject


@dataclass(frozen=True, slots=True)
class Rung:
    """One length of a version whose units are asked about in texts of several lengths."""

    split: str  # the split of its rows: "8k"
    tokens: int  # of its texts


@dataclass(frozen=True, slots=True)
class Gate:
    """A bar that a system has to pass before it is ranked."""

    letter: str  # the mark on a board: "A"
    name: str
    state: str  # pass | fail | undecided | none (not reported)
    help: str  # the rate, the threshold and what it means, in a sentence
    rule: str = ""  # the part of it that holds for every system


@dataclass(frozen=True, slots=True)
class Unranked:
    """A kind of system that does not do what the headline measures: a board shows it apart, without a rank."""

    reason: str  # why, in a few words that follow "not ranked:"
    title: str  # the heading of their table on a board
    about: str  # what such a system does instead, in a sentence
    #: What the table shows: keys of a row of `Suite.measures`, the best first. A row may have `<key>_low` and
    #: `<key>_high`, its interval, and `<key>_of`, what it is over (`Column.counts`).
    measures: Sequence[Column]
    #: The board's columns that are true of them all the same, for tables by part of the rows.
    columns: Sequence[str]
    plot: Scatter | None = None  # a picture of two of the measures, a point a system


@dataclass(frozen=True, slots=True)
class Facet:
    """A way to divide a version's rows, of which a board can show one part: by split, by NOTE lines.

    `name` is the grouping of a report (`Report.groups`) that holds the figures of each part. Without a choice a
    board shows what `whole` says: the rows of the part `default`, or of all parts where that is empty.
    """

    name: str
    label: str
    whole: str
    choices: Sequence[tuple[str, str]] = ()  # (part, label); empty: the version has one part only
    default: str = ""


@dataclass(frozen=True, slots=True)
class RowPreview:
    """One question of a public row, as a person reads it. `id` is the row id that a verdict carries."""

    id: str
    question: str
    parts: list[tuple[str, str]]  # (heading, text): "Book", "Candidates", "Conversation" …
    answer_form: str  # an example line of a predictions file


class Answering(Protocol):
    """A deterministic system that was built: one row in, its predictions (lines of a predictions file) out.

    One that chooses among lines may have `reads(row) -> int`, the words of what it chooses among; else all that a row
    shows counts as read.
    """

    def predict(self, row: Row) -> Prediction | list[Prediction]:
        """The prediction of a row; several where a row asks several questions."""


#: What a deterministic system may show a board the limits by, instead of contesting it: role -> what it is.
REFERENCES = {
    "oracle": "Knows what the text says with authority: the most that can be reached.",
    "floor": "Reads nothing, or places only: what is reached without understanding.",
    "rule": "Reads the ledger's form by a rule that was written for it.",
}


class SystemSpec(Protocol):
    """A named deterministic system that the site can run over a version."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str:
        """baseline | selector | retriever | strategy"""

    @property
    def description(self) -> str: ...

    @property
    def reference(self) -> str:
        """A role of `REFERENCES`; empty: a contestant."""

    @property
    def build(self) -> Callable[[], Any]:
        """Builds the system, an `Answering`."""


def unit_icc_of(suite: Suite) -> float:
    """What the correlation of the rows of a unit is taken to be: `Suite.unit_icc`.

    Args:
        suite: Any suite. One that was written before it could say so has the usual one.
    """
    from evaluation.core.statistics.intervals import ICC_PRIOR  # numpy, which --help does without

    return float(getattr(suite, "unit_icc", ICC_PRIOR))


def reference_of(spec: SystemSpec) -> str:
    """The role of a system, where it is a reference; empty for a contestant.

    Args:
        spec: Of any suite. One that was written before there were roles has none.
    """
    role = getattr(spec, "reference", "")
    return role if role in REFERENCES else ""


@dataclass(frozen=True, slots=True)
class ExpectedRows:
    """What a predictions file has to hold, learnt from public rows or from grading records.

    `splits` maps each row id to the name of its split. A file may leave out whole splits; where the rows do not
    say theirs, whole `forms` (by row id: what a row shows), so that no answer to a file tells a split.
    `lines` maps each row id to the ids of the lines that the row holds, a space between them; rows of one text share
    the object. None: not known, or the suite's predictions name none.
    `artifacts` maps the id of each text that a system builds an artifact from to the text; None where nothing is built.
    """

    splits: Mapping[str, str]
    forms: Mapping[str, str] | None = None
    lines: Mapping[str, str] | None = None
    artifacts: Mapping[str, str] | None = None

    def together(self, row_id: str) -> str:
        """What has to be answered in full if this row is answered."""
        return (self.splits if self.forms is None else self.forms)[row_id]


def expected_with_lines(suite: Suite, records: Iterable[JsonObject]) -> ExpectedRows:
    """What a submission has to hold, and the lines that each row holds, where the suite says so.

    Args:
        suite: One whose predictions may say which lines were shown has `lines(record)`, an iterator of the row ids of a
            grading record or public row, each with the ids of its lines. It is no part of the protocol.
        records: Grading records, or public rows.

    Returns:
        As `Suite.expected`, with `lines` where there is such a member.

    Raises:
        RowError: As `Suite.expected`.
    """
    read = getattr(suite, "lines", None)
    if read is None:
        return suite.expected(records)
    lines: dict[str, str] = {}

    def passing() -> Iterator[JsonObject]:
        for record in records:
            yield record
            lines.update(read(record))

    return replace(suite.expected(passing()), lines=lines)


def own_decomposition(suite: Suite, metrics: Mapping[str, Any]) -> list[tuple[str, float | None]]:
    """The decomposition of a system's own retrieval, as its predictions report it.

    Args:
        suite: One that has none lacks the member `own_decomposition`, which is no part of the protocol.
        metrics: Of a report, or of a group of it.

    Returns:
        As `Suite.decomposition`; empty where no prediction says what was shown.
    """
    read = getattr(suite, "own_decomposition", None)
    return read(metrics) if read else []


def unshown_citations(suite: Suite) -> str:
    """The metric of answers that cite what their answerer, as the file says, was not shown; empty where there is none.

    Args:
        suite: One that has such a metric names it in the member `unshown_citations`, which is no part of the protocol.
    """
    return getattr(suite, "unshown_citations", "")


def shared_texts_of(suite: Suite, settings: Settings) -> Collection[str]:
    """The fields of a row that hold long texts which other rows share: a version's file has each of them once.

    Args:
        suite: One that has such fields names them in the member `shared_texts`, which is no part of the protocol.
        settings: Those of the version.

    Returns:
        Names among `Suite.texts`; empty where every row holds its own texts.
    """
    read = getattr(suite, "shared_texts", None)
    return read(settings) if read else ()


def other_formats_of(suite: Suite) -> Mapping[str, Callable[[Row], JsonObject]]:
    """The formats of others in which a version's rows can be had.

    Args:
        suite: One that has such formats names them in the member `other_formats`, which is no part of the protocol.

    Returns:
        name of the format, as an address has it -> what makes one of its rows of a public row; mostly empty.
    """
    formats: Mapping[str, Callable[[Row], JsonObject]] = getattr(suite, "other_formats", {})
    return formats


@dataclass(frozen=True, slots=True)
class Unseen:
    """What somebody got right who could not see it."""

    right: bool  # the answer
    cited: bool  # its evidence


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
    grader: str  # e.g. "goldevidence-strict/1": enters the hash of every frozen version
    unranked: Mapping[str, Unranked]  # by kind of system (`SystemSpec.kind`); empty: every kind is ranked
    display: Display  # the pictures, pages and words by which a site shows it
    row_kind: str  # `module:attribute` of its `adapters.kinds.RowKind`; empty: no adapter can answer its rows

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

    def state(self, data: JsonObject) -> RowState:
        """Whether a usable prediction holds an answer, and if not, why."""

    def grade(
        self, records: Iterable[JsonObject], predictions: Iterable[Prediction], settings: Settings
    ) -> Report:
        """Grade predictions against the grading records of a frozen version.

        Args:
            records: `Item.gold` of each item, in the order of the version.
            predictions: Usable lines of a predictions file.
            settings: Those of the version.
        """

    def systems(self) -> Mapping[str, SystemSpec]:
        """The deterministic systems of this suite, by name."""

    def attack_plan(self, settings: Settings) -> AttackPlan | None:
        """How versions of these settings are attacked before they are frozen; None: not at all. Suites may lack it."""

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


def headline_of(suite: Suite, settings: Settings, split: str = "") -> Column:
    """The column that a board of a version is ordered by, marked as the headline.

    Args:
        suite: Of the version. One that was written before versions named their headline has the same for all of them.
        settings: Those of the version.
        split: The name of a split, of a board that is ordered by its rows alone; empty: the whole version.
    """
    if hasattr(suite, "headline"):
        return replace(suite.headline(settings, split), headline=True)
    return next(column for column in suite.columns if column.headline)


def independent_questions_of(suite: Suite, settings: Settings, splits: Mapping[str, int]) -> int:
    """How many rows of a version have answers that do not follow from those of other rows, at least.

    Args:
        suite: Of the version. Of one that was written before it could say so, those of the largest split.
        settings: Those of the version.
        splits: The number of rows of each split.
    """
    if hasattr(suite, "independent_questions"):
        return suite.independent_questions(settings, splits)
    return max(splits.values(), default=0)


def rungs_of(suite: Suite, settings: Settings) -> Sequence[Rung]:
    """The lengths of a version, ascending; none for a version of one length.

    Args:
        suite: Of the version. One that was written before there were several has none.
        settings: Those of the version.
    """
    return suite.rungs(settings) if hasattr(suite, "rungs") else ()


def systems_over(suite: Suite, settings: Settings) -> dict[str, SystemSpec]:
    """The deterministic systems that say something of a version, by name.

    Args:
        suite: Of the version. One whose systems need something that not every version has says so in the member
            `runs_over`, which is no part of the protocol.
        settings: Those of the version.
    """
    says_something = getattr(suite, "runs_over", lambda system, settings: True)
    return {name: spec for name, spec in suite.systems().items() if says_something(name, settings)}


def columns_of(suite: Suite, settings: Settings) -> list[Column]:
    """The columns of a suite as a version has them: its headline first, and no other marked as one.

    Args:
        suite: Of the version.
        settings: Those of the version.
    """
    headline = headline_of(suite, settings)
    others = (column for column in suite.columns if column.name != headline.name)
    return [headline, *(replace(column, headline=False) if column.headline else column for column in others)]


SUITES = Registry(
    "suite",
    SUITES_GROUP,
    {
        "goldevidence": "evaluation.goldevidence.suite:SUITE",
        "statebench": "evaluation.statebench.suite:SUITE",
    },
)


@cache
def get_suite(name: str) -> Suite:
    """The suite of that name.

    Args:
        name: Ours, or what an installed distribution calls its own.

    Returns:
        Its object, always the same.

    Raises:
        UnknownNameError: Nobody has that name. It names the nearest match.
        PluginError: A distribution has it, and it cannot be used: it cannot be loaded, or is no suite.
    """
    suite: Suite = find("suite", name, SUITES)
    if origin := SUITES.origin(name):
        lacking = sorted(member for member in _members() - LATER if not hasattr(suite, member))
        if lacking or suite.name != name:
            why = f"it lacks {', '.join(lacking)}" if lacking else f"it calls itself {suite.name!r}"
            raise PluginError(f"The suite {name!r} of the distribution {origin} is none: {why}.")
    return suite


#: Members that a suite of somebody else may do without.
OPTIONAL = {"attack_plan"}


def _members() -> set[str]:
    members = {name for name in {*Suite.__annotations__, *vars(Suite)} if not name.startswith("_")}
    return members - OPTIONAL


@cache
def usable() -> Mapping[str, Suite]:
    """Every suite that can be loaded, by name. A fault of one is logged, and no reason to do without the others."""
    suites = {}
    for name in SUITES:
        try:
            suites[name] = get_suite(name)
        except PluginError as error:
            log.warning("%s", error)
    return suites


def reload() -> None:
    """Read again what is installed, for tests."""
    SUITES.reload()
    get_suite.cache_clear()
    usable.cache_clear()


def faults() -> list[str]:
    """What is wrong with what distributions add: a sentence each, which names the distribution."""
    found = list(SUITES.faults)
    for name in SUITES:
        try:
            get_suite(name)
        except PluginError as error:
            found.append(str(error))
    return found
