"""Index to find items that a query may repeat, without comparing the query with every item.

A query that repeats an item shares at least k of the item's n words. The index lists the item under only n - k + 1
of these words, the rarest. The query lacks at most n - k of the n words, so it has at least one of the listed words
(prefix filter: Chaudhuri, Ganti & Kaushik 2006).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Q = TypeVar("Q")

Parts = frozenset[Any]  # words, or any other hashable parts
Need = tuple[Parts, int]  # parts, minimum number of them

_ROUNDING = 1e-9  # 0.6 of 5 must be 3 despite floating point
FEW = 16  # with at most this many items, a scan is as fast as the index


def least_of(share: float, size: int) -> int:
    """Return the smallest whole number ≥ 1 that is at least `share` (0 to 1) of `size`."""
    return max(1, math.ceil(share * size - _ROUNDING))


class OverlapIndex(Generic[T, Q]):
    __slots__ = ("_always", "_by_part", "_entered", "_items", "_left", "_needs", "_offers")

    def __init__(
        self, needs: Callable[[T], Iterable[Need]], offers: Callable[[Q], Parts], items: Iterable[T] = ()
    ) -> None:
        """Index `items`. A query finds an item if both share enough parts, such as words.

        `needs(item)` returns sets of parts, each with the number of parts that a query must share. One set is enough.
        `offers(query)` returns the parts of a query.
        """
        self._needs, self._offers = needs, offers
        self._items = [*items]
        self._entered = 0  # number of items in `_by_part` and `_always`, which are built once there are many
        self._by_part: dict[Hashable, list[tuple[T, Parts, int]]]
        self._always: list[T]  # items without needs
        self._left: set[T] = set()  # removed items

    def add(self, item: T) -> None:
        self._items.append(item)

    def leave_out(self, item: T) -> None:
        """Remove an item from the index. While the index is small (`FEW`), `find` still returns the item."""
        self._left.add(item)

    def find(self, query: Q) -> Iterable[T]:
        """Return the items that the query may match, in any order and possibly repeated.

        An item matches if the query meets one of its needs. An index with up to `FEW` items returns all of them.
        """
        if len(self._items) <= FEW:
            return self._items
        self._enter_new()
        return self._found(self._offers(query))

    def _enter_new(self) -> None:
        if not self._entered:
            self._by_part, self._always = {}, []
        for item in islice(self._items, self._entered, None):
            if item not in self._left:
                self._enter(item)
        self._entered = len(self._items)

    def _found(self, offered: Parts) -> Iterator[T]:
        by_part, left = self._by_part, self._left
        yield from self._always if not left else [item for item in self._always if item not in left]
        for part in offered:
            if part not in by_part:
                continue
            are_left = 0
            for item, parts, least in by_part[part]:
                if item in left:
                    are_left += 1
                elif parts <= offered if least == len(parts) else len(parts & offered) >= least:
                    yield item
            if are_left:
                by_part[part] = [entry for entry in by_part[part] if entry[0] not in left]

    def _enter(self, item: T) -> None:
        for parts, least in self._needs(item):
            if least <= 0:
                self._always.append(item)
                return
            spare = len(parts) - least
            if spare >= 0:
                for part in sorted(parts, key=lambda part: len(self._by_part.get(part, ())))[: spare + 1]:
                    self._by_part.setdefault(part, []).append((item, parts, least))
