"""One sentence says who stands first on a board, and claims no more than the figures carry."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.statistics import ENOUGH_UNITS
from leaderboard.boards.headline_summary import NOBODY, UNADJUSTED, headline_summary
from leaderboard.boards.placements.ranking import Contestant, place
from tests.leaderboard.boards.placements.test_ranking import contestant

#: What no board can show, whatever its figures: no comparison here is adjusted for how its two were chosen.
CLAIMS = re.compile(r"\breal\b|significan|no test|no difference|leads|apart|equal", re.I)


def said(*contestants: Contestant, better: str = "higher") -> str:
    return headline_summary(place(contestants, better=better), unit="episode", better=better)


def many(name: str, *sums: float, robust: tuple[float, ...] = (), **rest: bool) -> Contestant:
    """A contestant over units enough."""
    return contestant(name, *sums * 20, robust=robust * 20, **rest)


def strategy(name: str, *sums: float) -> Contestant:
    return many(name, *sums)._replace(unranked="no model decides")


def test_nobody_leads_an_empty_board_or_one_of_one():
    assert said() == ""
    assert said(many("alone", 5, 5)) == ""
    assert said(many("alone", 5, 5), many("gated", 9, 9, gated=True)) == ""


def test_the_difference_of_the_first_two_is_one_comparison_and_says_so():
    assert said(many("good", 10, 9, 10, 9), many("poor", 1, 0, 2, 1)) == (
        f"good is first, 0.850 above poor: 95% interval 0.839 to 0.861, which excludes 0 ({UNADJUSTED})."
    )


def test_where_lower_is_better_the_first_is_below():
    told = said(many("good", 1, 0, 2, 1), many("poor", 10, 9, 10, 9), better="lower")
    assert told.startswith("good is first, 0.850 below poor: 95% interval 0.839 to 0.861, which excludes 0")


def test_a_difference_that_is_the_same_everywhere_has_no_interval():
    assert said(many("good", 9, 8), many("poor", 4, 3)) == (
        f"good is first, 0.500 above poor, by the same in every episode ({UNADJUSTED})."
    )


def test_no_difference_anywhere_has_no_interval_either():
    steady = many("steady", 10, 10, robust=(10, 10))
    assert said(steady, many("shaky", 10, 10, robust=(0, 1))).startswith(
        "The scores of steady and shaky do not show which is better (difference 0.000): the tie breaker puts steady"
    )


def test_systems_of_one_rank_are_not_said_to_be_equal():
    assert said(many("ada", 5, 6), many("ben", 5, 6)) == (
        "ada and ben share rank 1: this board does not show which of them is best."
    )


def test_no_more_than_three_of_the_first_are_named():
    told = said(*(many(name, 5, 6, 5, 6) for name in "abcde"), many("poor", 1, 0, 2, 1))
    assert told == "a, b, c and 2 more share rank 1: this board does not show which of them is best."


def test_where_all_share_a_rank_nobody_is_named():
    told = said(*(many(name, 5, 6) for name in "abcde"))
    assert told == "All 5 ranked systems share rank 1: this board does not show which of them is best."


def test_a_tie_that_robustness_broke_says_so():
    steady = many("steady", 10, 10, 9, robust=(10, 10, 10))
    positional = many("positional", 10, 10, 10, robust=(0, 1, 0))
    wide = contestant("positional", *[10] * 57, 0, 10, 10, robust=(0, 1, 0) * 20)
    told = said(wide, steady._replace(name="steady"))
    assert told.startswith("The scores of steady and positional do not show which is better (difference ")
    assert told.endswith("the tie breaker puts steady first (1.000 against 0.033).")
    assert said(positional, steady).startswith("positional is first, 0.033")


@pytest.mark.parametrize("units", [1, 5, ENOUGH_UNITS - 1])
def test_over_few_units_nobody_is_said_to_be_first(units):
    good, poor = contestant("good", *[10] * units), contestant("poor", *[1] * units)
    words = "1 episode is" if units == 1 else f"{units} episodes are"
    assert said(good, poor) == f"{words} too few to say who leads: read the figures, not the ranks."
    assert "good is first" in said(contestant("good", *[10] * 20), contestant("poor", *[1] * 20))


def test_a_board_of_systems_that_decide_nothing_says_that_no_model_was_ranked():
    assert said(strategy("state_based", 9, 8), strategy("no_memory", 1, 0)) == NOBODY
    assert said(strategy("state_based", 9, 8), many("a model", 5, 5)) == ""
    both = said(strategy("state_based", 10, 10), many("good", 9, 8), many("poor", 1, 0))
    assert both.startswith("good is first")
    assert "state_based" not in both


@given(
    st.lists(st.lists(st.integers(0, 10), min_size=24, max_size=24), min_size=2, max_size=5),
    st.booleans(),
    st.integers(1, 24),
)
@settings(max_examples=60, deadline=None)
def test_no_board_makes_the_sentence_claim_more_than_one_interval(sums, robust, units):
    contestants = [
        contestant(name, *of[:units], robust=tuple(of[::-1][:units]) if robust else ())
        for name, of in zip("xyzvw", sums, strict=False)
    ]
    told = said(*contestants)
    assert not CLAIMS.search(told.replace("too few to say who leads", ""))
    assert "excludes 0" not in told or UNADJUSTED in told
