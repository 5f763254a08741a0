"""What a suite is made of, as the site sees it: columns, items, gates, facets, systems, what a file has to hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from evaluation.core.plugin.plots import Scatter
from evaluation.core.records import Given, GradingRecord, Prediction, Row, Verdict
from evaluation.core.row_states import RowState

if TYPE_CHECKING:
    from evaluation.core.metric import Metric  # numpy is behind it, which the help of a command does not need

#: Seeds below are those that stand in the source or that people think of; drawn ones are larger, but for one in 2**31.
LARGEST_THOUGHT_OF = 2**32

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


class Preset(NamedTuple):
    """Named settings of a suite, as JSON, and what a version of them measures, for readers."""

    settings: Settings
    about: str = ""


class Fields(NamedTuple):
    """The fields of rows, predictions and verdicts that have a meaning."""

    texts: Collection[str] = ("question",)  # of a row: what a system reads; all others are about it
    #: Of a prediction, for guesses of what a refused file holds: those that name its row, all of which are needed, and
    #: those that an answer is read from, the usual one first. Empty: no guess is made.
    ids: Sequence[str] = ()
    answers: Sequence[str] = ()
    #: Of a verdict: what tells the split, the unit or the twin of its row.
    placing: Collection[str] = ("unit",)


class Line(NamedTuple):
    """A usable line of a predictions file."""

    state: RowState  # answered, or why it holds no answer
    given: Given | None = None  # what it answers, for a look at the whole file; None: nothing, or not told
    tokens: float | None = None  # what its query took; None where it says nothing of it


class Drawn(NamedTuple):
    """How much of a version is drawn independently, which is what a rank takes."""

    units: int
    unit: str  # what one is called
    questions: int  # rows whose answers do not follow from those of other rows, at least


@dataclass(frozen=True, slots=True)
class Item:
    """One frozen unit (an episode with its twin, a timeline): what is drawn independently.

    `rows` are in download form *with* gold; `gold` is the compact grading record, parsed once.
    """

    key: str
    rows: Sequence[Row]
    gold: GradingRecord


@dataclass(frozen=True, slots=True)
class Rung:
    """One length of a version whose units are asked about in texts of several lengths."""

    split: str  # the split of its rows: "8k"
    tokens: int  # of its texts


@dataclass(frozen=True, slots=True)
class Gate:
    """A requirement of the benchmark. A system that fails it keeps its place on a board, in parentheses."""

    letter: str  # the mark on a board: "A"
    name: str
    state: str  # pass | fail | undecided | none (not reported)
    help: str  # the rate, the threshold and what it means, in a sentence
    rule: str = ""  # the part of it that holds for every system
    failure: str = ""  # of one that fails: "citations back 78.1% of answers, 95% needed"


@dataclass(frozen=True, slots=True)
class Unranked:
    """A kind of system that does not do what the headline measures: a board shows it apart, without a rank."""

    reason: str  # why, in a few words that follow "not ranked:"
    title: str  # the heading of their table on a board
    about: str  # what such a system does instead, in a sentence
    #: Measures what a deterministic system of this kind shows a model, of its name, public rows and their grading
    #: records: a row a budget.
    measure: Callable[[str, Iterable[Row], Iterable[GradingRecord]], list[dict[str, object]]]
    #: What the table shows: keys of a row of `measure`, the best first. A row may have `<key>_low` and
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


@dataclass(frozen=True, slots=True)
class Unseen:
    """What somebody got right who could not see it."""

    right: bool  # the answer
    cited: bool  # its evidence


def _whole_line(line: Mapping[str, object]) -> str:
    return json.dumps(line, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Integrity:
    """How a suite tells that answers were not made from the rows, or are those of somebody else."""

    #: A text that two usable lines share exactly where they answer the same; empty where the line holds no answer.
    answer_key: Callable[[Mapping[str, object]], str] = _whole_line
    #: A text that two verdicts share exactly where the same wrong answer was given to the same question, in any order;
    #: empty where the answer is right, is none, or says nothing of who gave it.
    mistake_key: Callable[[Verdict], str] = lambda verdict: ""
    #: What an answer has right that its row did not show; None where the row shows what answers it.
    unseen: Callable[[Verdict], Unseen | None] = lambda verdict: None
    #: The metric of answers that cite what their answerer, as the file says, was not shown; empty where there is none.
    unshown_citations: str = ""


@dataclass(frozen=True, slots=True)
class ExpectedRows:
    """What a predictions file has to hold, learnt from public rows or from grading records.

    `splits` maps each row id to the name of its split. A file may leave out whole splits; where the rows do not
    say theirs, whole `forms` (by row id: what a row shows), so that no answer to a file tells a split.
    `lines` maps each row id to the ids of the lines that the row holds, a space between them; rows of one text share
    the object. None: not known, or the suite's predictions name none.
    `artifacts` maps the id of each text that a system builds an artifact from to the text; None where nothing is built.
    `citations` is how many lines of an answer count at most; None: not known, or the suite's answers cite nothing.
    `rubric` is the name of the version's, where it says how answers are read; empty: the suite's newest.
    """

    splits: Mapping[str, str]
    forms: Mapping[str, str] | None = None
    lines: Mapping[str, str] | None = None
    artifacts: Mapping[str, str] | None = None
    citations: int | None = None
    rubric: str = ""

    def together(self, row_id: str) -> str:
        """What has to be answered in full if this row is answered."""
        return (self.splits if self.forms is None else self.forms)[row_id]


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
    "rule": "Reads the ledger's form by a rule that was written for it, or learned from its answers.",
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
    def contexts(self) -> int:
        """The revision of how it builds contexts; 0: it builds none."""

    @property
    def build(self) -> Callable[[], Any]:
        """Builds the system, an `Answering`."""
