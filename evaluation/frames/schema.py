"""Schema of results: name, meaning and type of each column of each table.

These tables define the dtypes of DataFrames, the schema of Parquet files, the types used to read CSV and JSON, and
`docs/frames.md`. A name in angle brackets stands for a family of columns: `<metric>` for one column per metric.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum


class Kind(StrEnum):
    """Type of a column. Any value may be null, which means "not reported", and never 0, False or empty."""

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
    name: str
    kind: Kind
    help: str
    unit: str = ""

    @property
    def dtype(self) -> str:
        return DTYPES[self.kind]

    @property
    def is_family(self) -> bool:
        """True if the name stands for a family of columns, such as one column per metric."""
        return "<" in self.name

    def named(self, name: str, *, help: str = "", kind: Kind | None = None) -> Field:
        """Make a column of this family. The defaults of `help` and `kind` are those of the family."""
        return replace(self, name=name, help=help or self.help, kind=kind or self.kind)


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of one kind of DataFrame, in order."""

    name: str
    about: str
    fields: tuple[Field, ...]

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    @property
    def columns(self) -> list[str]:
        return [field.name for field in self.fields]

    def field(self, name: str) -> Field:
        """The column or family called `name`. Raises KeyError."""
        return {field.name: field for field in self.fields}[name]

    def with_fields(self, fields: Iterable[Field]) -> Table:
        """A copy of the table with these columns instead of its own."""
        return replace(self, fields=tuple(fields))


def _fields(*rows: tuple[str, Kind, str] | tuple[str, Kind, str, str]) -> tuple[Field, ...]:
    return tuple(Field(*row) for row in rows)


T, C, I, N, B, W, J = Kind  # noqa: E741 - one letter a kind keeps a column on a line

