"""Types of a suite that the site uses: columns, items, gates, facets, systems, expected contents of a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from evaluation.core.plugin.plots import Scatter
from evaluation.core.records import Given, GradingRecord, JsonObject, Prediction, Row, Verdict
from evaluation.core.row_states import RowState

if TYPE_CHECKING:
    from evaluation.core.metric import Metric  # imports numpy, which `--help` does without

#: Smaller seeds may be in the source or guessed; only one in 2**31 drawn seeds is smaller.
LARGEST_THOUGHT_OF = 2**32

Settings = Mapping[str, Any]

Progress = Callable[[int, int], None]  # (done, total)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a leaderboard: its key in a report, its labels, and which direction is better."""

    name: str  # key in Report.metrics
    label: str
    help: str
    better: str = "higher"  # or "lower"
    headline: bool = False
    format: str = "ratio"  # ratio | count | seconds
    section: str = ""  # heading on pages; columns of a section are adjacent
    by_split: bool = False  # shown in the short table of a system by split
    whole: bool = False  # a whole number, such as a number of rows
    first: bool = False  # among the dozen that a page shows first
    neutral: bool = False  # descriptive: neither direction is better
    counts: tuple[str, str] | None = None  # noun for the denominator, singular and plural; None: rows
    part_of: str = ""  # key in Report.metrics of the total of a whole number
    chance: str = ""  # key in Report.metrics of the chance level of the same rows

    @classmethod
    def from_metric(cls, metric: Metric) -> Column:
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
    """Named settings of a suite, as JSON, and a description of the versions made from them."""

    settings: Settings
    about: str = ""


class Fields(NamedTuple):
    """Names of fields in rows, predictions and verdicts that the site reads for every suite."""

    texts: Collection[str] = ("question",)  # of a row: the texts for the system; other fields are metadata
    #: Of a prediction, for guesses about refused files: all fields that identify the row, and the fields that may hold
    #: the answer, the usual one first. Empty: no guess is made.
    ids: Sequence[str] = ()
    answers: Sequence[str] = ()
    #: Of a verdict: fields that reveal the split, the unit or the twin of its row.
    placing: Collection[str] = ("unit",)


class Apart(NamedTuple):
    """Description of lines in a predictions file that contain something other than answers."""

    kind: str  # kind of system that sends such lines: a key of `Suite.unranked`
    words: str  # their content: "contexts of 128 tokens"


class Line(NamedTuple):
    """A valid line of a predictions file."""

    state: RowState  # answered, or why it holds no answer
    given: Given | None = None  # the answer, for checks of the whole file; None: nothing, or unknown
    tokens: float | None = None  # reported for its query; None if not reported
    apart: Apart | None = None  # set if it holds something other than an answer; equal in all lines of a file


class Drawn(NamedTuple):
    """Number of independent units and questions of a version, which limits the precision of a ranking."""

    units: int
    unit: str  # noun
    questions: int  # lower bound of rows whose answers do not follow from other rows


@dataclass(frozen=True, slots=True)
class Item:
    """One frozen unit (an episode with its twin, a timeline), drawn independently.

    `rows` have the form of downloaded rows, with gold added; `gold` is the compact grading record.
    """

    key: str
    rows: Sequence[Row]
    gold: GradingRecord


@dataclass(frozen=True, slots=True)
class Rung:
    """One of several text lengths at which a version asks about the same units."""

    split: str  # the split of its rows: "8k"
    tokens: int  # length of its texts


@dataclass(frozen=True, slots=True)
class Gate:
    """A requirement of the benchmark. A system that fails it keeps its rank on a leaderboard, in parentheses."""

    letter: str  # mark on a leaderboard: "A"
    name: str
    state: str  # pass | fail | undecided | none (not reported)
    help: str  # the rate, the threshold and what it means, in a sentence
    rule: str = ""  # the part of `help` that is the same for every system
    failure: str = ""  # if failed: "citations back 78.1% of answers, 95% needed"
    words: str = ""  # for readers: "citations back answers"; files and the API have the name

    @property
    def said(self) -> str:
        """The requirement in words (`words`), or its name if the suite declares no words."""
        return self.words or self.name


@dataclass(frozen=True, slots=True)
class Unranked:
    """A kind of system that does not attempt the task of the headline metric: listed separately, without a rank."""

    reason: str  # a few words after "not ranked:"
    title: str  # heading of their table
    about: str  # what such a system does, in a sentence
    #: Measures the contexts that a deterministic system builds, from its name, public rows and their grading records:
    #: one row for each budget.
    measure: Callable[[str, Iterable[Row], Iterable[GradingRecord]], list[dict[str, object]]]
    #: Columns of the table: keys of a row of `measure`, the most important first. A row may have `<key>_low` and
    #: `<key>_high`, its interval, and `<key>_of`, its denominator (`Column.counts`).
    measures: Sequence[Column]
    #: Columns of the leaderboard that apply to them too, for tables by part of the rows.
    columns: Sequence[str]
    plot: Scatter | None = None  # two of the measures, one point for each system
    #: Measures an uploaded file the same way, from public rows, their grading records and its lines; empty if these are
    #: answers (`Line.apart`). None: such systems send answers only.
    measure_lines: (
        Callable[[Iterable[Row], Iterable[GradingRecord], Iterable[JsonObject]], list[dict[str, object]]]
        | None
    ) = None


