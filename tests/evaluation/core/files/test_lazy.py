"""A lazy sequence reads like a list, and makes only the items that are asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.files.lazy import LazySequence

PLACES = st.none() | st.integers(-12, 12)


class Squares(LazySequence[int]):
    """The first squares; records which were made."""

    def __init__(self, size: int) -> None:
        self.size, self.made = size, list[int]()

    def __len__(self) -> int:
        return self.size

    def _at(self, place: int) -> int:
        self.made.append(place)
        return place**2


@given(st.integers(0, 10), PLACES, PLACES, st.integers(-4, 4).filter(bool))
def test_slices_are_those_of_a_list(size, start, stop, step) -> None:
    assert Squares(size)[start:stop:step] == [n**2 for n in range(size)][start:stop:step]


@given(st.integers(0, 10), st.integers(-12, 12))
def test_an_index_is_that_of_a_list_and_makes_one_element(size, index) -> None:
    squares, listed = Squares(size), [n**2 for n in range(size)]
    if -size <= index < size:
        assert squares[index] == listed[index]
        assert len(squares.made) == 1
    else:
        with pytest.raises(IndexError):
            squares[index]
        assert squares.made == []


def test_it_equals_what_holds_the_same_and_has_no_hash() -> None:
    assert Squares(4) == [0, 1, 4, 9] == Squares(4)
    assert Squares(4) != [0, 1, 4]
    assert list(Squares(3)) == [0, 1, 4]
    with pytest.raises(TypeError, match="unhashable"):
        hash(Squares(3))
