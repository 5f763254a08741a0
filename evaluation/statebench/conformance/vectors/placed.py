"""Vectors for active places: what makes one active, what it hides, and that its facts end when it is left."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.statebench.conformance.vectors.specified import Story
from evaluation.statebench.conformance.vectors.writing import enter, leave, say, supersede, timeline, write

_TASK, _OTHER = ("task", "T-7"), ("task", "T-8")
_WIDE, _NEAR, _LATER = "the ramp is closed", "the ramp is open", "the ramp is flooded"
_ASKED = "What about the ramp?"


def stories() -> Sequence[Story]:
    """Name, timeline and expectations of each."""
    return (*_activated(), *_chosen(), *_hidden(), *_left(), *_noted())


_wide = write("ramp", _WIDE, id="W-1")
_near = write("ramp", _NEAR, id="W-2", scope="task", scope_id="T-7")
_seen = {
    "context_contains": ["open", "task"],
    "context_not_contains": ["closed"],
    "current_value": {"ramp": _NEAR},
    "valid_facts": ["ramp"],
    "superseded_keys": [],
}
_unseen = {
    "context_contains": ["closed"],
    "context_not_contains": ["open"],
    "current_value": {"ramp": _WIDE},
}


def _activated() -> Sequence[Story]:
    """An event, a turn, the query's fields, its prompt; a write alone only of a place without an id."""
    tidied = say("Let us get going.") | {"scope": "task", "scope_id": "T-7"}
    return (
        ("places_entered", timeline(_wide, _near, enter(*_TASK), query=_ASKED), _seen),
        ("places_of_a_turn", timeline(_wide, _near, tidied, query=_ASKED), _seen),
        ("places_of_the_query", timeline(_wide, _near, query=_ASKED, asked_in=_TASK), _seen),
        (
            "places_named_by_the_query",
            timeline(_wide, _near, query="For task T-7, what about the ramp?"),
            _seen,
        ),
        ("places_named_in_another_case", timeline(_wide, _near, query="What about the ramp in t-7?"), _seen),
        ("places_only_written", timeline(_wide, _near, query=_ASKED), _unseen),
        (
            "places_named_in_part",
            timeline(_wide, _near, query="What about the ramp of T-77 and XT-7?"),
            _unseen,
        ),
        (
            "places_at_hand",
            timeline(_wide, write("ramp", _NEAR, scope="task"), query=_ASKED),
            _seen,
        ),
        (
            "places_drafted_are_never_active",
            timeline(
                _wide,
                write("ramp", _NEAR, scope="draft", scope_id="D-1"),
                enter("draft", "D-1"),
                query="What about the ramp in D-1?",
                asked_in=("draft", "D-1"),
            ),
            _unseen,
        ),
    )


def _chosen() -> Sequence[Story]:
    """At most one of a kind; what comes later, or is said of the query itself, wins."""
    other = write("ramp", _LATER, id="W-3", scope="task", scope_id="T-8")
    here = enter(*_TASK)
    return (
        (
            "places_suspended_by_another",
            timeline(_wide, _near, other, here, enter(*_OTHER), query=_ASKED),
            {"context_contains": ["flooded"], "context_not_contains": ["open", "closed"]},
        ),
        (
            "places_entered_again",
            timeline(_wide, _near, other, here, enter(*_OTHER), here, query=_ASKED),
            _seen | {"context_not_contains": ["flooded", "closed"]},
        ),
        (
            "places_at_hand_until_another_is_entered",
            timeline(_wide, write("ramp", _NEAR, scope="task"), other, enter(*_OTHER), query=_ASKED),
            {"context_contains": ["flooded"], "context_not_contains": ["open", "closed"]},
        ),
        (
            "places_of_the_query_before_those_entered",
            timeline(_wide, _near, other, enter(*_OTHER), query=_ASKED, asked_in=_TASK),
            _seen | {"context_not_contains": ["flooded", "closed"]},
        ),
        (
            "places_of_the_query_before_its_words",
            timeline(_wide, _near, other, query="What about the ramp, not in T-8?", asked_in=_TASK),
            _seen | {"context_not_contains": ["flooded", "closed"]},
        ),
    )


