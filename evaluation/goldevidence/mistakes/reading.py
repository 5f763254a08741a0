"""The mistakes of a predictions file, one row at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from evaluation.core.errors import BenchmarkError, RowError, UnknownNameError
from evaluation.core.files.version_files import open_version_files
from evaluation.goldevidence.data.answers import Answer
from evaluation.goldevidence.data.case import case_of
from evaluation.goldevidence.data.rubrics import DEFAULT_RUBRIC, Options
from evaluation.goldevidence.data.shown import Held, Shown, ShownReader
from evaluation.goldevidence.grading.grade import asked_citations
from evaluation.goldevidence.grading.resolve_gold import resolve_gold
from evaluation.goldevidence.grading.verdicts import judge, values_of
from evaluation.goldevidence.mistakes.kinds import KINDS, Judged
from evaluation.goldevidence.mistakes.matching import Answers
from evaluation.goldevidence.mistakes.record import RIGHT, Mistake, records, right_record
from evaluation.goldevidence.mistakes.sealed import refuse_sealed
from evaluation.goldevidence.protocols import Protocol, protocol_of
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.shown_uids import row_fault


@dataclass(slots=True)
class Tally:
    """What became of the rows. `kinds` counts rows by kind of mistake, whether they were handed out or not."""

    rows: int = 0
    right: int = 0  # exact
    rightly_silent: int = 0  # null where nothing shown establishes an answer
    unanswered: int = 0  # no answer that could be read: nothing to learn from
    missing: int = 0  # no prediction
    wrong: int = 0  # rows with a mistake
    kinds: Counter[str] = field(default_factory=Counter)


def mistakes(
    data: str | Path,
    predictions: str | Path,
    *,
    documents: str | Path = "",
    rubric: str = DEFAULT_RUBRIC,
    kinds: Collection[str] = (),
    limit: int | None = None,
    partial: bool = False,
    with_right: bool = False,
    tally: Tally | None = None,
) -> Iterator[Mistake]:
    """The mistakes of a predictions file, in the order of the rows: of a row one for each kind.

    Args:
        data: Rows with gold.
        predictions: The answers to them.
        documents: The texts that the rows name; empty for the file beside them.
        rubric: How answers are graded.
        kinds: Which kinds are wanted; none for all.
        limit: Of each kind the first so many; None for all.
        partial: Whether rows may lack a prediction.
        with_right: Whether rows without a mistake come, too, as records of the kind `right`.
        tally: Where the rows are counted.

    Returns:
        The mistakes, read as they are asked for.

    Raises:
        RowError: A row or an answer cannot be used, a row's answer is sealed, or answers and rows do not fit together.
        UnknownNameError: There is no such kind or rubric.
        BenchmarkError: The limit is below 1, or the rows ask for an artifact first.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownNameError("kind of mistake", kind, KINDS)
    if limit is not None and limit < 1:
        raise BenchmarkError(f"a limit of {limit} leaves nothing: it is at least 1")
    form = Options(rubric).rules.answer_form
    files = open_version_files(data, predictions, documents, {}, form=form)
    options = Options(rubric, max_support_k=asked_citations(files.first))
    answers = Answers(predictions, files, form, partial=partial)
    counted, handed_out = tally if tally is not None else Tally(), Counter[str]()
    shown_by = ShownReader(options.rules)
    for number, row in files.rows:
        try:
            refuse_sealed(row)
            judged = _judged(row, shown_by, answers, options, counted)
        except RowError as error:
            raise error if error.path else RowError(error.reason, path=str(data), line=number) from error
        if judged is None:
            continue
        found = _counted(row, judged, counted)
        if not found and with_right:
            found = [right_record(row, judged)]
        for mistake in found:
            kind = mistake["kind"]
            if (kinds and kind not in (*kinds, RIGHT)) or handed_out[kind] == limit:
                continue
            handed_out[kind] += 1
            yield mistake
    counted.missing = answers.missing
    if not counted.rows:
        raise BenchmarkError(f"{data} holds no rows")
    answers.finish()


def _judged(
    row: EpisodeRow, shown_by: ShownReader, answers: Answers, options: Options, tally: Tally
) -> Judged | None:
    """The answer to a row; None where there is none that could be read."""
    tally.rows += 1
    if protocol_of(row) is Protocol.BUILD:
        raise RowError(
            f"row {row.get('id')!r} is answered from what a system built first (protocol build): mistakes are learnt "
            "from rows that show what was read"
        )
    shown = shown_by(row)
    case = resolve_gold(case_of(row), shown, options.rules)
    answer = options.rules.as_counted(
        answers.take(case.id), case.key, Held(shown), partial(values_of, case, shown)
    )
    if answer is None:
        return None
    if answer.state is not None or not answer.parsed:
        tally.unanswered += 1
        return None
    _check_shown(answer, shown, str(case.id))
    return Judged(case, answer, shown, judge(case, answer, shown, options), options)


def _check_shown(answer: Answer, shown: Shown, row_id: str) -> None:
    if answer.shown and (fault := row_fault(answer.shown, Held(shown))):
        raise RowError(f"the prediction of row {row_id!r}: {fault.message}")


def _counted(row: EpisodeRow, judged: Judged, tally: Tally) -> list[Mistake]:
    """The mistakes of a row, counted."""
    found = list(records(row, judged))
    tally.kinds.update(mistake["kind"] for mistake in found)
    tally.wrong += bool(found)
    if not found:
        tally.right += bool(judged.verdict.exact)
        tally.rightly_silent += not judged.verdict.exact
    return found
