"""Grading: predictions against rows with gold, and the report of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from evaluation import jsonl
from evaluation.errors import RowError
from evaluation.goldevidence.answers import Answer, AnswerError, read
from evaluation.goldevidence.failures import describe
from evaluation.goldevidence.frozen import case_of, check, shown_by, thaw
from evaluation.goldevidence.gradebook import Gradebook
from evaluation.goldevidence.rubrics import Options
from evaluation.report import Report
from evaluation.suites import Row


def grade_files(
    data: str | Path,
    predictions: str | Path,
    *,
    rubric: str = "strict",
    citations: str = "auto",
    support_metric: str = "f1",
    max_support_k: int = 3,
    entailment: bool = True,
) -> Report:
    """Grade a predictions file against a data file with gold (`.gz` too).

    `citations`: "auto" where a row asks for them, "on", "off". `support_metric`: "f1" wants every gold line cited,
    "exact" these and no others. Citations after the first `max_support_k` do not count. Raises RowError at the
    first line that cannot be used, SettingsError and UnknownNameError for an unknown option.
    """
    options = Options(rubric, citations, support_metric, max_support_k, entailment)
    answers = read_answers(predictions)
    book = Gradebook(options)
    rows = []
    for number, row in enumerate(jsonl.read(data), 1):
        try:
            case, shown = case_of(row), shown_by(row, options.rules)
            check(case, shown)
        except RowError as error:
            raise RowError(error.reason, path=str(data), line=number) from error
        answer = answers.get(case.id)
        rows.append(describe(case, answer, shown, book.add(case, answer, shown)))
    return book.report(rows)


def grade_records(
    records: Iterable[Mapping[str, Any]], predictions: Iterable[Row], options: Options
) -> Report:
    """Grade predictions against the frozen records of a version. Raises RowError for an unusable prediction."""
    answers = collect(enumerate(predictions, 1))
    book = Gradebook(options)
    rows = []
    for record in records:
        for case, shown in thaw(record):
            answer = answers.get(case.id)
            rows.append(describe(case, answer, shown, book.add(case, answer, shown)))
    return book.report(rows)


def read_answers(path: str | Path) -> dict[Any, Answer]:
    """The answers of a predictions file by row id; of several for one row the last. Raises RowError."""
    return collect(enumerate(jsonl.read(path), 1), path=str(path))


def collect(numbered: Iterable[tuple[int, Row]], *, path: str = "") -> dict[Any, Answer]:
    """Answers by row id; lines without an id or without an answer are left out."""
    answers: dict[Any, Answer] = {}
    for number, data in numbered:
        row_id = data.get("id")
        if isinstance(row_id, (list, dict)):
            raise RowError("an 'id' must be a text, not a list or an object", path=path, line=number)
        try:
            answer = read(data)
        except AnswerError as error:
            raise RowError(str(error), path=path, line=number) from error
        if row_id is not None and answer is not None:
            answers[row_id] = answer
    return answers