@dataclass(frozen=True, slots=True)
class Facet:
    """A division of a version's rows into parts that a leaderboard can show, such as by split.

    `name` is the grouping of a report (`Report.groups`) with the figures of each part. If the reader chooses no part, a
    leaderboard shows the part `default`, or all rows if `default` is empty. `whole` is the label of this choice.
    """

    name: str
    label: str
    whole: str
    choices: Sequence[tuple[str, str]] = ()  # (part, label); empty: the version has one part only
    default: str = ""


@dataclass(frozen=True, slots=True)
class RowPreview:
    """One question of a public row in readable form. Verdict files list the question under `id`."""

    id: str
    question: str
    parts: list[tuple[str, str]]  # (heading, text): "Book", "Candidates", "Conversation" …
    answer_form: str  # an example line of a predictions file


@dataclass(frozen=True, slots=True)
class Unseen:
    """Tells whether an answer, and its citations, are right although the row did not show the evidence."""

    right: bool  # the answer
    cited: bool  # its evidence


def _whole_line(line: Mapping[str, object]) -> str:
    return json.dumps(line, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Integrity:
    """Functions of a suite that detect answers that were copied or not derived from the rows."""

    #: Key of a line's answer: equal for equal answers, empty without an answer.
    answer_key: Callable[[Mapping[str, object]], str] = _whole_line
    #: Key of a mistake: equal if the same wrong answer was given to the same question, in any order; empty for a right
    #: or missing answer, and for a wrong answer that many systems would give.
    mistake_key: Callable[[Verdict], str] = lambda verdict: ""
    #: The parts of an answer that are right though the row did not show them; None if the row shows the evidence.
    unseen: Callable[[Verdict], Unseen | None] = lambda verdict: None
    #: Metric for citations of lines that, by the file's own account, the model was not shown; empty: none.
    unshown_citations: str = ""


@dataclass(frozen=True, slots=True)
class ExpectedRows:
    """The rows that a predictions file must answer, from public rows or grading records.

    `splits` maps each row id to the name of its split. A file may leave out whole splits.
    `forms` is for rows that hide their split: it maps each row id to the kind of text in the row. A file may then leave
    out whole kinds instead of splits, so that messages about missing rows do not reveal a split.
    `lines` maps each row id to the ids of its lines, separated by spaces; rows of one text share the string object.
    It is None if line ids are unknown, or predictions of the suite cite no lines.
    `artifacts` maps episode ids to the texts from which a system builds artifacts; None if systems build none.
    `citations` is the largest number of cited lines that count; None if it is unknown, or the suite has no citations.
    `rubric` is the version's rubric, if it affects how answers are read. If empty, the newest rubric is used.
    """

    splits: Mapping[str, str]
    forms: Mapping[str, str] | None = None
    lines: Mapping[str, str] | None = None
    artifacts: Mapping[str, str] | None = None
    citations: int | None = None
    rubric: str = ""

    def together(self, row_id: str) -> str:
        """Name of the split (or form) that must be answered in full if this row is answered."""
        return (self.splits if self.forms is None else self.forms)[row_id]


class Answering(Protocol):
    """A deterministic system that is ready to answer rows.

    An optional method `reads(row) -> int` returns the number of words that the system reads of a row. Without this
    method, the whole row counts as read.
    """

    def predict(self, row: Row) -> Prediction | list[Prediction]:
        """Answer a row with a line of a predictions file, or a list of lines if the row asks several questions."""


#: Roles of deterministic systems that mark limits on a leaderboard instead of competing.
REFERENCES = {
    "oracle": "Knows which statements of the text are valid: the upper bound.",
    "floor": "Reads nothing, or only positions: the score that needs no understanding.",
    "rule": "Reads rows by a rule that was written for the form of these rows, or learned from their answers.",
}


class SystemSpec(Protocol):
    """A named deterministic system that the site can run over a version."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str:
        """Kind of the system: `baseline`, `selector`, `retriever` or `strategy`."""

    @property
    def description(self) -> str: ...

    @property
    def reference(self) -> str:
        """Role of a reference system, a key of `REFERENCES`. Empty for a system that is ranked."""

    @property
    def contexts(self) -> int:
        """Revision of the code with which the system builds contexts. 0 means that the system builds no contexts."""

    @property
    def build(self) -> Callable[[], Any]:
        """Function that builds the system, an `Answering`."""
