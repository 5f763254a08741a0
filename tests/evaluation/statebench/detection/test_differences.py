"""Differences: the resulting quantity, in the form of the earlier one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statebench.context.replay import replay
from evaluation.statebench.detection.differences import differences
from tests.evaluation.statebench.writing import fact, say, timeline


def current(turn: str, **facts: str) -> dict[str, str]:
    story = timeline(say(turn), facts=[fact(key, value) for key, value in facts.items()], query="?")
    return {one.key: one.text for one in replay(story).store.read_valid()}


@pytest.mark.parametrize(
    ("key", "old", "turn", "new"),
    [
        ("price", "$200", "The price was raised by 10%.", "$220"),
        ("price", "$1,200.50", "It went up by 10%.", "$1,320.55"),
        ("budget", "$300k", "The budget was cut by $50k.", "$250k"),
        ("discount", "10%", "The discount was cut by 2 percentage points.", "8%"),
        ("discount", "10%", "The discount was doubled.", "20%"),
        ("headcount", "8 people", "Headcount went up by two.", "10 people"),
        ("team", "The team has 8 people.", "Two people left the team.", "The team has 6 people."),
        ("chairs", "12", "Two more chairs came.", "14"),
        ("chairs", "twelve chairs", "We took two out, so it is ten now.", "10 chairs"),
    ],
)
def test_the_quantity_that_follows_is_the_new_value(key: str, old: str, turn: str, new: str) -> None:
    assert current(turn, **{key: old}) == {key: new}


@pytest.mark.parametrize(
    ("turn", "facts"),
    [
        ("The price should be raised by 10%.", {"price": "$200"}),
        ("Was the price raised by 10%?", {"price": "$200"}),
        ("Sales were up by 10%.", {"price": "$200"}),
        ("Two more chairs came.", {"tables": "12"}),
        ("Two more came.", {"tables": "12", "chairs": "10"}),
        ("The crew shrank by nine.", {"crew": "8 people"}),
        ("The headcount rose by 10%.", {"headcount": "8 people"}),
        ("The price was raised by 10%.", {"price": "$20 to $30"}),
    ],
)
def test_where_it_is_open_what_changed_or_to_what_nothing_does(turn: str, facts: dict[str, str]) -> None:
    assert current(turn, **facts) == facts


@given(st.integers(1, 9_000), st.integers(1, 900))
def test_more_and_fewer_are_added_and_taken_away(held: int, by: int) -> None:
    assert current(f"The stock went up by {by}.", stock=str(held)) == {"stock": str(held + by)}
    assert current(f"The stock was cut by {by}.", stock=str(held)) == {
        "stock": str(held - by if by <= held else held)
    }


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    assert isinstance(differences(f"It was raised by {text}"), tuple)
