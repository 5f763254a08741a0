"""Answers to rows, with every answer accounted for: none to an unknown row, none twice, none missing.

Only hashes of ids are kept, eight bytes a row and a file.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.core.errors import RowError
from evaluation.core.files.version_files import AnswerForm, VersionFiles, numbered_lines
from evaluation.goldevidence.data.answers import TEXT_FIELDS, VALUE_FIELDS, Answer

#: What a line of a predictions file may hold beside its id.
OF_ANSWERS = frozenset({*VALUE_FIELDS, *TEXT_FIELDS, "state"})
Hashes = NDArray[np.int64]


class Answers:
    """The answers of a file, taken row by row."""

    def __init__(
        self, path: str | Path, files: VersionFiles, form: AnswerForm, *, partial: bool = False
    ) -> None:
        """Nothing is taken yet; the ids of the file are read.

        Args:
            path: The predictions.
            files: The rows with these predictions, opened.
            form: How a line of these is read.
            partial: Whether rows may lack a prediction.

        Raises:
            RowError: A line cannot be used, is no prediction, or answers a row that another one answers.
        """
        self._path, self._data, self._partial, self._form = str(path), files.source, partial, form
        self._answer_to = files.answer_to
        self._given = self._ids()
        self._asked = array("q")
        self.missing = 0
        if (again := _repeated(self._given)) is not None:
            self._refuse_repeated(again)

    def take(self, row_id: Any) -> Answer | None:
        """The answer to a row; None where it has none and may lack one.

        Args:
            row_id: The id of the row.

        Raises:
            RowError: It has none.
        """
        self._asked.append(hash(row_id))
        answer: Answer | None = self._answer_to(row_id)
        if answer is None:
            self.missing += 1
            if not self._partial:
                raise RowError(
                    f"row {row_id!r} of {self._data} has no prediction. Where only a part of the rows was run, "
                    "--partial leaves the others out",
                    path=self._path,
                )
        return answer

    def finish(self) -> None:
        """Say what was not taken. Raises RowError for an answer to an unknown row, and for a row that stands twice."""
        asked: Hashes = np.array(self._asked, dtype=np.int64)
        if _repeated(asked) is not None:
            raise RowError("two rows have the same id", path=self._data)
        unknown = set(self._given[~np.isin(self._given, asked)].tolist())
        for number, row_id, _ in numbered_lines(self._path, self._form) if unknown else ():
            if hash(row_id) in unknown:
                raise RowError(
                    f"it answers row {row_id!r}, which {self._data} does not hold: is it of another version?",
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
                    f"row {row_id!r} is answered in line {before} already: which answer is to be learnt from?",
                    path=self._path,
                    line=number,
                )


def _refuse_other_files(fields: Collection[str], path: str, number: int) -> None:
    if not OF_ANSWERS.intersection(fields):
        what = "a row of a data file" if "question" in fields or "gold" in fields else "no prediction"
        raise RowError(f"the line is {what}: it holds neither a value nor a text", path=path, line=number)


def _repeated(hashes: Hashes) -> set[int] | None:
    """The hashes that stand more than once; None where there are none."""
    ordered = np.sort(hashes)
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    return set(again.tolist()) if len(again) else None
