"""Vectors for what is only said: the plain sentences, the specification's own tests and examples as turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.statebench.conformance.model.speech import SENTENCES
from evaluation.statebench.conformance.vectors.specified import Story
from evaluation.statebench.conformance.vectors.writing import Event, enter, fact, say, timeline, write

_OLD, _NEW = "hazel", "walnut"
_ASKED = "What is the front door?"
_STATED = say("The front door is hazel.")


def stories() -> Sequence[Story]:
    """Name, timeline and expectations of each."""
    return (*_said(), *_not_said(), *_with_writes(), *_in_places(), *_tests(), *_examples())


def _said() -> Sequence[Story]:
    """S1 to S3."""
    one = {"context_contains": [_OLD], "superseded_keys": [], "is_current": {"front_door": True}}
    changed = {
        "context_contains": [_NEW],
        "context_not_contains": [_OLD],
        "superseded_by": {"front_door": "front_door"},
        "source": {"front_door": {"type": "conversation", "turn_index": 1}},
    }
    return (
        (
            "spoken_statement",
            timeline(_STATED, query=_ASKED),
            one
            | {
                "valid_facts": ["front_door"],
                "source": {"front_door": {"type": "conversation", "turn_index": 0}},
            },
        ),
        ("spoken_statement_again", timeline(_STATED, _STATED, query=_ASKED), one),
        (
            "spoken_statement_is_no_change",
            timeline(_STATED, say("The front door is walnut."), query=_ASKED),
            one | {"valid_facts": ["front_door"]},
        ),
        ("spoken_change", timeline(_STATED, say("The front door is now walnut."), query=_ASKED), changed),
        (
            "spoken_change_from_and_to",
            timeline(_STATED, say("The front door changed from hazel to walnut."), query=_ASKED),
            changed,
        ),
        (
            "spoken_change_of_nothing",
            timeline(say("The front door is now hazel."), query=_ASKED),
            one | {"valid_facts": ["front_door"]},
        ),
        (
            "spoken_latest_mention",
            timeline(
                _STATED,
                say("The front door is now walnut."),
                say("I had told everyone the front door is hazel."),
                query=_ASKED,
            ),
            changed,
        ),
    )


def _not_said() -> Sequence[Story]:
    """N1 to N5: where nothing holds, and where something does."""
    names = {"N1": "question", "N2": "supposition", "N3": "wish", "N4": "hearsay", "N5": "suggestion"}
    stories: list[Story] = []
    for form, name in names.items():
        turn = say(SENTENCES[form][0].format(key="front door", value=_NEW))
        nothing = {"is_current": {"front_door": False}, "current_value": {"front_door": None}}
        kept = {"superseded_keys": [], "context_contains": [_OLD], "valid_facts": ["front_door"]}
        stories.append((f"spoken_{name}_is_no_fact", timeline(turn, query=_ASKED), nothing))
        stories.append((f"spoken_{name}_changes_nothing", timeline(_STATED, turn, query=_ASKED), kept))
    return stories


def _with_writes() -> Sequence[Story]:
    """A key that is written and one that is spoken are the same; a draft is no slot; authority counts."""
    held = fact("front_door", _OLD)
    now = say("The front door is now walnut.")
    ruled = fact("maximum_discount", "15%", type="policy", authority="CFO")
    replaced = {"context_contains": [_NEW], "context_not_contains": [_OLD], "is_valid": {_OLD: False}}
    return (
        ("spoken_over_a_write", timeline(now, facts=(held,), query=_ASKED), replaced),
        (
            "spoken_before_a_write",
            timeline(_STATED, write("front_door", _NEW, authority="manager"), query=_ASKED),
            {"context_contains": [_NEW], "context_not_contains": [_OLD], "is_valid": {_NEW: True}},
        ),
        (
            "spoken_beside_a_draft",
            timeline(write("front_door", _NEW, scope="draft"), _STATED, query=_ASKED),
            {
                "context_contains": [_OLD],
                "context_not_contains": [_NEW],
                "valid_facts": ["front_door"],
                "superseded_keys": [],
            },
        ),
        (
            "spoken_authority_lower",
            timeline(
                say("The maximum discount is now 25%."),
                facts=(ruled,),
                reader="intern",
                query="What is the maximum discount?",
            ),
            {"context_contains": ["15%"], "superseded_keys": []},
        ),
        (
            "spoken_authority_equal",
            timeline(
                say("The maximum discount is now 25%."),
                facts=(ruled,),
                reader="CFO",
                query="What is the maximum discount?",
            ),
            {"context_contains": ["25%"], "context_not_contains": ["15%"]},
        ),
    )


def _in_places() -> Sequence[Story]:
    """A turn speaks of the active place that has the fact, else of what holds globally."""
    wide = write("front_door", _OLD, id="W-1")
    near = write("front_door", "beech", id="W-2", scope="task", scope_id="T-7")
    now = say("The front door is now walnut.")
    there = {"scope": "task", "scope_id": "T-7"}
    elsewhere = {
        "is_valid": {_OLD: True, "beech": False},
        "context_contains": [_OLD],
        "context_not_contains": [_NEW, "beech"],
    }
    lasting: dict[str, Any] = {"is_valid": {_OLD: False, "beech": True}, "context_contains": [_NEW]}
    back = enter("task", "T-8")
    return (
        ("spoken_in_a_task", timeline(wide, near, enter("task", "T-7"), now, back, query=_ASKED), elsewhere),
        ("spoken_of_a_task", timeline(wide, near, now | there, back, query=_ASKED), elsewhere),
        ("spoken_outside_of_a_task", timeline(wide, near, now, query=_ASKED), lasting),
        (
            "spoken_globally_in_a_task",
            timeline(enter("task", "T-7"), _STATED, back, query=_ASKED),
            {"context_contains": [_OLD], "valid_facts": ["front_door"]},
        ),
        (
            "spoken_for_a_task_only",
            timeline(_STATED | there, back, query=_ASKED),
            {"context_not_contains": [_OLD], "is_current": {"front_door": False}},
        ),
    )


def _tests() -> Sequence[Story]:
    """The specification's three tests, spoken."""
    approved = say("The shipment status is approved.")
    cancelled = say("The shipment status is now cancelled.")
    asked = "What is the shipment status?"
    live = {"context_contains": ["cancelled"], "context_not_contains": ["approved"]}
    capped = say("The discount cap is 15%.")
    return (
        ("spoken_test_supersession", timeline(approved, cancelled, query=asked), live),
        ("spoken_test_repetition", timeline(approved, approved, approved, cancelled, query=asked), live),
        (
            "spoken_test_authority",
            timeline(
                capped,
                say("An intern told me the discount cap is 25%."),
                reader="CFO",
                query="What is the discount cap?",
            ),
            {"context_contains": ["15%"], "superseded_keys": [], "valid_facts": ["discount_cap"]},
        ),
    )


def _examples() -> Sequence[Story]:
    """The four kinds of detection, spoken: an address, a meeting, a discount, a stock price."""

    def story(name: str, *said: str, query: str, live: str, dead: str) -> Story:
        turns: list[Event] = [say(text) for text in said]
        return (
            f"spoken_{name}",
            timeline(*turns, query=query),
            {"context_contains": [live], "context_not_contains": [dead]},
        )

    return (
        story(
            "explicit_rule",
            "The office is at 7 Quay Street.",
            "The office has moved to 12 Mill Lane.",
            query="Where is the office?",
            live="12 Mill Lane",
            dead="7 Quay Street",
        ),
        story(
            "implicit_rule",
            "The meeting is on Friday at 6pm.",
            "The meeting is on Sunday at 5pm.",
            query="When is the meeting?",
            live="Sunday at 5pm",
            dead="Friday",
        ),
        story(
            "temporal_rule",
            "The stock price is $150.",
            "The stock price is $155.",
            query="What is the stock price?",
            live="$155",
            dead="$150",
        ),
    )
