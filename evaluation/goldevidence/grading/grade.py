"""Grading: predictions against rows with gold, and the report of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, cast

from evaluation.core.errors import RowError
from evaluation.core.files.artifacts import read_artifacts
from evaluation.core.files.spool import Spool
from evaluation.core.metric import Metric
from evaluation.core.report import Report
from evaluation.goldevidence.artifacts.check import problem_of
from evaluation.goldevidence.artifacts.measure import figures
from evaluation.goldevidence.artifacts.shown import Artifacts
from evaluation.goldevidence.data import row_file
from evaluation.goldevidence.data.answer_file import AnswerFile, collected
from evaluation.goldevidence.data.answers import Answer
from evaluation.goldevidence.data.case import Case, case_of
from evaluation.goldevidence.data.rubrics import DEFAULT_RUBRIC, DEFAULT_SUPPORT_K, Options
from evaluation.goldevidence.data.shown import Candidates, Held, Shown, ShownReader
from evaluation.goldevidence.grading.failures import describe
from evaluation.goldevidence.grading.frozen import from_record
from evaluation.goldevidence.grading.gradebook import Gradebook
from evaluation.goldevidence.grading.resolve_gold import null_if_ambiguous, resolve_gold
from evaluation.goldevidence.grading.row_figures import with_fields
from evaluation.goldevidence.grading.verdicts import values_of
from evaluation.goldevidence.protocols import Protocol, protocol_of
from evaluation.goldevidence.records import EpisodePrediction, EpisodeRecord, EpisodeRow, EpisodeVerdict
from evaluation.goldevidence.shown_uids import SHOWN, form_fault, row_fault

Numbered = tuple[int, EpisodeRow]  # a row with the number of its line


def grade_files(
    data: str | Path,
    predictions: str | Path,
    *,
    rubric: str = DEFAULT_RUBRIC,
    citations: str = "auto",
    support_metric: str = "f1",
    max_support_k: int | None = None,
    entailment: bool = True,
) -> Report:
    """Grade a predictions file against a data file with gold.

    Args:
        data: The rows, `.gz` too.
        predictions: The predictions, `.gz` too.
        rubric: One of `RUBRICS`.
        citations: "auto" where a row asks for them, "on", "off".
        support_metric: "f1" wants every gold line cited, "exact" these and no others.
        max_support_k: Citations after the first so many do not count; None is as many as the rows ask for.
        entailment: Whether an exact answer has to follow from its citations.

    Raises:
        RowError: At the first line that cannot be used.
        SettingsError: An option does not validate.
        UnknownNameError: There is no such rubric.
    """
    asked, rows = open_rows(data)
    options = Options(
        rubric, citations, support_metric, asked if max_support_k is None else max_support_k, entailment
    )
    answers, built = AnswerFile(predictions, options.rules), Artifacts(read_artifacts(predictions))
    report = grade_cases(read_cases(data, options, rows, built), answers.take, options, Spool())
    report.metrics |= figures(built.stats)
    return report


def grade_records(
    records: Iterable[EpisodeRecord],
    predictions: Iterable[EpisodePrediction],
    options: Options,
    *,
    also: Sequence[Metric] = (),
    of_candidates: Metric | None = None,
    artifacts: Artifacts | None = None,
) -> Report:
    """Grade predictions against the frozen records of a version.

    Args:
        records: The records of its units.
        predictions: Lines of a predictions file; of several for one row the last counts.
        options: How they are graded.
        also: Metrics of the version besides those of its rubric.
        of_candidates: See `Gradebook`.
        artifacts: What the systems of a `build` version built, from the same file; entered before the first row.

    Raises:
        RowError: A prediction cannot be used.
    """
    rules = options.rules
    cases = (
        (null_if_ambiguous(case, shown, rules) if isinstance(shown, Candidates) else case, shown)
        for record in records  # which were frozen before the rubric knew the rule
        for case, shown in from_record(record, artifacts)
    )
    book = Gradebook(options, also=also, of_candidates=of_candidates)
    answers = collected(map(_as_taken_in, predictions), rules)
    return _graded(book, cases, answers.get, Spool(), refuses=False)


def _as_taken_in(prediction: EpisodePrediction) -> EpisodePrediction:
    """The line without a `shown_uids` that is none: it was taken in before the field meant anything."""
    if SHOWN not in prediction or form_fault(prediction.get(SHOWN)) is None:
        return prediction
    return cast(EpisodePrediction, {name: value for name, value in prediction.items() if name != SHOWN})


def grade_cases(
    cases: Iterable[tuple[Case, Shown]],
    answer_to: Callable[[Any], Answer | None],
    options: Options,
    rows: Spool[EpisodeVerdict] | list[EpisodeVerdict],
    *,
    also: Sequence[Metric] = (),
    refuses: bool = True,
) -> Report:
    """Grade case by case.

    Args:
        cases: The cases, each with what it shows.
        answer_to: From the id of a row to its answer; None is a missing prediction.
        options: How they are graded.
        rows: Where the verdicts are added; they become the report's.
        also: Metrics of the version besides those of its rubric.
        refuses: Whether a prediction that says its answerer saw a line which the row does not hold is an error; else it
            counts as saying nothing of what was shown.

    Raises:
        RowError: There is such a prediction.
    """
    return _graded(Gradebook(options, also=also), cases, answer_to, rows, refuses=refuses)


def _graded(
    book: Gradebook,
    cases: Iterable[tuple[Case, Shown]],
    answer_to: Callable[[Any], Answer | None],
    rows: Spool[EpisodeVerdict] | list[EpisodeVerdict],
    *,
    refuses: bool,
) -> Report:
    rules = book.options.rules
    for case, shown in cases:
        holds = Held(shown)
        answer = rules.as_counted(answer_to(case.id), case.key, holds, partial(values_of, case, shown))
        if answer is not None and answer.shown and (fault := row_fault(answer.shown, holds)):
            if refuses:
                raise RowError(f"row {case.id!r}: {fault.message}")
            answer = answer._replace(shown=None)
        verdict = book.add(case, answer, shown)
        rows.append(describe(case, answer, shown, verdict, rules))
    report = book.report(rows)
    report.rows = with_fields(rows, report.row_figures)
    return report


def open_rows(path: str | Path, documents: str | Path = "") -> tuple[int, Iterator[Numbered]]:
    """A data file, opened.

    Args:
        path: The file.
        documents: The texts that its rows name; empty for the file beside it, and where none names any.

    Returns:
        How many citations the rows ask for, by the first of them, and the rows.

    Raises:
        RowError: The first line is no JSON object.
    """
    rows = row_file.read(path, documents)
    first = next(rows, None)
    if first is None:
        return DEFAULT_SUPPORT_K, rows
    meta = first[1].get("meta")
    asked = meta.get("max_support_k") if isinstance(meta, dict) else None
    return DEFAULT_SUPPORT_K if asked is None else asked, chain([first], rows)


def read_cases(
    path: str | Path,
    options: Options,
    rows: Iterable[Numbered] | None = None,
    artifacts: Artifacts | None = None,
    *,
    known: Iterable[Case] | None = None,
) -> Iterator[tuple[Case, Shown]]:
    """The cases of a data file, each with what it shows.

    Args:
        path: The file.
        options: How they are graded.
        rows: Its rows with the numbers of their lines, where it is open already.
        artifacts: Those of the answers, for rows whose systems build first.
        known: The cases of the rows with the gold that these name, where they are read already.

    Raises:
        RowError: At the first unusable row, and at one whose episode has an artifact that is refused.
    """
    shown_by = ShownReader(options.rules)
    cases = None if known is None else iter(known)
    for number, row in row_file.read(path) if rows is None else rows:
        try:
            shown = shown_by(row)
            case = resolve_gold(case_of(row) if cases is None else next(cases), shown, options.rules)
            if artifacts is not None and protocol_of(row) is Protocol.BUILD:
                shown = _from_artifact(row, shown, artifacts)
        except RowError as error:
            raise RowError(error.reason, path=str(path), line=number) from error
        yield case, shown


def _from_artifact(row: EpisodeRow, log: Shown, artifacts: Artifacts) -> Shown:
    """What the artifact of a row's episode lets its answer cite. Raises RowError for an artifact that is refused."""
    episode = row["episode_id"]
    text = None if artifacts.has_read(episode) else artifacts.texts.get(episode)
    if text is not None and (problem := problem_of(text, row["document"])):
        raise RowError(f"the artifact of episode {episode!r} is refused: {problem.message}")
    return artifacts.shown(episode, log)
