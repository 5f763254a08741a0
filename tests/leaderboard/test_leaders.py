"""One sentence says who leads, by how much, and whether the difference is real."""

from __future__ import annotations

from leaderboard.leaders import sentence
from leaderboard.ranking import place
from tests.leaderboard.test_ranking import contestant


def test_nobody_leads_an_empty_board_or_one_of_one():
    assert sentence([]) == ""
    assert sentence(place([contestant("alone", 5, 5)])) == ""
    assert sentence(place([contestant("alone", 5, 5), contestant("gated", 9, 9, gated=True)])) == ""


def test_a_real_difference_is_given_with_its_interval():
    found = place([contestant("good", 10, 9, 10, 9), contestant("poor", 1, 0, 2, 1)])
    assert sentence(found) == "good leads poor by 0.850, 95% interval 0.800 to 0.900: the difference is real."


def test_equals_share_the_lead():
    assert sentence(place([contestant("ada", 5, 6), contestant("ben", 5, 6)])) == (
        "ada and ben share the lead: no test tells them apart."
    )


def test_no_more_than_three_leaders_are_named():
    found = place([contestant(name, 5, 6, 5, 6) for name in "abcde"] + [contestant("poor", 1, 0, 2, 1)])
    assert sentence(found) == "a, b, c and 2 more share the lead: no test tells them apart."


def test_where_all_are_equal_nobody_is_named():
    found = place([contestant(name, 5, 6) for name in "abcde"])
    assert sentence(found) == "No test tells the 5 ranked systems apart."


def test_a_tie_that_robustness_broke_says_so():
    steady = contestant("steady", 10, 10, 9, robust=(10, 10, 10))
    positional = contestant("positional", 10, 10, 10, robust=(0, 1, 0))
    assert sentence(place([positional, steady])) == (
        "steady and positional cannot be told apart by score (\N{MINUS SIGN}0.033, 95% interval \N{MINUS SIGN}0.100 "
        "to 0.000); the tie breaker puts steady first (1.000 against 0.033)."
    )
