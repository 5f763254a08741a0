"""The suites behind one small protocol. The site knows no benchmark by name; it knows this.

A third suite is one new folder and one line in `SUITES`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from evaluation.core.registry import find
from evaluation.core.report import Report
from evaluation.core.row_states import RowState

#: Seeds below are those that stand in the source or that people think of; drawn ones are larger, but for one in 2**31.
LARGEST_THOUGHT_OF = 2**32

Settings = Mapping[str, Any]
Row = dict[str, Any]
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
    # For paired tests: the key of a verdict whose mean over rows is this figure; empty where none is.
    per_row: str = ""
    where: tuple[str, bool] | None = None  # the mean is over rows whose verdict says this under this key


@dataclass(frozen=True, slots=True)
class Item:
    """One frozen unit (an episode with its twin, a timeline): what the bootstrap resamples.

    `rows` are in download form *with* gold; `gold` is the compact grading record, parsed once.
    """

    key: str
    rows: list[Row]
    gold: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Gate:
    """A bar that a system has to pass before it is ranked."""

    letter: str  # the mark on a board: "A"
    name: str
    state: str  # pass | fail | none (not reported)
    help: str  # the rate, the threshold and what it means, in a sentence
    rule: str = ""  # the part of it that holds for every system


@dataclass(frozen=True, slots=True)
class Unranked:
    """A kind of system that does not do what the headline measures: a board shows it apart, without a rank."""

    reason: str  # why, in a few words that follow "not ranked:"
    title: str  # the heading of their table on a board
    about: str  # what such a system does instead, in a sentence
    #: What the table shows: keys of a row of `Suite.measures`, the one of the largest budget.
    measures: Sequence[Column]
    #: The board's columns that are true of them all the same, for tables by part of the rows.
    columns: Sequence[str]


@dataclass(frozen=True, slots=True)
class Facet:
    """A way to divide a version's rows, of which a board can show one part: a condition, a track.

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

    def predict(self, row: Row) -> Row | list[Row]:
        """The prediction of a row; several where a row asks several questions."""


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
    def build(self) -> Callable[[], Any]:
        """Builds the system, an `Answering`."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why one line of a predictions file is refused. `message` says what, why and what to do."""

    code: str
    message: str
    line: int | None = None
    column: int | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ExpectedRows:
    """What a predictions file has to hold, learnt from public rows or from grading records.

    `conditions` maps each row id to its condition name. A file may leave out whole conditions; where the rows do not
    say theirs, whole `forms` (by row id: what a row shows), so that no answer to a file tells a condition.
    """

    conditions: Mapping[str, str]
    forms: Mapping[str, str] | None = None

    def together(self, row_id: str) -> str:
        """What has to be answered in full if this row is answered."""
        return (self.conditions if self.forms is None else self.forms)[row_id]


