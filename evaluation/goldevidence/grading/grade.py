"""Grades predictions against rows or frozen records, and returns a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from evaluation.core.errors import RowError
from evaluation.core.files.spool import Spool
from evaluation.core.files.version_files import VersionFiles, open_version_files
from evaluation.core.metric import Metric
from evaluation.core.report import Report
from evaluation.goldevidence.artifacts.check import problem_of
from evaluation.goldevidence.artifacts.measure import figures
from evaluation.goldevidence.artifacts.shown import Artifacts
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

Asked = tuple[Case, Shown]  # a question with its gold, and the lines it shows
Read = Callable[[Any], Iterable[tuple[Any, Asked]]]  # from a row or a record to (row id, question)


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
        rubric: One of `RUBRICS`.
        citations: "auto" (if a row asks for them), "on", "off".
        support_metric: "f1" requires that every gold line is cited, "exact" also that no other line is cited.
        max_support_k: Number of citations that count, from the first. None takes the number that the first row states.
        entailment: Require that an exact answer follows from its citations.

    Raises:
        RowError: At the first line that cannot be used.
        SettingsError: An option does not validate.
        UnknownNameError: There is no such rubric.
    """
    options = Options(rubric, citations, support_metric, entailment=entailment)
    files, options = open_rows(data, predictions, "", options, max_support_k)
    report, _ = grade_rows(files, options)
    return report


def open_rows(
    data: str | Path,
    predictions: str | Path,
    documents: str | Path,
    options: Options,
    most: int | None = None,
) -> tuple[VersionFiles, Options]:
    """Open a data file with gold and its predictions. Also returns the options with `max_support_k` set.

    An empty `documents` means the documents file beside the rows. `max_support_k` is `most`, or the number that the
    first row states. Raises RowError for an unusable first row or prediction, SettingsError for an invalid number.
    """
    files = open_version_files(data, predictions, documents, form=options.rules.answer_form)
    return files, replace(options, max_support_k=asked_citations(files.first) if most is None else most)


def asked_citations(first: Any) -> Any:
    """Number of citations that the first row asks for (`meta.max_support_k`), else the default."""
    meta = first.get("meta") if first is not None else None
    asked = meta.get("max_support_k") if isinstance(meta, dict) else None
    return DEFAULT_SUPPORT_K if asked is None else asked


def grade_rows(
    files: VersionFiles,
    options: Options,
    *,
    known: Iterable[Case] | None = None,
    rows: Spool[EpisodeVerdict] | list[EpisodeVerdict] | None = None,
) -> tuple[Report, list[Mapping[str, object]]]:
    """Grade rows with gold one by one. Also returns the statistics of each artifact.

    `known` are the cases of the rows, if already read. `rows` collects the verdicts, by default in a file. Raises
    RowError for an unusable row or artifact, and for a `shown_uids` with a line that its row does not contain.
    """
    artifacts = Artifacts(files.artifacts)
    cases = files.graded(row_reader(options, artifacts, known))
    report = grade_cases(cases, options, Spool() if rows is None else rows)
    report.metrics |= figures(artifacts.stats)
    return report, [each.as_dict() for each in artifacts.stats]


def grade_records(
    records: Iterable[EpisodeRecord],
    predictions: Iterable[EpisodePrediction],
    options: Options,
    *,
    also: Sequence[Metric] = (),
    of_candidates: Metric | None = None,
) -> Report:
    """Grade predictions against frozen records. Only the last prediction for a row counts. Raises RowError.

    See `Gradebook` for `also` and `of_candidates`.
    """
    files = open_version_files(records, map(_as_taken_in, predictions), form=options.rules.answer_form)
    artifacts = Artifacts(files.artifacts)
    cases = files.graded(record_reader(options, artifacts))
    report = grade_cases(cases, options, Spool(), also=also, of_candidates=of_candidates, refuses=False)
    report.metrics |= figures(artifacts.stats)
    return report


