"""Sequences that create their elements on access."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class LazySequence(Sequence[T]):
    """A sequence that creates elements with `_at`. It equals any sequence with equal elements and is not hashable."""

    @abstractmethod
    def _at(self, place: int) -> T:
        """The element at `place`, 0 ≤ place < length."""

    def _several(self, places: range) -> list[T]:
        """The elements at several positions. Override if reading all of them together is faster."""
        return [self._at(place) for place in places]

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        chosen = range(len(self))[index]  # raises IndexError
        return self._at(chosen) if isinstance(chosen, int) else self._several(chosen)

    def __iter__(self) -> Iterator[T]:
        return map(self._at, range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]  # as a list
