"""Choose the questions of a limited run: spread over the splits of the rows and the lengths of their texts.

All questions are put into one order, and a limit takes the first questions of it. The order begins with one question of
each split and continues in proportion to the sizes of the splits. Within a split, questions about short and long texts
are mixed in the same way. So a smaller limit takes a subset of a larger limit's questions. For each split and length,
the first questions of the file come first: questions about one text are adjacent and share the cost of reading it.
Rows of a sealed version hide their split; the form of their text is used instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import orjson

from evaluation.adapters.kinds import RowKind
from evaluation.core.records import Row
from evaluation.core.suite import get_suite

T = TypeVar("T")
#: Entry in the journal of a run. Journals without it were written when a limit took the first rows of the file.
IDENTITY = {"rows": "spread"}


class Candidate(NamedTuple):
    id: str
    split: str  # or the form of its row
    size: int  # of its row, in bytes of JSON


def began_with_first(identity: Mapping[str, object]) -> bool:
    """True if the run was started by an earlier release, in which a limit took the first questions of the file."""
    return bool(identity) and not IDENTITY.keys() & identity.keys()


def size_of(row: Row) -> int:
    return len(orjson.dumps(row))


def candidates(rows: Iterable[Row], kind: RowKind) -> Iterator[Candidate]:
    """Yield id, split and size of each question in a file of rows. Raises RowError."""
    suite, reached = get_suite(kind.name), _Reached(rows)
    splits: Mapping[str, str] = {}
    size, row = 0, None
    for question in kind.questions(reached):
        if reached.row is not row:
            row = reached.row
            splits, size = suite.expected([row]).splits, size_of(row)
        yield Candidate(question["id"], splits.get(question["id"], ""), size)


class _Reached:
    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = rows
        self.row: Any = None

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self.row = row
            yield row


def spread(questions: Iterable[Candidate], limit: int) -> frozenset[str]:
    """Ids of the questions of a limited run, at most `limit`. `questions`: all candidates, in file order."""
    by_split: dict[str, dict[int, list[str]]] = {}
    for question in questions:
        lengths = by_split.setdefault(question.split, {})
        lengths.setdefault(_length_class(question.size), []).append(question.id)
    ordered = [interleaved([lengths[each] for each in sorted(lengths)]) for lengths in by_split.values()]
    return frozenset(interleaved(ordered)[:limit])


def _length_class(size: int) -> int:
    return round(math.log2(max(size, 1)))


def interleaved(groups: Sequence[Sequence[T]]) -> list[T]:
    """Merge groups so that any first part of the result has items of all groups in proportion to their sizes."""
    # the first members come first, those of distant groups before those in between, as groups may be sorted by length
    ranks = {group: rank for rank, group in enumerate(sorted(range(len(groups)), key=_reversed_bits))}
    # then member i of a group of n is at (i + 1/2) / n, as seats are given by Webster's method
    places = [
        (((index + 0.5) / len(group) if index else 0.0, ranks[number] if not index else number), member)
        for number, group in enumerate(groups)
        for index, member in enumerate(group)
    ]
    return [member for _, member in sorted(places, key=lambda place: place[0])]


def _reversed_bits(number: int) -> float:
    """Van der Corput's sequence: 0, 1/2, 1/4, 3/4 … for the numbers 0, 1, 2, 3 …"""
    return sum((number >> bit & 1) / (2 << bit) for bit in range(number.bit_length()))
