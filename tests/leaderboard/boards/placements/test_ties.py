"""Brackets beside ranks join neighbours of which no two are told apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaderboard.boards.placements.ranking import Placement, are_tied
from leaderboard.boards.placements.ties import LANES, TieMark, brackets, spans

RANGES = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 4)), max_size=14)


def board(*ranges: tuple[int, int]) -> list[Placement]:
    return [Placement(f"s{at}", low, low, high) for at, (low, high) in enumerate(ranges)]


def test_runs_of_ties_may_overlap_and_one_alone_has_no_bracket():
    assert spans(board((1, 1), (2, 3), (2, 4), (3, 4), (5, 5))) == [(1, 3)]
    assert spans(board((1, 2), (1, 3), (2, 3), (4, 4))) == [(0, 2)]
    assert spans(board((2, 3), (2, 4), (4, 4))) == [(0, 1), (1, 2)]


@given(RANGES)
def test_a_run_holds_no_two_that_are_told_apart_and_could_not_be_longer(drawn):
    places = board(*((low, low + more) for low, more in drawn))
    for first, last in spans(places):
        run = places[first : last + 1]
        assert all(are_tied(one, other) for one in run for other in run)
        if last + 1 < len(places):
            assert not all(are_tied(each, places[last + 1]) for each in run)


@given(RANGES)
def test_no_two_brackets_share_a_lane_beside_a_row(drawn):
    for marks in brackets(board(*((low, low + more) for low, more in drawn))).values():
        lanes = [mark.lane for mark in marks]
        assert len(set(lanes)) == len(lanes) <= LANES


def test_a_bracket_that_goes_on_beyond_the_page_has_no_end_there():
    places = board((1, 4), (1, 4), (1, 4), (1, 4))
    assert brackets(places, slice(1, 3))["s1"] == [TieMark(0, is_first=False, is_last=False)]
    assert brackets(places)["s0"] == [TieMark(0, is_first=True, is_last=False)]


def test_systems_without_a_rank_are_in_no_bracket():
    assert brackets([Placement("below", above=False), Placement("other", above=False)]) == {}
