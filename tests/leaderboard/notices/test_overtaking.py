"""A place counts as overtaken once: by another account's new entry that is wholly above it."""

from __future__ import annotations

import pytest

from leaderboard.boards.placements.ranking import Placement
from leaderboard.notices.overtaking import overtaken

#: Submissions a and A are of one system of the first account, b and B of one of the second, c of another of the second.
OWNERS = {"a": 1, "A": 1, "b": 2, "B": 2, "c": 2}
SYSTEMS = {"a": 1, "A": 1, "b": 2, "B": 2, "c": 3}


def places(**ranges: tuple[int, int]) -> list[Placement]:
    return [Placement(key, low, low, high) for key, (low, high) in ranges.items()]


def told(before: list[Placement], after: list[Placement]) -> list[tuple[str, str]]:
    return [(each.after.key, each.by.key) for each in overtaken(before, after, OWNERS, SYSTEMS)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": (1, 1)}, {"b": (1, 1), "a": (2, 2)}, [("a", "b")]),
        ({"a": (1, 1)}, {"b": (1, 2), "a": (1, 2)}, []),  # tied
        ({"b": (1, 1)}, {"b": (2, 2), "c": (1, 1)}, []),  # of the same account
        ({"b": (1, 1), "a": (2, 2)}, {"B": (1, 1), "a": (2, 2)}, []),  # it was better before
        ({"b": (1, 2), "a": (1, 2)}, {"B": (1, 1), "a": (2, 2)}, [("a", "B")]),  # its new entry is better
        ({"b": (1, 2), "a": (1, 2)}, {"b": (1, 1), "a": (2, 2)}, []),  # no new entry: others went
        ({"a": (1, 1)}, {"b": (1, 1), "A": (2, 2)}, []),  # its own new entry
        ({}, {"b": (1, 1), "a": (2, 2)}, []),
    ],
)
def test_only_new_results_of_others_that_are_wholly_above_overtake(
    before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]], expected: list[tuple[str, str]]
) -> None:
    assert told(places(**before), places(**after)) == expected


def test_places_without_a_rank_neither_overtake_nor_are_overtaken() -> None:
    apart = [Placement("b", apart=True)]
    assert told(places(a=(1, 1)), [*apart, *places(a=(1, 1))]) == []
    assert told([*apart, *places(a=(1, 1))], places(a=(1, 1), b=(2, 2))) == []
