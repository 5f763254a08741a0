"""Answers of a predictions file, matched to rows in the order in which the rows come.

A file that has the order of its data needs no memory: it is read along with it. Only answers that come
before their row are kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.core import jsonl
from evaluation.core.errors import RowError
from evaluation.goldevidence.data.answers import Answer, AnswerError, loads, read
from evaluation.goldevidence.data.rubrics import Rubric

END = (None, Answer(None, []))


class AnswerFile:
    """`take(id)` gives the answer to a row; of several answers to one row the last counts.

    Raises RowError at the first line that cannot be used, before the first answer is given, and BenchmarkError for
    a pipe: the file is read twice.
    """

    def __init__(self, path: str | Path, rules: Rubric) -> None:
        self._path, self._rules = jsonl.read_again(path), rules
        # Hashes only tell which ids are certainly not in the file: a collision costs a search, never an
        # answer.
        hashes = np.fromiter((hash(row_id) for _, row_id, _ in numbered_lines(path)), dtype=np.int64)
        hashes.sort()
        self._hashes = hashes
        self._all = bool((hashes[1:] == hashes[:-1]).any())  # a row answered twice: everything is in `_early`
        self._early: dict[Any, Answer] = dict(numbered_answers(path, rules)) if self._all else {}
        self._coming: Iterator[tuple[Any, Answer]] = iter(()) if self._all else numbered_answers(path, rules)
        self._next = next(self._coming, END)

    def take(self, row_id: Any) -> Answer | None:
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

    def _search(self, row_id: Any) -> Answer | None:
        """Read on to the answer and keep what comes before it."""
        while self._next is not END:
            next_id, answer = self._next
            self._next = next(self._coming, END)
            if next_id == row_id:
                return answer
            self._early[next_id] = answer
        return self._take_again(row_id)

    def _may_hold(self, row_id: Any) -> bool:
        at = int(np.searchsorted(self._hashes, hash(row_id)))
        return at < len(self._hashes) and int(self._hashes[at]) == hash(row_id)

    def _take_again(self, row_id: Any) -> Answer | None:
        """The data asks for a row twice: keep all answers from here on."""
        self._all, self._early = True, dict(numbered_answers(self._path, self._rules))
        return self._early.get(row_id)


def numbered_answers(path: str | Path, rules: Rubric) -> Iterator[tuple[Any, Answer]]:
    """(row id, answer) line by line, where a line has both.

    Args:
        path: The file.
        rules: By which answers are read.

    Raises:
        RowError: At the first line that cannot be used.
    """
    for number, row_id, data in numbered_lines(path):
        if (answer := _answer(data, rules, str(path), number)) is not None:
            yield row_id, answer


def numbered_lines(path: str | Path) -> Iterator[tuple[int, Any, Any]]:
    """(line number, row id, line) of a file. Raises RowError."""
    for number, line in jsonl.lines(path):
        try:
            data = loads(line)
        except (ValueError, RecursionError) as error:
            fault = jsonl.fault_of(line)
            raise RowError(fault.reason, path=str(path), line=number, column=fault.column) from error
        row_id = _row_id(data, str(path), number)
        if row_id is not None:
            yield number, row_id, data


def collected(predictions: Iterable[Any], rules: Rubric) -> dict[Any, Answer]:
    """Answers by row id of predictions in memory; of several for one row the last.

    Args:
        predictions: Lines of a predictions file.
        rules: By which answers are read.

    Raises:
        RowError: A line cannot be used.
    """
    answers: dict[Any, Answer] = {}
    for number, data in enumerate(predictions, 1):
        row_id, answer = _row_id(data, "", number), _answer(data, rules, "", number)
        if row_id is not None and answer is not None:
            answers[row_id] = answer
    return answers


def _row_id(data: Any, path: str, number: int) -> Any:
    """The row that a line answers, None where it names none."""
    if not isinstance(data, dict):
        raise RowError(f"a line must hold a JSON object, not {jsonl.kind(data)}", path=path, line=number)
    row_id = data.get("id")
    if not isinstance(row_id, str) and isinstance(row_id, (list, dict)):
        raise RowError(f"an 'id' must be a text, not {jsonl.kind(row_id)}", path=path, line=number)
    return row_id


def _answer(data: Any, rules: Rubric, path: str, number: int) -> Answer | None:
    try:
        return read(data, any_form=rules.any_form)
    except AnswerError as error:
        raise RowError(str(error), path=path, line=number) from error
