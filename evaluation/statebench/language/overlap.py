"""Which of many texts may be repeated by some words, without looking at each.

Whoever repeats a text uses at least so many of its words. Enter it under a few of them: under any n - k + 1, where at
least k of n have to be there, so that no words which hold k can miss them all (the prefix filter of set similarity
joins: Chaudhuri, Ganti & Kaushik 2006). Words that few other texts are entered under are taken, so that a look-up
leads to few texts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Q = TypeVar("Q")

Parts = frozenset[Any]  # words, or whatever else can be looked up
Need = tuple[Parts, int]  # parts, and how many of them have to be there at least

_ROUNDING = 1e-9  # 0.6 of 5 are 3, whatever floats make of it
FEW = 16  # items that are all looked at: as fast as looking up which


def least_of(share: float, size: int) -> int:
    """The least number of parts that make up a share of all.

    Args:
        share: From 0 to 1.
        size: How many parts there are.

    Returns:
        At least 1.
    """
    return max(1, math.ceil(share * size - _ROUNDING))


class OverlapIndex(Generic[T, Q]):
    """Items that are found by what of them is there."""

    __slots__ = ("_always", "_by_part", "_entered", "_items", "_left", "_needs", "_offers")

    def __init__(
        self, needs: Callable[[T], Iterable[Need]], offers: Callable[[Q], Parts], items: Iterable[T] = ()
    ) -> None:
        """
        Args:
            needs: What of an item has to be there: one of these is enough.
            offers: The parts that are there, of what items are looked up by.
            items: What it starts with.
        """
        self._needs, self._offers = needs, offers
        self._items = [*items]
        self._entered = 0  # of these, how many stand in the two below, which are made when there are many
        self._by_part: dict[Hashable, list[tuple[T, Parts, int]]]
        self._always: list[T]  # those that nothing is needed of
        self._left: set[T] = set()  # those that need not be found any more

    def add(self, item: T) -> None:
        """Add an item."""
        self._items.append(item)

    def leave_out(self, item: T) -> None:
        """Let an item be found no more, so that no look-up costs more for it; while there are `FEW`, it still is."""
        self._left.add(item)

    def find(self, query: Q) -> Iterable[T]:
        """The items of which a need is met, in no order, some of them several times; while there are `FEW`, all."""
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
                for part in sorted(parts, key=self._entered_under)[: spare + 1]:
                    self._by_part.setdefault(part, []).append((item, parts, least))

    def _entered_under(self, part: Hashable) -> int:
        return len(self._by_part.get(part, ()))