def _hidden() -> Sequence[Story]:
    """The narrower hides the wider, unless that has more authority."""
    session = write("ramp", _LATER, id="W-3", scope="session")
    project = write("ramp", "the ramp is frozen", id="W-4", scope="project", scope_id="P-1")
    lower = write("ramp", _NEAR, id="W-2", scope="task", scope_id="T-7", authority="peer")
    other_key = supersede("ramp_today", _NEAR, of="ramp", id="W-2", scope="task", scope_id="T-7")
    ruled = write("ramp", _WIDE, id="W-9", authority="policy", type="policy")
    everything = timeline(
        _wide, project, session, _near, enter("project", "P-1"), enter(*_TASK), query=_ASKED
    )
    everything_but_the_task = timeline(_wide, project, session, enter("project", "P-1"), query=_ASKED)
    return (
        (
            "places_narrow_before_wide",
            everything,
            _seen | {"context_not_contains": ["flooded", "frozen", "closed"]},
        ),
        (
            "places_session_before_project",
            everything_but_the_task,
            {"context_contains": ["flooded", "session"], "context_not_contains": ["frozen", "closed"]},
        ),
        (
            "places_hide_what_they_stand_for",
            timeline(_wide, other_key, enter(*_TASK), query=_ASKED),
            {"context_contains": ["open"], "context_not_contains": ["closed"]},
        ),
        (
            "places_overruled_by_authority",
            timeline(lower, enter(*_TASK), ruled, query=_ASKED),
            {
                "context_contains": ["closed"],
                "context_not_contains": ["open"],
                "current_value": {"ramp": _WIDE},
            },
        ),
    )


def _left() -> Sequence[Story]:
    """What is left has ended: it is no longer valid, is shown nowhere, and never comes back."""
    here = enter(*_TASK)
    ended = {"ended": {_NEAR: True, _WIDE: False}, "is_valid": {_NEAR: False, _WIDE: True}, **_unseen}
    gate = write("gate", "the gate is ajar", id="W-6", scope="task", scope_id="T-7")
    told = say("I had told everyone the gate is ajar.")
    anew = write("ramp", _LATER, id="W-5", scope="task", scope_id="T-7")
    pointed = supersede("ramp_today", _LATER, of="W-2", id="W-5", scope="task", scope_id="T-7")
    return (
        ("places_left", timeline(_wide, _near, here, leave(*_TASK), query=_ASKED), ended),
        (
            "places_left_and_named",
            timeline(_wide, _near, leave(*_TASK), query="What about the ramp in T-7?"),
            ended,
        ),
        ("places_left_and_entered", timeline(_wide, _near, leave(*_TASK), here, query=_ASKED), ended),
        (
            "places_left_and_restated",
            timeline(_wide, gate, here, leave(*_TASK), told, query="What about the ramp and the gate?"),
            {
                "ended": {"the gate is ajar": True},
                "context_contains": ["closed"],
                "context_not_contains": ["ajar"],
            },
        ),
        (
            "places_left_and_written_anew",
            timeline(_wide, _near, leave(*_TASK), anew, here, query=_ASKED),
            {
                "ended": {_NEAR: True, _LATER: False},
                "context_contains": ["flooded"],
                "context_not_contains": ["open", "closed"],
                "superseded_by": {},
                "current_value": {"ramp": _LATER},
            },
        ),
        (
            "places_left_and_pointed_at",
            timeline(_near, leave(*_TASK), pointed, here, query=_ASKED),
            {
                "ended": {_NEAR: True},
                "is_valid": {_NEAR: False, _LATER: True},
                "context_contains": ["flooded"],
                "context_not_contains": ["open"],
            },
        ),
        (
            "places_one_left_and_another_not",
            timeline(
                _wide,
                write("gate", "the gate is ajar", scope="task", scope_id="T-8"),
                _near,
                enter(*_OTHER),
                leave(*_TASK),
                query="What about the ramp and the gate?",
            ),
            ended | {"context_contains": ["closed", "ajar"]},
        ),
    )


def _noted() -> Sequence[Story]:
    """Notes of a place are shown while it is active."""
    note = write("ramp_note", "the ramp squeaks", layer="working_set", scope="task", scope_id="T-7")
    shown, gone = {"context_contains": ["squeaks"]}, {"context_not_contains": ["squeaks"]}
    return (
        ("places_note_of_an_active_one", timeline(_wide, note, enter(*_TASK), query=_ASKED), shown),
        ("places_note_of_another", timeline(_wide, note, enter(*_OTHER), query=_ASKED), gone),
        ("places_note_of_one_left", timeline(_wide, note, enter(*_TASK), leave(*_TASK), query=_ASKED), gone),
    )
