"""The finding of a board names leader, score and lead, and claims no more than the ranks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.statistics.power import DIAGNOSTIC_BELOW
from leaderboard.boards.headline_summary import (
    LATE,
    NO_MODEL,
    NONE_ABOVE,
    ONLY_REPORTED,
    headline_summary,
    short_names,
)
from leaderboard.boards.placements.ranking import COMPUTING, CROSSED, SELF_REPORTED, Contestant, place
from tests.leaderboard.boards.placements.test_ranking import contestant, over_enough


def sentence(*contestants: Contestant, better: str = "higher") -> str:
    return headline_summary(place(contestants, better=better, unit="episode"), better=better)


def strategy(name: str, *sums: float) -> Contestant:
    return over_enough(name, *sums)._replace(unranked="no model decides")


def test_an_empty_board_says_nothing_and_one_system_leads_nothing():
    assert sentence() == ""
    assert sentence(over_enough("alone", 5, 5)) == "alone is the only ranked system."


def test_the_best_that_meets_all_requirements_is_named_and_any_that_scores_higher_without():
    honest, other, cheat = (
        over_enough("honest", 6, 5),
        over_enough("other", 1, 2),
        over_enough("cheat", 9, 10, gated=True),
    )
    assert sentence(honest, other, cheat) == (
        "honest is the best system that fails no requirement. cheat scores better but fails a requirement. "
        "1 of 3 fails a requirement."
    )
    assert sentence(honest, over_enough("cheat", 1, 1, gated=True)).startswith("honest leads, ")
    level = over_enough("level", 5, 6)
    assert sentence(honest, level, cheat, over_enough("thief", 10, 9, gated=True)) == (
        "honest and level are tied as the best systems that fail no requirement. "
        "cheat and thief score better but fail a requirement. 2 of 4 fail a requirement."
    )
    assert sentence(cheat) == "cheat is the only ranked system."


def test_what_is_not_above_guessing_is_not_named():
    places = place([over_enough("good", 2, 2), over_enough("poor", 1, 1)], guessing=0.5)
    assert headline_summary(places) == NONE_ABOVE
    places = place([over_enough("good", 9, 9), over_enough("poor", 1, 1)], guessing=0.5)
    assert headline_summary(places) == "good is the only system above guessing."


def test_a_board_of_self_reported_results_alone_says_that_these_are_not_ranked():
    assert sentence(over_enough("mine", 9, 9)._replace(unranked=SELF_REPORTED)) == ONLY_REPORTED


def test_a_system_ranked_apart_from_all_others_leads():
    good, poor = over_enough("good", 10, 9, 10, 9), over_enough("poor", 1, 0, 2, 1)
    assert sentence(good, poor) == "good leads, 83.3 to 86.7 points ahead of poor."


def test_where_lower_is_better_the_leader_is_below():
    good, poor = over_enough("good", 1, 0, 2, 1), over_enough("poor", 10, 9, 10, 9)
    message = sentence(good, poor, better="lower")
    assert message == "good leads (lower is better), 83.3 to 86.7 points ahead of poor."


def test_systems_that_can_still_be_the_best_are_named():
    assert sentence(over_enough("ada", 5, 6), over_enough("ben", 5, 6), over_enough("poor", 0, 1)) == (
        "ada and ben are tied for first."
    )


def test_of_more_than_three_two_are_named():
    message = sentence(*(over_enough(name, 5, 6, 5, 6) for name in "abcde"), over_enough("poor", 1, 0, 2, 1))
    assert message == "a, b and 3 more are tied for first."


def test_if_all_can_be_the_best_none_is_named():
    message = sentence(*(over_enough(name, 5, 6) for name in "abcde"))
    assert message == "All 5 ranked systems are tied for first."


@pytest.mark.parametrize("units", [1, 5, DIAGNOSTIC_BELOW - 1])
def test_over_few_units_no_leader_is_named(units):
    good, poor = contestant("good", *[10] * units), contestant("poor", *[1] * units)
    words = "1 episode is" if units == 1 else f"{units} episodes are"
    said = f"No ranks: {words} too few (ranks need at least 40). Read the figures with their intervals."
    assert sentence(good, poor) == said
    assert sentence(good) == said


def test_a_board_says_that_its_ranks_are_late_and_nothing_of_crossed_parts():
    board = [over_enough("ada", 5, 6), over_enough("ben", 1, 2)]
    summaries = [headline_summary(place(board, unranked=why)) for why in (COMPUTING, CROSSED)]
    assert summaries == [LATE, ""]


def test_a_board_of_systems_that_decide_nothing_says_that_no_model_was_ranked():
    assert sentence(strategy("state_based", 9, 8), strategy("no_memory", 1, 0)) == NO_MODEL
    with_model = sentence(strategy("state_based", 9, 8), over_enough("a model", 5, 5))
    assert with_model == "a model is the only ranked system."
    both = sentence(strategy("state_based", 10, 10), over_enough("good", 9, 8), over_enough("poor", 1, 0))
    assert both.startswith("good leads")
    assert "state_based" not in both


def test_the_score_of_the_first_stands_in_the_sentence():
    places = place([over_enough("good", 10, 9, 10, 9), over_enough("poor", 1, 0, 2, 1)])
    message = headline_summary(places, value_of=lambda placement: {"good": 0.95}[placement.key])
    assert message.startswith("good leads with 95.0%, ")
    tied = place([over_enough("ada", 5, 6), over_enough("ben", 5, 6)])
    assert headline_summary(tied, value_of=lambda placement: 0.55) == (
        "ada and ben are tied for first; the best score is 55.0%."
    )


def test_systems_that_are_not_above_guessing_are_counted():
    ends = {"good": (0.9, 1.0), "fair": (0.5, 0.7), "poor": (0.1, 0.3)}
    sums = {"good": (10, 9, 9), "fair": (6, 6, 5), "poor": (2, 1, 2)}
    places = place([over_enough(name, *sums[name])._replace(ends=ends[name]) for name in ends], guessing=0.3)
    assert headline_summary(places).endswith("points ahead of fair. 1 is not above guessing.")


def test_a_model_is_named_alone_where_no_other_system_is_of_it():
    places = place(
        [
            over_enough("Alder · whole", 9, 9),
            over_enough("Birch · BM25", 5, 5),
            over_enough("Birch · whole", 1, 1),
        ]
    )
    assert sorted(short_names(places).values()) == ["Alder", "Birch (BM25)", "Birch (whole)"]


def test_a_model_is_named_once_where_several_of_its_systems_are_tied():
    tied = place(
        [
            over_enough(name, 5, 6)
            for name in ("Alder · whole", "Alder · BM25", "Birch · whole", "Cedar · whole")
        ]
    )
    assert headline_summary(tied).startswith("All 4 ranked systems are tied")
    fewer = place([over_enough(name, 5, 6) for name in ("Alder · whole", "Alder · BM25", "Birch · whole")])
    assert headline_summary(fewer).startswith("Alder and Birch (3 systems) are tied for first")


@given(
    st.lists(st.lists(st.integers(0, 10), min_size=48, max_size=48), min_size=2, max_size=5),
    st.integers(1, 48),
)
@settings(max_examples=60, deadline=None)
def test_a_leader_is_named_exactly_if_its_range_is_the_first_rank_alone(sums, units):
    drawn = [contestant(name, *of[:units]) for name, of in zip("xyzvw", sums, strict=False)]
    places, message = place(drawn), sentence(*drawn)
    leads = places[0].rank is not None and places[0].high == 1
    assert (" leads" in message) == leads
    assert message.startswith("No ranks: ") == (units < DIAGNOSTIC_BELOW)
    assert leads or units < DIAGNOSTIC_BELOW or "tied for first" in message
