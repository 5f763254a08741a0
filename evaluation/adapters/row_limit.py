"""Which questions a limited run asks: spread over the splits of the rows and over the lengths of their texts.

All questions stand in one order, of which a limit takes the beginning: first one question of each split, then as many
of each as the split is large; within a split the same by the length of the text. So the questions of a smaller limit
are among those of a greater one. Of each split and length they are the first of the file, where questions about one
text follow each other: these share the cost of reading it.

Of a sealed version rows do not say their split; what they show stands for it.
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
#: What the journal of a run says of its rows. One that says nothing was begun when a limit took the first of the file.
IDENTITY = {"rows": "spread"}


class Candidate(NamedTuple):
    """A question that might be asked."""

    id: str
    split: str  # or what its row shows
    size: int  # of its row, in bytes of JSON


def began_with_first(identity: Mapping[str, object]) -> bool:
    """Whether a run was begun when a limit took the first questions of the file.

    Args:
        identity: As its journal has it; empty where there is none.
    """
    return bool(identity) and not IDENTITY.keys() & identity.keys()


def size_of(row: Row) -> int:
    """The size of a row, by which lengths are told apart: bytes of JSON."""
    return len(orjson.dumps(row))


def candidates(rows: Iterable[Row], kind: RowKind) -> Iterator[Candidate]:
    """The questions of a file of rows, as far as a limit needs to know them.

    Args:
        rows: Each with its texts.
        kind: How they are asked.

    Raises:
        RowError: A row cannot be asked.
    """
    suite, reached = get_suite(kind.name), _Reached(rows)
    splits: Mapping[str, str] = {}
    size, row = 0, None
    for question in kind.questions(reached):
        if reached.row is not row:
            row = reached.row
            splits, size = suite.expected([row]).splits, size_of(row)
        yield Candidate(question["id"], splits.get(question["id"], ""), size)


class _Reached:
    """Rows, of which `row` is the one that was asked for last."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = rows
        self.row: Any = None

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self.row = row
            yield row


def spread(questions: Iterable[Candidate], limit: int) -> frozenset[str]:
    """The ids of the questions that a limited run asks.

    Args:
        questions: All that might be asked, in the order of the file.
        limit: How many to ask at most.
    """
    by_split: dict[str, dict[int, list[str]]] = {}
    for question in questions:
        lengths = by_split.setdefault(question.split, {})
        lengths.setdefault(_length_class(question.size), []).append(question.id)
    ordered = [interleaved([lengths[each] for each in sorted(lengths)]) for lengths in by_split.values()]
    return frozenset(interleaved(ordered)[:limit])


def _length_class(size: int) -> int:
    """Lengths that differ by less than a factor of about two count as one."""
    return round(math.log2(max(size, 1)))


def interleaved(groups: Sequence[Sequence[T]]) -> list[T]:
    """The members of groups in one order, each beginning of which has its share of every group.

    The first members stand first, those of groups far apart before those between, as groups may ascend in length. Then
    member i of a group of n stands at (i + 1/2) / n, as seats are given by Webster's method.

    Args:
        groups: Each in its own order, which it keeps.
    """
    ranks = {group: rank for rank, group in enumerate(sorted(range(len(groups)), key=_reversed_bits))}
    places = [
        (((index + 0.5) / len(group) if index else 0.0, ranks[number] if not index else number), member)
        for number, group in enumerate(groups)
        for index, member in enumerate(group)
    ]
    return [member for _, member in sorted(places, key=lambda place: place[0])]


def _reversed_bits(number: int) -> float:
    """0, 1/2, 1/4, 3/4 … for 0, 1, 2, 3 …: van der Corput's sequence."""
    return sum((number >> bit & 1) / (2 << bit) for bit in range(number.bit_length()))