ROWS = Table(
    "rows",
    "The questions of a benchmark, in the order of its rows.",
    _fields(
        ("id", T, "Id of the question, as in predictions."),
        ("line", I, "Line number in the file, from 1.", "lines"),
        ("split", C, "Condition or track; in a sealed version the kind of text shown."),
        ("question", T, "The question as a reader sees it."),
        ("document_id", T, "Id of the document with the text; null if the row contains the text."),
        ("shown", I, "Length of the text in the row; null if a document contains the text.", "words"),
        ("row", J, "The complete row."),
    ),
)
DOCUMENTS = Table(
    "documents",
    "Texts that rows refer to by id, each once.",
    _fields(
        ("id", T, "Id of the document, as in `document_id` of rows."),
        ("field", C, "Field of the row that the text belongs to: `book` or `document`."),
        ("characters", I, "Length of the text.", "characters"),
        ("text", T, "The text."),
    ),
)
VERDICTS = Table(
    "verdicts",
    "Verdict on each question, in the order of the rows.",
    _fields(
        ("id", T, "Id of the question."),
        ("unit", C, "Independent unit of resampling: an episode with its twin, a timeline."),
        ("split", C, "The condition or track of the row."),
        ("correct", B, "Whether the headline counts the answer as right; null if it does not apply."),
        ("in_headline", B, "False if the headline leaves the row out for every system."),
        ("gold_shown", B, "Whether the row shows the line with its answer; null if the suite does not say."),
        ("failure", C, "Code of the failure; null if the answer is right."),
        ("reason", T, "Description of the failure, in one sentence."),
        ("figure_<metric>", N, "The metric's value on this row alone; null if it leaves the row out."),
        ("verdict", J, "The complete verdict."),
    ),
)
METRICS = Table(
    "metrics",
    "Every metric of a report: over all rows, and over each group of each grouping.",
    _fields(
        ("grouping", C, "How rows are grouped; `all` for the whole report."),
        ("group", C, "The group; `all` for the whole report."),
        ("metric", C, "The metric."),
        ("value", N, "Value of the metric; null if it does not apply.", "as the metric"),
        ("low", N, "Lower end of the 95% interval; null without an interval.", "as the metric"),
        ("high", N, "Upper end of the 95% interval.", "as the metric"),
    ),
)
SUMMARY = Table(
    "summary",
    "One line per system and condition of a sweep, as `goldevidencebench sweep collect` reads them from "
    "`summary.json`.",
    _fields(
        ("run_dir", T, "Path of the sweep's folder, as collected."),
        ("run_name", T, "Name of the sweep's folder."),
        ("pattern", T, "Name of the sweep without its size, such as `_s3q12`."),
        ("mtime", W, "Time at which `summary.json` was written."),
        ("baseline", C, "The system."),
        ("condition", T, "Name of the condition; null for whole texts."),
        ("retrieval_k", I, "Number of candidates shown.", "lines"),
        ("retrieval_order", C, "Order of the candidates."),
        ("retrieval_wrong_type", C, "Kind of wrong line added to the candidates."),
        ("retrieval_drop_prob", N, "Probability with which the gold line is dropped."),
        ("retrieval_retriever", C, "Retriever that finds the candidates."),
        ("retrieval_ties", C, "Which of two lines with equal scores is ranked first."),
        ("retrieval_rerank", C, "Selector that chooses a candidate, if the system has a selector."),
        ("authority_filter", B, "Whether lines without authority are left out."),
        ("rows", I, "Number of runs summarised in this line.", "runs"),
        ("decomposition_line", T, "Decomposition of the accuracy, as one line of text."),
        ("<figure>", N, "A metric: mean over the runs, or rate over the rows of all runs."),
    ),
)
RUNS = Table(
    "runs",
    "One line per run of a sweep: settings and metrics.",
    _fields(
        ("baseline", C, "The system."),
        ("protocol", C, "Text shown to the system."),
        ("seed", I, "Seed of the rows."),
        ("steps", I, "Length of the episodes.", "steps"),
        ("state_mode", C, "State mode of the log."),
        ("distractor_profile", C, "Profile of the distractors."),
        ("data_path", T, "File of the rows."),
        ("n", I, "Number of rows.", "rows"),
        ("<setting>", T, "Another setting, typed by its values: integers, numbers, booleans, else text."),
        ("<metric>", N, "A metric; `raw_<metric>` is the same metric of uncorrected answers."),
    ),
)
BOARD = Table(
    "board",
    "A leaderboard: one line per system, in the order shown.",
    _fields(
        ("rank", I, "Rank; null if not ranked."),
        ("rank_low", I, "Best rank within noise."),
        ("rank_high", I, "Worst rank within noise."),
        ("tied_with_next", B, "Whether the rank ranges of this system and the next overlap."),
        ("not_ranked", T, "Reason why the system has no rank."),
        ("system", T, "Name of the system: model and harness in one line."),
        ("owner", T, "Account that owns the system."),
        ("kind", C, "Kind of system: llm, retriever, selector, baseline, strategy, pipeline …"),
        ("verified", B, "Whether this site ran the system."),
        ("submission", T, "Id of the submission."),
        ("submitted", W, "Time of submission."),
        ("tokens_per_query", N, "Tokens per question, as reported.", "tokens"),
        ("headline", N, "Value of the metric that orders the leaderboard."),
        ("headline_low", N, "Lower end of the headline's 95% interval."),
        ("headline_high", N, "Upper end of the headline's 95% interval."),
        (
            "scaled",
            N,
            "The headline scaled from guessing (0) to the best oracle (1); null if these are less than 0.2 apart.",
        ),
        ("scaled_low", N, "Lower end of the 95% interval of `scaled`, with guessing and oracle held fixed."),
        ("scaled_high", N, "Upper end of the 95% interval of `scaled`."),
        ("tie_breaker", N, "Second metric, shown beside the headline; it does not affect ranks."),
        ("reference", C, "Kind of a reference system, which is not ranked: oracle, floor or rule."),
        ("<facet>", C, "Value of this facet, if the rows were filtered by it."),
        ("gate_<gate>", C, "State of the requirement: pass, fail, undecided, or none (not reported)."),
        ("<metric>", N, "A metric over the version, or over the filtered rows; counts are integers."),
        ("<metric>_low", N, "Lower end of the metric's 95% interval."),
        ("<metric>_high", N, "Upper end of the metric's 95% interval."),
        ("order_<order>", N, "Selection rate with the candidates in this order."),
        ("<measure>", N, "A context measure of a memory strategy without a model."),
        ("benchmark", C, "The benchmark."),
        ("version", C, "Version of the benchmark."),
        ("version_sha256", C, "SHA-256 of the sealed version."),
        ("grader", C, "Name and revision of the submission's grader."),
        ("repeats", I, "Number of repeats averaged; 1 for a single file."),
        ("run_sd", N, "Standard deviation of the headline between repeats."),
        ("above_guessing", B, "Whether the headline's interval lies above the score of guessing."),
        ("meets_requirements", B, "Whether all requirements are met; undecided requirements count as met."),
        ("requirements_not_met", T, "Requirements not met, in words."),
        ("origin", C, "Origin of the result: verified, run_by_authors or self_reported."),
        ("model", T, "Display name of the model."),
        ("reading", C, "How the text is read: whole, retrieval, memory, agent or other; empty: not stated."),
        ("harness", T, "How the system reads the text, in words."),
        ("system_slug", T, "Name of the system in URLs, after the owner."),
        ("system_url", T, "URL of the system's page."),
        ("seen", C, "Whether the model saw the benchmark in training: no, maybe, yes; null: not stated."),
        ("developer", T, "Developer of the model."),
        ("hub_id", T, "Model id on the Hugging Face Hub."),
        ("hub_revision", T, "Commit, tag or branch on the Hub."),
        ("base_model", T, "Model from which this model was tuned or merged."),
        ("weights", C, "open, conditions (open, with conditions), closed; null: not known."),
        ("parameters", T, "For example 7B."),
        ("quantization", T, "For example Q5_K_M; null for full precision."),
        ("context", I, "Longest input the model takes.", "tokens"),
        ("released", T, "Release day, YYYY-MM-DD."),
        ("licence", T, "Licence of the model, by SPDX name where it has one."),
        ("licence_url", T, "URL of the licence text."),
        ("price_in", N, "Price of a million input tokens.", "US dollars"),
        ("price_out", N, "Price of a million output tokens.", "US dollars"),
    ),
)
COMPARISON = Table(
    "comparison",
    "Two to four submissions of a version: one line per metric and submission; A is the baseline.",
    _fields(
        (
            "metric",
            C,
            "Name of the metric. In lines with a split: `correct`, or the name of another rate that is shown by split.",
        ),
        ("split", C, "The split; null for the whole version."),
        ("better", C, "higher or lower."),
        ("letter", C, "The submission: A to D."),
        ("system", T, "Name of the system."),
        ("submission", T, "Id of the submission."),
        ("value", N, "Value of the metric.", "as the metric"),
        ("low", N, "Lower end of the value's 95% interval.", "as the metric"),
        ("high", N, "Upper end of the value's 95% interval.", "as the metric"),
        ("difference", N, "Difference from submission A, over units that both report.", "as the metric"),
        ("difference_low", N, "Lower end of the difference's 95% interval, paired by unit.", "as the metric"),
        ("difference_high", N, "Upper end of the difference's 95% interval.", "as the metric"),
        ("p", N, "Two-sided p value of the difference, paired by unit, unadjusted."),
    ),
)
MEASURES = Table(
    "measures",
    "Context measures of memory strategies without a model: one line per system and budget.",
    _fields(
        ("system", T, "Name of the system."),
        ("owner", C, "Account that owns the system."),
        ("kind", C, "Kind of system."),
        ("submission", T, "Id of the submission."),
        ("statistics", I, "Version of the statistics that made the intervals."),
        ("budget", I, "Limit of the tokens that the system may put into the context.", "tokens"),
        ("<measure>", N, "Value of the measure at this budget."),
        ("<measure>_low", N, "Lower end of the measure's 95% interval; null without an interval."),
        ("<measure>_high", N, "Upper end of the measure's 95% interval."),
        ("<measure>_of", I, "Denominator, if the measure is a rate; null for a mean."),
        ("benchmark", C, "The benchmark."),
        ("version", C, "Version of the benchmark."),
        ("version_sha256", C, "SHA-256 of the sealed version."),
    ),
)
TABLES: dict[str, Table] = {
    table.name: table
    for table in (ROWS, DOCUMENTS, VERDICTS, METRICS, SUMMARY, RUNS, BOARD, MEASURES, COMPARISON)
}


def as_markdown(table: Table) -> str:
    """The table as Markdown, as it appears in `docs/frames.md`."""
    lines = ["| column | dtype | unit | meaning |", "|---|---|---|---|"]
    lines += [f"| `{each.name}` | {each.dtype} | {each.unit} | {each.help} |" for each in table]
    return "\n".join(lines)
