"""A limited run asks questions of every split and length, in proportion, and the same ones each time."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.adapters.row_limit import (
    IDENTITY,
    Candidate,
    began_with_first,
    candidates,
    interleaved,
    size_of,
    spread,
)
from evaluation.goldevidence.adapters.episode_rows import KIND
from evaluation.statebench.adapters.timeline_rows import KIND as TIMELINES
from tests.evaluation.conftest import condition_row, make_row, make_timelines

SIZES = st.lists(st.integers(1, 40), min_size=1, max_size=9)


def questions(sizes: list[int]) -> list[Candidate]:
    """Questions of splits of these sizes; the splits alternate, as in a file."""
    return [
        Candidate(f"{split}-{number}", f"s{split}", 1000)
        for number in range(max(sizes))
        for split, size in enumerate(sizes)
        if number < size
    ]


def counted(asked: frozenset[str]) -> Counter[str]:
    return Counter(each.partition("-")[0] for each in asked)


@given(SIZES, st.integers(1, 400))
def test_as_many_are_asked_as_the_limit_says_and_of_each_split_its_share(
    sizes: list[int], limit: int
) -> None:
    asked, total = spread(questions(sizes), limit), sum(sizes)
    assert len(asked) == min(limit, total)
    counts = counted(asked)
    assert len(counts) == min(limit, len(sizes))
    if limit < total:
        assert all(counts[str(split)] <= size * limit / total + 1 for split, size in enumerate(sizes))


@given(SIZES, st.integers(1, 60))
def test_a_greater_limit_asks_the_same_and_more(sizes: list[int], limit: int) -> None:
    assert spread(questions(sizes), limit) < spread(questions(sizes), limit + 1) or limit >= sum(sizes)


@given(SIZES, st.integers(1, 60))
def test_of_each_split_the_first_of_the_file_are_asked(sizes: list[int], limit: int) -> None:
    for split, count in counted(spread(questions(sizes), limit)).items():
        assert {f"{split}-{number}" for number in range(count)} <= spread(questions(sizes), limit)


@given(st.lists(st.lists(st.integers(), max_size=6), max_size=6))
def test_what_is_interleaved_keeps_its_order(groups: list[list[int]]) -> None:
    numbered = [[(number, index) for index, _ in enumerate(group)] for number, group in enumerate(groups)]
    mixed = interleaved(numbered)
    assert [[each for each in mixed if each[0] == number] for number, _ in enumerate(groups)] == numbered


def test_few_rungs_of_a_ladder_are_far_apart() -> None:
    rungs = [Candidate(f"{rung}-{n}", rung, 1) for rung in ("4k", "8k", "16k", "32k") for n in range(10)]
    assert counted(spread(rungs, 2)) == {"4k": 1, "16k": 1}
    assert counted(spread(rungs, 8)) == {"4k": 2, "8k": 2, "16k": 2, "32k": 2}


def test_within_a_split_long_texts_are_asked_about_too() -> None:
    short = [Candidate(f"short-{n}", "all", 2000) for n in range(90)]
    long = [Candidate(f"long-{n}", "all", 64000) for n in range(10)]
    assert counted(spread(short + long, 2)) == {"short": 1, "long": 1}
    assert counted(spread(short + long, 20)) == {"short": 18, "long": 2}


def test_rows_of_a_file_are_known_by_what_they_say_or_show() -> None:
    rows = [make_row(1), make_row(2), condition_row(3)]
    assert [(each.id, each.split) for each in candidates(rows, KIND)] == [
        ("E0001-Q001", "closed_book"),
        ("E0001-Q002", "closed_book"),
        ("E0001-Q003@k4-gold_last", "candidates"),
    ]
    assert [each.size for each in candidates(rows, KIND)] == [size_of(row) for row in rows]


def test_each_query_of_a_timeline_counts() -> None:
    timelines = make_timelines("brutal_realistic", "causality", count=2)
    made = list(candidates(timelines, TIMELINES))
    assert {each.split for each in made} == {"brutal_realistic", "causality"}
    assert len(made) > len(timelines)
    assert len(spread(made, 3)) == 3


@pytest.mark.parametrize(
    ("identity", "first"), [({}, False), ({"run": "x"}, True), ({"run": "x", **IDENTITY}, False)]
)
def test_a_journal_of_an_older_release_says_nothing_of_its_rows(
    identity: dict[str, str], first: bool
) -> None:
    assert began_with_first(identity) is first
