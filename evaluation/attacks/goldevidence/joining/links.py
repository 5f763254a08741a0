"""Groups of related rows: rows with the same ids, with the same words, or of the same structure apart from names."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from evaluation.attacks.goldevidence.joining.notes import Hashes, NotedRow, NotedText

#: Groups of row indices.
Groups = Sequence[Sequence[int]]
#: A token in more texts than a unit can have is not informative: four lengths, each with two relatives.
OF_TEXTS: Final = 12
#: The same for rows with candidates: ten orders of a question and of its twin's, and as many again.
OF_ROWS: Final = 40
#: Minimum share of common tokens, of the smaller sketch. Related texts share over .4, unrelated ones under .05.
SHARED: Final = 0.25
#: Minimum number of common tokens.
FEWEST: Final = 3


class Forest:
    """Union-find (disjoint sets) over the numbers below `size`."""

    def __init__(self, size: int) -> None:
        self._parents = list(range(size))

    def root(self, number: int) -> int:
        parents = self._parents
        while parents[number] != number:
            parents[number] = number = parents[parents[number]]
        return number

    def join(self, one: int, other: int) -> None:
        low, high = sorted((self.root(one), self.root(other)))
        self._parents[high] = low


def grouped(keys: Iterable[Hashable]) -> Groups:
    """Group the indices of equal keys. Every index is in one group."""
    groups: dict[Hashable, list[int]] = {}
    for number, key in enumerate(keys):
        groups.setdefault(key, []).append(number)
    return list(groups.values())


def by_ids(rows: Sequence[NotedRow]) -> Groups:
    """Group the rows that have a line about their question's key in common. Lines are compared by id."""
    forest, first = Forest(len(rows)), dict[str, int]()
    for number, row in enumerate(rows):
        for line in row.mine:
            forest.join(first.setdefault(row.lines[line].uid, number), number)
    return grouped(map(forest.root, range(len(rows))))


def by_overlap(rows: Sequence[NotedRow], texts: Sequence[NotedText]) -> Groups:
    """Group the rows whose candidates share tokens. Without candidates, group equal questions about similar texts."""
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
    return grouped(map(forest.root, range(len(rows))))


def by_form(rows: Sequence[NotedRow], texts: Sequence[NotedText]) -> Groups:
    """Group the rows whose lines have the same structure: equal operations on keys that differ only in name."""

    def form(row: NotedRow) -> Hashable:
        if not row.has_candidates:
            return row.shape, texts[row.text].form, row.tag
        ordered = sorted(range(len(row.lines)), key=lambda line: row.lines[line].step)
        tags: dict[str, int] = {}
        told = tuple((tags.setdefault(row.lines[n].key, len(tags)), row.lines[n].op) for n in ordered)
        return row.shape, told, tuple(n in row.mine for n in ordered)

    return grouped(map(form, rows))


def linked(sketches: Sequence[Hashes], most: int) -> Iterator[tuple[int, int]]:
    """Yield index pairs of sketches that share many hashes, apart from hashes in more than `most` sketches."""
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
        end = min(ends[one], ends[other])  # above it one of the two sketches is cut off
        comparable = min(int(np.searchsorted(told[n], end, "right")) for n in (one, other))
        if both >= FEWEST and both >= SHARED * comparable:
            yield one, other


def _by_sketch(hashes: Hashes, of: NDArray[np.int64], size: int) -> Sequence[Hashes]:
    order = np.lexsort((hashes, of))
    return np.split(hashes[order], np.searchsorted(of[order], np.arange(1, size)))


def _pairs(
    hashes: Hashes, of: NDArray[np.int64], size: int, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns the pairs of sketches with common hashes, and the number of common hashes of each pair.

    `of` is the index of the sketch to which each hash belongs. A pair is encoded as `one * size + other`.
    """
    found = [np.zeros(0, dtype=np.int64)]
    for apart in range(1, min(most, len(hashes))):
        same = hashes[apart:] == hashes[:-apart]
        if not same.any():
            break
        found.append(of[:-apart][same] * size + of[apart:][same])
    return np.unique(np.concatenate(found), return_counts=True)


def _tokens(row: NotedRow) -> Hashes:
    told = set[str]()
    for entry in row.lines:
        masked = "".join("0" if sign.isdigit() else sign for sign in entry.uid)
        told.update((entry.uid, f"{entry.key} {entry.value}", f"{entry.value}", f"{entry.step} {masked}"))
    return np.unique(np.fromiter((crc32(each.encode()) for each in told), dtype=np.uint32))
