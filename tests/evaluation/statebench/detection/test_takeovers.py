"""Takeovers: what a speaker moved to, and the slot that this fills."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.statebench.context.replay import replay
from evaluation.statebench.detection.takeovers import takeovers
from tests.evaluation.statebench.writing import fact, say, timeline

NAMES = st.sampled_from(
    "Main Oak Pine Cedar Elm Mill Harbour Quay Castle Station Church Victoria Green".split()
)
STREETS = st.builds(
    "{} {} {}".format, st.integers(1, 999), NAMES, st.sampled_from(("St", "Ave", "Road", "Lane", "Close"))
)


def current(turns: list[str], facts: dict[str, str] | None = None) -> dict[str, str]:
    """The present facts after some turns, by key."""
    given_facts = [fact(key, value) for key, value in (facts or {}).items()]
    state = replay(timeline(*map(say, turns), facts=given_facts, query="?"))
    return {one.key: one.text for one in state.store.read_valid()}


@pytest.mark.parametrize(
    ("key", "old", "turn", "new"),
    [
        ("address", "12 Oak St", "I moved to 99 Pine Ave", "99 Pine Ave"),
        ("address", "12 Oak St", "We've just moved to 99 Pine Ave last week.", "99 Pine Ave"),
        ("phone", "555-1234", "My number changed to 555-9876", "555-9876"),
        ("phone", "555-1234", "Call me on 555-9876 from now on.", "555-9876"),
        ("contact_email", "a@b.org", "My email changed to c@d.org", "c@d.org"),
        ("doctor", "Dr Smith", "I changed to Dr Jones", "Dr Jones"),
        ("plan", "Basic", "I upgraded to Premium.", "Premium"),
        ("team", "Falcons", "I moved to the Eagles", "the Eagles"),
        ("employer", "Acme", "I left Acme and joined Globex.", "Globex"),
        ("flight", "BA123", "I was rebooked on LH456.", "LH456"),
        ("seat", "12A", "I was moved to 14C", "14C"),
        ("shirt_size", "M", "I went up to L", "L"),
        ("insurer", "Aetna", "We changed to Cigna in March.", "Cigna"),
    ],
)
def test_the_new_value_is_kept_as_it_was_spoken(key: str, old: str, turn: str, new: str) -> None:
    assert current([turn], {key: old}) == {key: new}


@pytest.mark.parametrize(
    "turn",
    [
        "If I moved to 99 Pine Ave, we'd save.",
        "I want to move to 99 Pine Ave.",
        "Should we have moved to 99 Pine Ave?",
        "We moved to a new way of working.",
        "I changed to Dr Jones",
        "I switched to Tuesday.",
        "Somebody told me I was moved to 99 Pine Ave.",
    ],
)
def test_what_is_wished_asked_or_of_another_kind_changes_no_address(turn: str) -> None:
    assert current([turn], {"address": "12 Oak St"})["address"] == "12 Oak St"


def test_of_several_that_fit_only_the_one_at_hand_is_meant() -> None:
    facts = {"dentist": "Dr Wu", "doctor": "Dr Smith"}
    assert current(["I changed to Dr Jones"], facts) == {"dentist": "Dr Wu", "doctor": "Dr Jones"}
    facts["city"] = "Paris"
    assert current(["I changed to Dr Jones"], facts) == facts


def test_the_same_value_again_is_no_takeover() -> None:
    state = replay(timeline(say("I moved to 12 Oak St."), facts=[fact("address", "12 Oak St")], query="?"))
    assert not state.detections


@given(STREETS, STREETS)
def test_no_address_is_pieced_together_of_two(old: str, new: str) -> None:
    held = current([f"My address is {old}", f"I moved to {new}"])
    assert held["address"] in (old, new)
    assert held["address"] == new or {*new.split()} <= {*old.split()}


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    for one in takeovers(f"I moved to {text}"):
        assert one.value in text
