"""Finds the mistakes in a predictions file, one row at a time."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.core.errors import BenchmarkError, RowError, UnknownNameError
from evaluation.core.files.version_files import AnswerForm, VersionFiles, numbered_lines, open_version_files
from evaluation.core.sealing import keyed_ids
from evaluation.goldevidence.data.answers import TEXT_FIELDS, VALUE_FIELDS, Answer
from evaluation.goldevidence.data.case import case_of
from evaluation.goldevidence.data.rubrics import DEFAULT_RUBRIC, Options
from evaluation.goldevidence.data.shown import Held, Shown, ShownReader
from evaluation.goldevidence.grading.grade import asked_citations
from evaluation.goldevidence.grading.resolve_gold import resolve_gold
from evaluation.goldevidence.grading.verdicts import judge, values_of
from evaluation.goldevidence.mistakes.record import KINDS, RIGHT, Judged, Mistake, records, right_record
from evaluation.goldevidence.protocols import Protocol, protocol_of
from evaluation.goldevidence.public import LABELS, META
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.shown_uids import row_fault

#: Fields of a line of a predictions file besides its id.
OF_ANSWERS = frozenset({*VALUE_FIELDS, *TEXT_FIELDS, "state"})
Hashes = NDArray[np.int64]
#: The site's mark in every row that it hands out (`leaderboard.benchmarks.public_rows`).
CANARY = "canary"
NO_ROW = (
    "the line is not a row of this benchmark: it has no question. --data takes rows, --pred their predictions"
)
NO_GOLD = (
    "row {id!r} has no gold: its version withholds the answers. Use rows with gold: of a public version, of a public "
    "twin, or written by `goldevidencebench generate`"
)
SEALED = (
    "row {id!r} belongs to a version that withholds its answers (it has only the fields of a public row), so its gold "
    "must not be used for training. Use rows of its public twin, or make your own with `goldevidencebench generate`"
)
_PUBLIC = frozenset({*META, *LABELS})


@dataclass(slots=True)
class Tally:
    """Numbers of rows by outcome. `kinds` counts rows by kind of mistake, including mistakes not yielded."""

    rows: int = 0
    right: int = 0  # exact
    rightly_silent: int = 0  # null if no line shown establishes an answer
    unanswered: int = 0  # no readable answer
    missing: int = 0  # no prediction
    wrong: int = 0  # rows with a mistake
    kinds: Counter[str] = field(default_factory=Counter)

    def as_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


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
    """Yield the mistakes in a predictions file, in the order of the rows, one per row and kind.

    Args:
        documents: Path of the documents file. If empty, the documents file beside the rows is read.
        kinds: Kinds of mistakes to yield. If empty, all kinds are yielded.
        limit: Maximum number of mistakes per kind.
        partial: Allow rows without a prediction.
        with_right: Also yield rows without a mistake, with the kind `right`.
        tally: Filled with the outcomes; complete after the last mistake.

    Raises:
        RowError: A row is unusable, sealed or of protocol build, or predictions and rows do not match.
        UnknownNameError: There is no such kind or rubric.
        BenchmarkError: The limit is below 1, or there are no rows.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownNameError("kind of mistake", kind, KINDS)
    if limit is not None and limit < 1:
        raise BenchmarkError(f"the limit is {limit}, but must be at least 1")
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
        raise BenchmarkError(f"{data} contains no rows")
    answers.finish()


def _judged(
    row: EpisodeRow, shown_by: ShownReader, answers: Answers, options: Options, tally: Tally
) -> Judged | None:
    tally.rows += 1
    if protocol_of(row) is Protocol.BUILD:
        raise RowError(
            f"row {row.get('id')!r} is answered from an artifact that the system built (protocol build). Use rows that "
            "contain the text to read"
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
    found = list(records(row, judged))
    tally.kinds.update(mistake["kind"] for mistake in found)
    tally.wrong += bool(found)
    if not found:
        tally.right += bool(judged.verdict.exact)
        tally.rightly_silent += not judged.verdict.exact
    return found


class Answers:
    """Looks up the predictions of a file by row id. Refuses missing, duplicate and unknown ids."""

    def __init__(
        self, path: str | Path, files: VersionFiles, form: AnswerForm, *, partial: bool = False
    ) -> None:
        """Read all ids. `partial` allows rows without a prediction. Raises RowError for a bad or duplicate line."""
        self._path, self._data, self._partial, self._form = str(path), files.source, partial, form
        self._answer_to = files.answer_to
        self._given = self._ids()
        self._asked = array("q")
        self.missing = 0
        if (again := _repeated(self._given)) is not None:
            self._refuse_repeated(again)

    def take(self, row_id: Any) -> Answer | None:
        """The answer to a row. If the answer is missing, returns None if `partial`, else raises RowError."""
        self._asked.append(hash(row_id))
        answer: Answer | None = self._answer_to(row_id)
        if answer is None:
            self.missing += 1
            if not self._partial:
                raise RowError(
                    f"row {row_id!r} of {self._data} has no prediction. Use --partial to skip rows without predictions",
                    path=self._path,
                )
        return answer

    def finish(self) -> None:
        """Raise RowError if a prediction answers an unknown row, or if a row id was taken twice."""
        asked: Hashes = np.array(self._asked, dtype=np.int64)
        if _repeated(asked) is not None:
            raise RowError("two rows have the same id", path=self._data)
        unknown = set(self._given[~np.isin(self._given, asked)].tolist())
        for number, row_id, _ in numbered_lines(self._path, self._form) if unknown else ():
            if hash(row_id) in unknown:
                raise RowError(
                    f"it answers row {row_id!r}, which is not in {self._data}. Do both files belong to one version?",
                    path=self._path,
                    line=number,
                )

    def _ids(self) -> Hashes:
        hashes = array("q")
        for number, row_id, fields in numbered_lines(self._path, self._form):
            _refuse_other_files(fields, self._path, number)
            hashes.append(hash(row_id))
        return np.array(hashes, dtype=np.int64)

    def _refuse_repeated(self, again: set[int]) -> None:
        first: dict[Any, int] = {}
        for number, row_id, _ in numbered_lines(self._path, self._form):
            if hash(row_id) in again and (before := first.setdefault(row_id, number)) != number:
                raise RowError(
                    f"duplicate answer to row {row_id!r} (first in line {before})",
                    path=self._path,
                    line=number,
                )


def _refuse_other_files(fields: Collection[str], path: str, number: int) -> None:
    if not OF_ANSWERS.intersection(fields):
        what = "a row of a data file" if "question" in fields or "gold" in fields else "not a prediction"
        raise RowError(f"the line is {what}: it contains neither a value nor a text", path=path, line=number)


def _repeated(hashes: Hashes) -> set[int] | None:
    ordered = np.sort(hashes)
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    return set(again.tolist()) if len(again) else None


def refuse_sealed(row: Mapping[str, object]) -> None:
    """Raise RowError if a row has no gold, or if its version does not publish its gold."""
    row_id, gold, meta = row.get("id"), row.get("gold"), row.get("meta")
    if not isinstance(row.get("question"), str):
        raise RowError(NO_ROW)
    if not isinstance(gold, dict):
        raise RowError(NO_GOLD.format(id=row_id))
    if not isinstance(meta, dict):
        return  # reading the row reports the fault
    if meta.keys() <= _PUBLIC and (CANARY in row or keyed_ids.is_keyed(row_id)):
        raise RowError(SEALED.format(id=row_id))
