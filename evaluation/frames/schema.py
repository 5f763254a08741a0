"""The one schema of results: what every column of every table is called, means and holds.

From these tables come the dtypes of DataFrames, the schema of Parquet files, what CSV and JSON are read back as, and
`docs/frames.md`. A name in angle brackets stands for a family of columns, one for each thing of that kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum


class Kind(StrEnum):
    """What a column holds. Any of them may be null; null is "not reported" and never 0, False or empty."""

    TEXT = "text"
    CATEGORY = "category"  # a text out of few
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    TIME = "time"  # UTC, to the microsecond
    JSON = "json"  # a text that holds a JSON value


#: The dtype of a DataFrame's column.
DTYPES: dict[Kind, str] = {
    Kind.TEXT: "string",
    Kind.CATEGORY: "category",
    Kind.INTEGER: "Int64",
    Kind.NUMBER: "Float64",
    Kind.BOOLEAN: "boolean",
    Kind.TIME: "datetime64[us, UTC]",
    Kind.JSON: "string",
}


@dataclass(frozen=True, slots=True)
class Field:
    """One column."""

    name: str
    kind: Kind
    help: str
    unit: str = ""

    @property
    def dtype(self) -> str:
        """The dtype of a DataFrame's column."""
        return DTYPES[self.kind]

    @property
    def is_family(self) -> bool:
        """Whether it stands for several columns."""
        return "<" in self.name

    def named(self, name: str, *, help: str = "", kind: Kind | None = None) -> Field:
        """One column of a family.

        Args:
            name: The name of the column.
            help: What it means; empty for what the family means.
            kind: What it holds; None for what the family holds.
        """
        return replace(self, name=name, help=help or self.help, kind=kind or self.kind)


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of one kind of DataFrame, in their order."""

    name: str
    about: str
    fields: tuple[Field, ...]

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return [field.name for field in self.fields]

    def field(self, name: str) -> Field:
        """The column, or the family, of that name. Raises KeyError."""
        return {field.name: field for field in self.fields}[name]

    def with_fields(self, fields: Iterable[Field]) -> Table:
        """The same table with these columns in place of its families."""
        return replace(self, fields=tuple(fields))


def _fields(*rows: tuple[str, Kind, str] | tuple[str, Kind, str, str]) -> tuple[Field, ...]:
    return tuple(Field(*row) for row in rows)


T, C, I, N, B, W, J = Kind  # noqa: E741 - one letter a kind keeps a column on a line

ROWS = Table(
    "rows",
    "The questions of a benchmark, in the order of its rows.",
    _fields(
        ("id", T, "The row that a prediction answers."),
        ("line", I, "The line of the file that asks it, from 1.", "lines"),
        ("split", C, "Its condition or track; of a sealed version what the row shows."),
        ("question", T, "The question as a reader sees it."),
        ("document_id", T, "The document with its text; null where the row holds all that it shows."),
        (
            "shown",
            I,
            "How much the row shows a system beside it; null where a document holds its text.",
            "words",
        ),
        ("row", J, "The complete row."),
    ),
)
DOCUMENTS = Table(
    "documents",
    "The texts that rows name instead of repeating them, each once.",
    _fields(
        ("id", T, "The `document_id` of its rows."),
        ("field", C, "The field of a row that holds it: `book` or `document`."),
        ("characters", I, "How long it is.", "characters"),
        ("text", T, "The text."),
    ),
)
VERDICTS = Table(
    "verdicts",
    "What came of each question, in the order of the rows.",
    _fields(
        ("id", T, "The row."),
        ("unit", C, "What is drawn independently: an episode with its twin, a timeline."),
        ("split", C, "The condition or track of the row."),
        ("correct", B, "Whether the headline counts it as right; null where it does not apply."),
        ("in_headline", B, "False where the headline leaves the row out, whoever answers it."),
        (
            "gold_shown",
            B,
            "Whether the row shows what establishes its answer; null where a suite does not say.",
        ),
        ("failure", C, "The code of what is wrong; null where nothing is."),
        ("reason", T, "The same in a sentence."),
        ("figure_<metric>", N, "The figure of this row by itself; null where the metric does not count it."),
        ("verdict", J, "The complete verdict."),
    ),
)
METRICS = Table(
    "metrics",
    "Every figure of a report: of all rows, and of every group of every grouping.",
    _fields(
        ("grouping", C, "By what rows are grouped; `all` for the figures of the whole report."),
        ("group", C, "The group; `all` for the whole report."),
        ("metric", C, "The metric."),
        ("value", N, "Its figure; null where it does not apply.", "as the metric"),
        ("low", N, "Where its 95% interval begins; null where it has none.", "as the metric"),
        ("high", N, "Where it ends.", "as the metric"),
    ),
)
SUMMARY = Table(
    "summary",
    "One line a system and condition of a sweep: what `goldevidencebench sweep collect` collects of their "
    "`summary.json`.",
    _fields(
        ("run_dir", T, "The path of the sweep, as it was collected."),
        ("run_name", T, "The folder of the sweep."),
        ("pattern", T, "The same without its size."),
        ("mtime", W, "When its summary was written."),
        ("baseline", C, "The system."),
        ("condition", T, "The name of the condition; null for whole texts."),
        ("retrieval_k", I, "Candidates shown.", "lines"),
        ("retrieval_order", C, "Their order."),
        ("retrieval_wrong_type", C, "The rival among them."),
        ("retrieval_drop_prob", N, "How often the gold line is dropped."),
        ("retrieval_retriever", C, "Who finds them."),
        ("retrieval_ties", C, "Which of equal scores comes first."),
        ("retrieval_rerank", C, "The selector that picks one, where the system has one."),
        ("authority_filter", B, "Whether lines without authority are left out."),
        ("rows", I, "How many runs the line is of.", "runs"),
        ("decomposition_line", T, "The decomposition in one line."),
        ("<figure>", N, "A mean over its runs, or a rate over the rows of all of them."),
    ),
)
RUNS = Table(
    "runs",
    "One line a run of a sweep: its settings and its figures.",
    _fields(
        ("baseline", C, "The system."),
        ("protocol", C, "What the system was shown."),
        ("seed", I, "The seed of its rows."),
        ("steps", I, "The length of its episodes.", "steps"),
        ("state_mode", C, "What state the log keeps."),
        ("distractor_profile", C, "What distracts."),
        ("data_path", T, "Its rows."),
        ("n", I, "How many they are.", "rows"),
        ("<setting>", T, "Another setting, as the values are: whole numbers, numbers, yes or no, else text."),
        ("<metric>", N, "A metric; `raw_<metric>` is the same of the answers as they were given."),
    ),
)
BOARD = Table(
    "board",
    "A board: one line a system, in the order shown.",
    _fields(
        ("rank", I, "Null where it has none."),
        ("rank_low", I, "The best rank that it may have."),
        ("rank_high", I, "The worst."),
        ("tied_with_next", B, "Whether its range overlaps that of the next."),
        ("not_ranked", T, "Why it has no rank."),
        ("system", T, "Its name: model and harness in one line."),
        ("owner", T, "Its account."),
        ("kind", C, "llm, retriever, selector, baseline, strategy, pipeline …"),
        ("verified", B, "Whether this site ran it."),
        ("submission", T, "The id of the submission."),
        ("submitted", W, "When it came in."),
        ("tokens_per_query", N, "As reported.", "tokens"),
        ("headline", N, "The figure that the board is ordered by."),
        ("headline_low", N, "Where its 95% interval begins."),
        ("headline_high", N, "Where it ends."),
        (
            "scaled",
            N,
            "The headline between guessing (0) and the best oracle (1) of the board; null where under 0.2 apart.",
        ),
        ("scaled_low", N, "Where its 95% interval begins, with those two taken as fixed."),
        ("scaled_high", N, "Where it ends."),
        ("tie_breaker", N, "What the suite shows beside the headline; it decides no rank."),
        ("reference", C, "Of a reference system, which contests nothing: oracle, floor or rule."),
        ("<facet>", C, "The part of the rows that was chosen."),
        ("gate_<gate>", C, "pass, fail, or none: not reported."),
        ("<metric>", N, "A figure of the version, or of the part chosen; whole numbers are integers."),
        ("<metric>_low", N, "Where its 95% interval begins."),
        ("<metric>_high", N, "Where it ends."),
        ("order_<order>", N, "The selection rate where the candidates come in this order."),
        ("<measure>", N, "What a system that decides nothing shows a model."),
        ("benchmark", C, "The benchmark."),
        ("version", C, "Its version."),
        ("version_sha256", C, "What the version is sealed by."),
        ("grader", C, "What graded the submission."),
        ("repeats", I, "How many repeats the figures are the mean of; 1: of a single file."),
        ("run_sd", N, "The standard deviation of the headline between the repeats."),
        ("above_guessing", B, "Whether its interval lies above what guessing reaches."),
        (
            "meets_requirements",
            B,
            "Whether it fails none of the requirements; those that are undecided count as met.",
        ),
        ("requirements_not_met", T, "The requirements that it fails, in words."),
        ("origin", C, "How the result came about: verified, run_by_authors, or self_reported."),
        ("model", T, "The model as people call it."),
        ("reading", C, "How it reads: whole, retrieval, memory, agent, other; empty: not stated."),
        ("harness", T, "The same in words."),
    ),
)
COMPARISON = Table(
    "comparison",
    "Two to four submissions of a version: one line a figure of one of them, the first being A.",
    _fields(
        ("metric", C, "The metric; of a split `correct`, or a step of the decomposition."),
        ("split", C, "The split that it is over; null for the figure of the version."),
        ("better", C, "higher or lower."),
        ("letter", C, "The submission: A to D."),
        ("system", T, "Its system."),
        ("submission", T, "Its id."),
        ("value", N, "Its figure.", "as the metric"),
        ("low", N, "Where its 95% interval begins.", "as the metric"),
        ("high", N, "Where it ends.", "as the metric"),
        ("difference", N, "How far it is above A, over the units that both report.", "as the metric"),
        ("difference_low", N, "Where its 95% interval begins, paired by unit.", "as the metric"),
        ("difference_high", N, "Where it ends.", "as the metric"),
        ("p", N, "Two-sided, paired by unit; adjusted for no other."),
    ),
)
MEASURES = Table(
    "measures",
    "What systems that decide nothing show a model: one line a system and budget.",
    _fields(
        ("system", T, "Its name."),
        ("owner", C, "Who it belongs to."),
        ("kind", C, "What it is."),
        ("submission", T, "Which submission the line is of."),
        ("statistics", I, "The version of the statistics that made the intervals."),
        ("budget", I, "How much it may show.", "tokens"),
        ("<measure>", N, "What it shows at this budget."),
        ("<measure>_low", N, "Where its 95% interval begins; null where there is none."),
        ("<measure>_high", N, "Where it ends."),
        ("<measure>_of", I, "What a rate is over; null for a mean."),
        ("benchmark", C, "The benchmark."),
        ("version", C, "Its version."),
        ("version_sha256", C, "What the version is sealed by."),
    ),
)
TABLES: dict[str, Table] = {
    table.name: table
    for table in (ROWS, DOCUMENTS, VERDICTS, METRICS, SUMMARY, RUNS, BOARD, MEASURES, COMPARISON)
}


def as_markdown(table: Table) -> str:
    """The table as `docs/frames.md` shows it."""
    lines = ["| column | dtype | unit | meaning |", "|---|---|---|---|"]
    lines += [f"| `{each.name}` | {each.dtype} | {each.unit} | {each.help} |" for each in table]
    return "\n".join(lines)
