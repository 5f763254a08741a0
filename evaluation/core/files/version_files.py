"""A version's rows and the predictions for them, opened together: the one way from files to what is graded.

A predictions file that has the order of its rows needs no memory: it is read along with them. Only answers that come
before their row are kept.
"""

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
    """How a suite reads a line of a predictions file. Both raise BenchmarkError for a line that cannot be used."""

    row_id: Callable[[Mapping[str, object]], Any]  # the row that it answers; None where it names none
    answer: Callable[[JsonObject], Any]  # what is graded of it; None where it holds no answer


class VersionFiles(NamedTuple):
    """What `open_version_files` opened."""

    rows: Iterator[tuple[int, Any]]  # each with the number of its line, and its texts
    first: Any  # of them; None where there is none
    answer_to: Callable[[Any], Any]  # from the id of a row to its answer; None where the file has none
    artifacts: Mapping[str, str]  # what systems built first, by what they built it from
    source: str  # what an error calls the rows; empty where they are no file

    def graded(self, read: Callable[[Any], Iterable[tuple[Any, Record]]]) -> Iterator[tuple[Record, Any]]:
        """Every grading record with its prediction, in the order of the rows.

        Args:
            read: From a row, or from a frozen record of several, to (row id, record) of each.

        Returns:
            (record, answer); the answer is None where a row has none.

        Raises:
            RowError: A row cannot be used, and its line is named; or a prediction cannot.
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
    """Open rows, or frozen grading records, and the predictions for them.

    Args:
        rows: A file of rows; or rows or records that are read already.
        predictions: A predictions file, which is read twice; or its lines.
        documents: The texts that rows of a file name; empty for the file beside it, and where none names any.
        artifacts: What systems built first; None: as the predictions say.
        form: How a line of the predictions is read.
        source: What an error calls rows that are no file.

    Returns:
        The two, matched by the ids of rows; of several answers to one row the last counts.

    Raises:
        RowError: The first row, or a line of the predictions, cannot be used.
        BenchmarkError: The predictions are a pipe.
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
    """`take(id)` gives the answer to a row; of several answers to one row the last counts.

    Raises RowError at the first line that cannot be used, before the first answer is given, and BenchmarkError for
    a pipe: the file is read twice.
    """

    def __init__(self, path: str | Path, form: AnswerForm) -> None:
        import numpy as np  # which the help of a command does without

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
        """The answer to a row, None where the file has none."""
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
        """Read on to the answer and keep what comes before it."""
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
        """The data asks for a row twice: keep all answers from here on."""
        self._all, self._early = True, dict(numbered_answers(self._path, self._form))
        return self._early.get(row_id)


def numbered_answers(path: str | Path, form: AnswerForm) -> Iterator[tuple[Any, Any]]:
    """(row id, answer) line by line, where a line has both.

    Args:
        path: The file.
        form: How its lines are read.

    Raises:
        RowError: At the first line that cannot be used.
    """
    answer_of = form.answer
    for number, row_id, data in numbered_lines(path, form):
        try:
            answer = answer_of(data)
        except BenchmarkError as error:
            raise RowError(str(error), path=str(path), line=number) from error
        if answer is not None:
            yield row_id, answer


def numbered_lines(path: str | Path, form: AnswerForm) -> Iterator[tuple[int, Any, Any]]:
    """(line number, row id, line) of a file.

    Args:
        path: The file.
        form: How its lines are read.

    Raises:
        RowError: At the first line that cannot be used.
    """
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
    """Answers by row id of predictions in memory; of several for one row the last.

    Args:
        predictions: Lines of a predictions file.
        form: How they are read.

    Raises:
        RowError: A line cannot be used.
    """
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
    raise BenchmarkError(f"a line must hold a JSON object, not {jsonl.kind(data)}")