def grade_each(
    records: Iterable[EpisodeRecord],
    files: Iterable[Iterable[EpisodePrediction]],
    options: Options,
    *,
    also: Sequence[Metric] = (),
    of_candidates: Metric | None = None,
) -> Iterator[Report]:
    """Grade several predictions files like `grade_records`, without verdicts and groups. `records` stay in memory."""
    known = list(records)
    # Rows about artifacts show other lines for each file; all other rows are read once.
    read = None if any("episodes" in record for record in known) else record_reader(options, Artifacts({}))
    rows: Sequence[Any] = known if read is None else list(map(read, known))
    for predictions in files:
        opened = open_version_files(rows, map(_as_taken_in, predictions), form=options.rules.answer_form)
        artifacts = Artifacts(opened.artifacts)
        cases = opened.graded(record_reader(options, artifacts) if read is None else lambda asked: asked)
        report = grade_cases(cases, options, None, also=also, of_candidates=of_candidates, refuses=False)
        report.metrics |= figures(artifacts.stats)
        yield report


def _as_taken_in(prediction: EpisodePrediction) -> EpisodePrediction:
    """Drop an invalid `shown_uids`, because older submissions could use the field for anything."""
    if SHOWN not in prediction or form_fault(prediction.get(SHOWN)) is None:
        return prediction
    return cast(EpisodePrediction, {name: value for name, value in prediction.items() if name != SHOWN})


def grade_cases(
    cases: Iterable[tuple[Asked, Answer | None]],
    options: Options,
    rows: Spool[EpisodeVerdict] | list[EpisodeVerdict] | None,
    *,
    also: Sequence[Metric] = (),
    of_candidates: Metric | None = None,
    refuses: bool = True,
) -> Report:
    """Grade case by case. An answer of None is a missing prediction.

    `rows` collects the verdicts. If None, the report has no verdicts and groups. A `shown_uids` with a line that the
    row does not contain raises RowError if `refuses`, else it is ignored.
    """
    book, rules = Gradebook(options, also=also, of_candidates=of_candidates), options.rules
    for (case, shown), given in cases:
        holds = Held(shown)
        answer = rules.as_counted(given, case.key, holds, partial(values_of, case, shown))
        if answer is not None and answer.shown and (fault := row_fault(answer.shown, holds)):
            if refuses:
                raise RowError(f"row {case.id!r}: {fault.message}")
            answer = answer._replace(shown=None)
        verdict = book.add(case, answer, shown)
        if rows is not None:
            rows.append(describe(case, answer, shown, verdict, rules))
    report = book.report(rows)
    if rows is None:
        return report
    report.rows = with_fields(rows, report.row_figures)
    return report


def row_reader(options: Options, artifacts: Artifacts, known: Iterable[Case] | None = None) -> Read:
    """Return a function from a row with gold to its case. It raises RowError for an unusable row or artifact."""
    shown_by, cases = ShownReader(options.rules), None if known is None else iter(known)

    def read(row: EpisodeRow) -> Iterable[tuple[Any, Asked]]:
        shown = shown_by(row)
        case = resolve_gold(case_of(row) if cases is None else next(cases), shown, options.rules)
        if protocol_of(row) is Protocol.BUILD:
            shown = _from_artifact(row, shown, artifacts)
        return ((case.id, (case, shown)),)

    return read


def record_reader(options: Options, artifacts: Artifacts) -> Read:
    rules = options.rules

    def read(record: EpisodeRecord) -> Iterable[tuple[Any, Asked]]:
        return [
            # the record may have been frozen before the rubric had this rule
            (
                case.id,
                (null_if_ambiguous(case, shown, rules) if isinstance(shown, Candidates) else case, shown),
            )
            for case, shown in from_record(record, artifacts)
        ]

    return read


def _from_artifact(row: EpisodeRow, log: Shown, artifacts: Artifacts) -> Shown:
    episode = row["episode_id"]
    text = None if artifacts.has_read(episode) else artifacts.texts.get(episode)
    if text is not None and (problem := problem_of(text, row["document"])):
        raise RowError(f"the artifact of episode {episode!r} is refused: {problem.message}")
    return artifacts.shown(episode, log)
