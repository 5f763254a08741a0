"""The kind of thing in a slot, and the values that a turn offers in its place."""

from __future__ import annotations

import pytest

from evaluation.statebench.detection.learned.kinds import offer, opposed, sides, slot_kind
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.facts.authority import Level


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("curtain_up", "7.30 pm", "clock"),
        ("anaesthetist", "Dr Okafor", "person"),
        ("paint_colour", "navy", "colour"),
        ("container_port", "Felixstowe", "place"),
        ("tide_gate", "shut", "state"),
        ("sourdough_price", "£4.20", "money"),
        ("soup_of_the_day", "leek and potato", "thing"),
    ],
)
def test_key_and_value_say_what_is_held(key: str, value: str, kind: str):
    assert slot_kind(Slot("F-1", key, value, Level.EMPLOYEE, 0)).name == kind


def test_states_that_exclude_each_other_are_opposed():
    held = sides("shut")
    assert opposed(held, sides("the lads opened it at noon")) == "opposite"
    assert opposed(held, sides("closed tight")) == "same"
    assert opposed(held, sides("it is flooded")) == "other"
    assert opposed(held, sides("lovely day")) == "none"


def test_a_part_offers_places_people_and_oneself():
    assert "orchard" in offer("I walked them over to the orchard.").places
    assert offer("So her brother does the walks.").kin
    assert offer("I'll host.").me
    assert not offer("He hosts.").me
