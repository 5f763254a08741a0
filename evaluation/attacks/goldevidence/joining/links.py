"""Which rows belong together: by ids, by the words that they share, by structure up to renaming, or by their look."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from evaluation.attacks.goldevidence.joining.notes import Hashes, NotedRow, NotedText

#: Numbers of rows, group by group.
Groups = Sequence[Sequence[int]]
#: A token of more texts than a unit has tells nothing: four lengths, each with two relatives.
OF_TEXTS: Final = 12
#: The same of rows with candidates: ten orders of a question and of its twin's, and as many again.
OF_ROWS: Final = 40
#: Least share of the tokens of the smaller one that both have. Of one origin it is above .4, else below .05.
SHARED: Final = 0.25
#: Fewest tokens of which that is a share.
FEWEST: Final = 3


class Forest:
    """Union-find over numbers.

    Args:
        size: How many.
    """

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def root(self, number: int) -> int:
        """The one that stands for all that are joined with it."""
        parents = self._parents
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    def join(self, one: int, other: int) -> None:
        """Join the groups of both.

        Args:
            one: A number.
            other: Another one.
        """
        low, high = sorted((self.root(one), self.root(other)))
        self._parents[high] = low


def grouped(rows: Sequence[NotedRow], key: Callable[[NotedRow], Hashable]) -> Groups:
    """The rows of each key, in their order.

    Args:
        rows: All of them.
        key: What rows of a group have in common.
    """
    groups: dict[Hashable, list[int]] = {}
    for number, row in enumerate(rows):
        groups.setdefault(key(row), []).append(number)
    return list(groups.values())


def by_ids(rows: Sequence[NotedRow]) -> Groups:
    """Rows that share the id of a line about the tag that each asks for."""
    forest, first = Forest(len(rows)), dict[str, int]()
    for number, row in enumerate(rows):
        for line in row.mine:
            forest.join(first.setdefault(row.lines[line].uid, number), number)
    return _trees(forest, len(rows))


def by_overlap(rows: Sequence[NotedRow], texts: Sequence[NotedText]) -> Groups:
    """Rows with candidates that share tokens, and rows with one question about texts that do, digits masked or not.

    Args:
        rows: Those of the file.
        texts: What they show.
    """
    forest = Forest(len(rows))
    candidates = [number for number, row in enumerate(rows) if row.has_candidates]
    for one, other in linked([_tokens(rows[number]) for number in candidates], OF_ROWS):
        forest.join(candidates[one], candidates[other])
    of_text = Forest(len(texts))
    for sketches in ([text.tokens for text in texts], [text.lines for text in texts]):
        for one, other in linked(sketches, OF_TEXTS):
            of_text.join(one, other)
    first: dict[tuple[int, int], int] = {}
    for number, row in enumerate(rows):
        if not row.has_candidates:
            forest.join(first.setdefault((of_text.root(row.text), row.question), number), number)
    return _trees(forest, len(rows))


def by_form(rows: Sequence[NotedRow], texts: Sequence[NotedText]) -> Groups:
    """Rows whose lines are about the same tags one after the other, and do the same to them, names left out.

    Args:
        rows: Those of the file.
        texts: What they show.
    """

    def form(row: NotedRow) -> Hashable:
        if not row.has_candidates:
            return row.shape, texts[row.text].form, row.tag
        ordered = sorted(range(len(row.lines)), key=lambda line: row.lines[line].step)
        tags: dict[str, int] = {}
        told = tuple((tags.setdefault(row.lines[n].key, len(tags)), row.lines[n].op) for n in ordered)
        return row.shape, told, tuple(n in row.mine for n in ordered)

    return grouped(rows, form)


def linked(sketches: Sequence[Hashes], most: int) -> Iterator[tuple[int, int]]:
    """The pairs of sketches that share much of what few have.

    Args:
        sketches: The smallest hashes of each, ascending.
        most: In how many of them a hash may be, to tell anything.

    Returns:
        Numbers of two sketches, the lower one first.
    """
    if len(sketches) < 2:
        return
    of = np.repeat(np.arange(len(sketches)), [len(sketch) for sketch in sketches])
    hashes = np.concatenate(sketches)
    order = np.argsort(hashes, kind="stable")
    hashes, of = hashes[order], of[order]
    _, place, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    rare = counts[place] <= min(most, max(2, len(sketches) // 2))
    hashes, of = hashes[rare], of[rare]
    pairs, shared = _pairs(hashes, of, len(sketches), most)
    told = _by_sketch(hashes, of, len(sketches))
    ends = [int(sketch[-1]) if len(sketch) else 0 for sketch in sketches]
    for pair, both in zip(pairs.tolist(), shared.tolist(), strict=True):
        one, other = divmod(pair, len(sketches))
        end = min(ends[one], ends[other])  # above it one of the two may hold more than its sketch says
        comparable = min(int(np.searchsorted(told[n], end, "right")) for n in (one, other))
        if both >= FEWEST and both >= SHARED * comparable:
            yield one, other


def _by_sketch(hashes: Hashes, of: NDArray[np.int64], size: int) -> Sequence[Hashes]:
    """The hashes of each sketch, ascending."""
    order = np.lexsort((hashes, of))
    return np.split(hashes[order], np.searchsorted(of[order], np.arange(1, size)))


def _pairs(
    hashes: Hashes, of: NDArray[np.int64], size: int, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs that have hashes in common, as numbers one · size + other, and how many."""
    found = [np.zeros(0, dtype=np.int64)]
    for apart in range(1, min(most, len(hashes))):
        same = hashes[apart:] == hashes[:-apart]
        if not same.any():
            break
        found.append(of[:-apart][same] * size + of[apart:][same])
    return np.unique(np.concatenate(found), return_counts=True)


def _tokens(row: NotedRow) -> Hashes:
    """The hashes of what the candidates of a row say."""
    told = set[str]()
    for entry in row.lines:
        masked = "".join("0" if sign.isdigit() else sign for sign in entry.uid)
        told.update((entry.uid, f"{entry.key} {entry.value}", f"{entry.value}", f"{entry.step} {masked}"))
    return np.unique(np.fromiter((crc32(each.encode()) for each in told), dtype=np.uint32))


def _trees(forest: Forest, size: int) -> Groups:
    groups: dict[int, list[int]] = {}
    for number in range(size):
        groups.setdefault(forest.root(number), []).append(number)
    return list(groups.values())
