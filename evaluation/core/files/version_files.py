"""Open a version's rows and the predictions for them together: all grading of files goes through here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeVar

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, RowError
from evaluation.core.files import flat
from evaluation.core.files.artifacts import parted, read_artifacts
from evaluation.core.records import JsonObject

Record = TypeVar("Record")


class AnswerForm(NamedTuple):
    """Functions that read a line of a suite's predictions file. Both raise BenchmarkError for an unusable line."""

    row_id: Callable[[Mapping[str, object]], Any]  # id of the row that it answers; None if absent
    answer: Callable[[JsonObject], Any]  # the graded part; None if it holds no answer


class VersionFiles(NamedTuple):
    rows: Iterator[tuple[int, Any]]  # (line number, row with its texts)
    first: Any  # first row; None if there is none
    answer_to: Callable[[Any], Any]  # answer by row id; None if the file has none
    artifacts: Mapping[str, str]  # by episode id
    source: str  # name of the rows in errors; empty if they are no file

    def graded(self, read: Callable[[Any], Iterable[tuple[Any, Record]]]) -> Iterator[tuple[Record, Any]]:
        """Yield each grading record with the answer to it, or None if it is not answered.

        `read` returns pairs (row id, grading record) for a row, one pair for each of its questions. Raises RowError.
        """
        answer_to = self.answer_to
        for number, row in self.rows:
            try:
                for row_id, record in read(row):
                    yield record, answer_to(row_id)
            except RowError as error:
                if error.path or not self.source:
                    raise
                raise RowError(error.reason, path=self.source, line=number) from error


def open_version_files(
    rows: str | Path | Iterable[Any],
    predictions: str | Path | Iterable[Any],
    documents: str | Path = "",
    artifacts: Mapping[str, str] | None = None,
    *,
    form: AnswerForm,
    source: str = "",
) -> VersionFiles:
    """Open rows (or frozen grading records) and the predictions for them. The last answer to a row counts.

    If `documents` is empty, texts are read from the documents file beside `rows`. `artifacts` replace the artifacts in
    the predictions. `source` names `rows` in error messages if `rows` is not a file. Raises RowError for an unusable
    first row or predictions line, and BenchmarkError if predictions or documents are a pipe: they may be read twice.
    """
    from_file = isinstance(rows, str | Path)
    numbered = flat.read(rows, documents) if isinstance(rows, str | Path) else enumerate(rows, 1)
    first = next(numbered, None)
    numbered = iter(()) if first is None else chain([first], numbered)
    built: dict[str, str] = {}
    answer_to: Callable[[Any], Any]
    if isinstance(predictions, str | Path):
        answer_to = PredictionsFile(predictions, form).take
        built = read_artifacts(predictions) if artifacts is None else built
    else:
        answer_to = collected(parted(predictions, built), form).get
    return VersionFiles(
        numbered,
        None if first is None else first[1],
        answer_to,
        built if artifacts is None else artifacts,
        str(rows) if from_file else source,
    )


END: tuple[Any, Any] = (object(), None)  # no row has this id


class PredictionsFile:
    """Answers of a predictions file by row id. The last answer to a row counts. The file is read twice.

    The constructor raises RowError for an unusable line, and BenchmarkError for a pipe.
    """

    def __init__(self, path: str | Path, form: AnswerForm) -> None:
        import numpy as np  # slow to import, and `--help` does not need it

        self._path, self._form = jsonl.read_again(path), form
        # Hashes only tell which ids are certainly not in the file: a collision costs a search, never an
        # answer.
        hashes = np.fromiter((hash(row_id) for _, row_id, _ in numbered_lines(path, form)), dtype=np.int64)
        hashes.sort()
        self._hashes = hashes
        self._all = bool((hashes[1:] == hashes[:-1]).any())  # a row answered twice: everything is in `_early`
        self._early: dict[Any, Any] = dict(numbered_answers(path, form)) if self._all else {}
        self._coming: Iterator[tuple[Any, Any]] = iter(()) if self._all else numbered_answers(path, form)
        self._next = next(self._coming, END)

    def take(self, row_id: Any) -> Any:
        next_id, answer = self._next
        if next_id == row_id:
            self._next = next(self._coming, END)
            return answer
        if self._all:
            return self._early.get(row_id)
        if row_id in self._early:
            return self._early.pop(row_id)
        return self._search(row_id) if self._may_hold(row_id) else None

    def _search(self, row_id: Any) -> Any:
        while self._next is not END:
            next_id, answer = self._next
            self._next = next(self._coming, END)
            if next_id == row_id:
                return answer
            self._early[next_id] = answer
        return self._take_again(row_id)

    def _may_hold(self, row_id: Any) -> bool:
        at = int(self._hashes.searchsorted(hash(row_id)))
        return at < len(self._hashes) and int(self._hashes[at]) == hash(row_id)

    def _take_again(self, row_id: Any) -> Any:
        """Return the answer for a row that was requested before. Reads the file again and keeps all answers."""
        self._all, self._early = True, dict(numbered_answers(self._path, self._form))
        return self._early.get(row_id)


def numbered_answers(path: str | Path, form: AnswerForm) -> Iterator[tuple[Any, Any]]:
    """Yield (row id, answer) for lines with a row id and an answer. Raises RowError at the first unusable line."""
    answer_of = form.answer
    for number, row_id, data in numbered_lines(path, form):
        try:
            answer = answer_of(data)
        except BenchmarkError as error:
            raise RowError(str(error), path=str(path), line=number) from error
        if answer is not None:
            yield row_id, answer


def numbered_lines(path: str | Path, form: AnswerForm) -> Iterator[tuple[int, Any, Any]]:
    """Yield (line number, row id, line). Raises RowError at the first unusable line."""
    row_id_of, loads = form.row_id, jsonl.loads
    for number, line in jsonl.lines(path):
        try:
            data = loads(line)
        except (ValueError, RecursionError) as error:
            fault = jsonl.fault_of(line)
            raise RowError(fault.reason, path=str(path), line=number, column=fault.column) from error
        try:
            row_id = row_id_of(data) if isinstance(data, dict) else _refuse(data)
        except BenchmarkError as error:
            raise RowError(str(error), path=str(path), line=number) from error
        if row_id is not None:
            yield number, row_id, data


def collected(predictions: Iterable[Any], form: AnswerForm) -> dict[Any, Any]:
    """Index predictions in memory by row id. The last answer to a row counts. Raises RowError."""
    answers: dict[Any, Any] = {}
    row_id_of, answer_of = form
    for number, data in enumerate(predictions, 1):
        try:
            row_id = row_id_of(data) if isinstance(data, dict) else _refuse(data)
            answer = answer_of(data)
        except BenchmarkError as error:
            raise RowError(str(error), line=number) from error
        if row_id is not None and answer is not None:
            answers[row_id] = answer
    return answers


def _refuse(data: Any) -> NoReturn:
    raise BenchmarkError(f"a line must be a JSON object, not {jsonl.kind(data)}")
