"""Grading: predictions against rows with gold, and the report of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from evaluation.core.errors import RowError
from evaluation.core.files.spool import Spool
from evaluation.core.metric import Metric
from evaluation.core.report import Report
from evaluation.core.suite import Row
from evaluation.goldevidence.data import row_file
from evaluation.goldevidence.data.answer_file import AnswerFile, collected
from evaluation.goldevidence.data.answers import Answer
from evaluation.goldevidence.data.case import Case, case_of
from evaluation.goldevidence.data.rubrics import DEFAULT_SUPPORT_K, Options
from evaluation.goldevidence.data.shown import Shown, ShownReader
from evaluation.goldevidence.grading.failures import describe
from evaluation.goldevidence.grading.frozen import from_record
from evaluation.goldevidence.grading.gradebook import Gradebook
from evaluation.goldevidence.grading.resolve_gold import null_if_ambiguous, resolve_gold
from evaluation.goldevidence.grading.row_figures import row_figures

Numbered = tuple[int, Row]  # a row with the number of its line


def grade_files(
    data: str | Path,
    predictions: str | Path,
    *,
    rubric: str = "strict",
    citations: str = "auto",
    support_metric: str = "f1",
    max_support_k: int | None = None,
    entailment: bool = True,
) -> Report:
    """Grade a predictions file against a data file with gold (`.gz` too).

    `citations`: "auto" where a row asks for them, "on", "off". `support_metric`: "f1" wants every gold line
    cited, "exact" these and no others. Citations after the first `max_support_k` do not count; None is as many
    as the rows ask for. Raises RowError at the first line that cannot be used, SettingsError and
    UnknownNameError for an unknown option.
    """
    asked, rows = open_rows(data)
    options = Options(
        rubric, citations, support_metric, asked if max_support_k is None else max_support_k, entailment
    )
    answers = AnswerFile(predictions)
    return grade_cases(read_cases(data, options, rows), answers.take, options, Spool())


def grade_records(
    records: Iterable[Mapping[str, Any]],
    predictions: Iterable[Row],
    options: Options,
    *,
    also: Sequence[Metric] = (),
) -> Report:
    """Grade predictions against the frozen records of a version. Raises RowError for an unusable one.

    `also`: metrics of the version besides those of its rubric.
    """
    cases = (
        (null_if_ambiguous(case, shown, options.rules), shown)  # frozen before the rubric knew the rule
        for record in records
        for case, shown in from_record(record)
    )
    return grade_cases(cases, collected(predictions).get, options, Spool(), also=also)


def grade_cases(
    cases: Iterable[tuple[Case, Shown]],
    answer_to: Callable[[Any], Answer | None],
    options: Options,
    rows: Spool | list[dict[str, Any]],
    *,
    also: Sequence[Metric] = (),
) -> Report:
    """Grade case by case; the verdicts are added to `rows`, which become the report's."""
    book = Gradebook(options, also=also)
    for case, shown in cases:
        answer = options.rules.as_counted(answer_to(case.id))
        judged = book.add(case, answer, shown)
        row = describe(case, answer, shown, judged.verdict, options.rules)
        row.update(row_figures(*judged))
        rows.append(row)
    return book.report(rows)


def open_rows(path: str | Path) -> tuple[int, Iterator[Numbered]]:
    """How many citations the rows of a data file ask for, by the first of them, and the rows. Raises RowError."""
    rows = row_file.read(path)
    first = next(rows, None)
    if first is None:
        return DEFAULT_SUPPORT_K, rows
    meta = first[1].get("meta")
    asked = meta.get("max_support_k") if isinstance(meta, dict) else None
    return DEFAULT_SUPPORT_K if asked is None else asked, chain([first], rows)


def read_cases(
    path: str | Path, options: Options, rows: Iterable[Numbered] | None = None
) -> Iterator[tuple[Case, Shown]]:
    """The cases of a data file, each with what it shows; `rows` are its rows where it is open already.

    Raises RowError at the first unusable row.
    """
    shown_by = ShownReader(options.rules)
    for number, row in row_file.read(path) if rows is None else rows:
        try:
            shown = shown_by(row)
            case = resolve_gold(case_of(row), shown, options.rules)
        except RowError as error:
            raise RowError(error.reason, path=str(path), line=number) from error
        yield case, shown