class Suite(Protocol):
    """What a benchmark offers the site and the command line."""

    name: str
    title: str
    summary: str
    unit: str  # what an `Item` is to a reader, and so what intervals resample: "episode"
    asked: tuple[
        str, str
    ]  # what one line of a predictions file answers, one of it and several: "row", "rows"
    texts: Collection[str]  # the fields of a row that a system reads; all others are about it
    grader: str  # e.g. "goldevidence-strict/1": enters the hash of every frozen version
    columns: Sequence[Column]
    tie_breaker: (
        Column  # what `Report.robustness` is the rate of: it ranks whom the headline cannot tell apart
    )
    unranked: Mapping[str, Unranked]  # by kind of system (`SystemSpec.kind`); empty: every kind is ranked

    def presets(self) -> Mapping[str, Settings]:
        """Named settings, as JSON."""

    def about(self, preset: str) -> str:
        """What a version of a named preset measures, for readers; empty for an unknown name."""

    def check(self, settings: Settings) -> dict[str, Any]:
        """Settings completed with defaults. Raises SettingsError naming each bad field."""

    def describe(self, settings: Settings, *, seeds: bool = True) -> list[tuple[str, str]]:
        """The settings as (label, text) pairs for a reader. Whoever knows the seeds can make the gold."""

    def with_secret_seeds(self, settings: Settings) -> dict[str, Any]:
        """The settings with as many new seeds, and a key of the ids, that nobody can guess."""

    def has_secret_seeds(self, settings: Settings) -> bool:
        """Whether the seeds were drawn: those in the source, and all that people think of, can be tried."""

    def withheld(self, settings: Settings) -> list[str]:
        """Seeds, key, and the names of conditions: what must stand beside no text of a sealed version."""

    def shown_by_ids(self, settings: Settings, row: Row) -> str:
        """What the ids of a version frozen before they were keyed give away, in a sentence; empty for nothing."""

    def count(self, settings: Settings) -> int:
        """How many items `generate` yields (for progress)."""

    def generate(self, settings: Settings) -> Iterator[Item]:
        """The items of a version. Same settings, same bytes, on every machine."""

    def items_from_rows(self, rows: Iterable[Row], settings: Settings) -> Iterator[Item]:
        """Items of existing rows with gold, for freezing a published data set.

        Raises RowError, whose `line` is the number of the wrong row among `rows`, from 1.
        """

    def public_row(self, row: Row, *, labels: bool = False) -> Row:
        """The row without gold or anything that gives it away; with the `labels` that a published data set has."""

    def overtold(self, row: Row) -> Iterable[str]:
        """What a public row without labels says beside id and text, each in a few words; nothing if it is fit."""

    def form_of(self, split: str) -> str:
        """What the rows of a split show, which is all that a row without labels says of it."""

    def expected(self, records: Iterable[Mapping[str, Any]]) -> ExpectedRows:
        """What a submission has to hold, from grading records or from public rows."""

    def row_id(self, data: Mapping[str, Any]) -> str | None:
        """The id of the row that a prediction answers, None where it names none."""

    def missing_id_message(self, data: Mapping[str, Any]) -> str:
        """What is wrong with a prediction that names no row: what it lacks, or what has the wrong type."""

    def tokens(self, data: Mapping[str, Any]) -> float | None:
        """What a usable prediction says that its query took; None where it says nothing of it."""

    def validate(self, data: Any, expected: ExpectedRows) -> Problem | None:
        """Whether one parsed line is a usable prediction (its id is checked by the intake)."""

    def state(self, data: Mapping[str, Any]) -> RowState:
        """Whether a usable prediction holds an answer, and if not, why."""

    def grade(
        self, records: Iterable[Mapping[str, Any]], predictions: Iterable[Row], settings: Settings
    ) -> Report:
        """Grade predictions against the grading records of a frozen version."""

    def systems(self) -> Mapping[str, SystemSpec]:
        """The deterministic systems of this suite, by name."""

    def measures(self, system: str, rows: Iterable[Row], records: Iterable[Mapping[str, Any]]) -> list[Row]:
        """What a deterministic system shows a model at each budget, measured without one: a row a budget.

        From public rows and their grading records; empty where the suite measures nothing of the kind.
        """

    def row_previews(self, row: Row) -> list[RowPreview]:
        """The questions of a public row for a reader (a sample, a failing row)."""

    def redact(self, verdict: Row, *, own: bool) -> Row:
        """A line of `Report.rows` without what gives a withheld answer away; `own`: for who sent what was graded."""

    def unplaced(self, verdict: Row) -> Row:
        """A line of `Report.rows` that says no more of its row's condition, unit and twin than the public row does."""

    def gates(self, metrics: Mapping[str, Any], intervals: Mapping[str, Any]) -> list[Gate]:
        """The gates and whether these figures pass them."""

    def decomposition(self, metrics: Mapping[str, Any]) -> list[tuple[str, float | None]]:
        """The decomposition as (label, rate); empty where the suite has none.

        All but the last are shares of the same rows, each a part of the one before: what is lost on the way. The last
        is the figure that they explain, which may be higher: an answer may be right in another way.
        """

    def counts_toward_headline(self, split: str, settings: Settings) -> bool:
        """Whether the headline of a version is over the rows of a condition, where nothing else is chosen."""

    def facets(self, settings: Settings, splits: Iterable[str]) -> list[Facet]:
        """How the rows of a version divide, in the order of the parts that name a cell (`Report.cells`)."""

    def order_bias(self, groups: Mapping[str, Any], settings: Settings) -> list[tuple[str, float | None]]:
        """The order bias as (order, rate): first, middle, last, shuffle; empty where the suite has none."""


SUITES: dict[str, str] = {
    "goldevidence": "evaluation.goldevidence.suite:SUITE",
    "statebench": "evaluation.statebench.suite:SUITE",
}


@cache
def get_suite(name: str) -> Suite:
    """The suite of that name. Raises UnknownNameError naming the nearest match."""
    suite: Suite = find("suite", name, SUITES)
    return suite
