"""Vectors for scopes: what is drafted, supposed, or said for one task, session or project changes nothing elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.statebench.conformance.vectors.specified import Story
from evaluation.statebench.conformance.vectors.writing import fact, say, supersede, timeline, write


def stories() -> Sequence[Story]:
    """Name, timeline and expectations of each."""
    return (*_unreal(), *_never_true(), *_other_layers(), *_narrow(), *_names())


def _unreal() -> Sequence[Story]:
    """A draft or a supposition of the same key stands between a fact and the write that replaces it."""
    permit, refused, revoked = "the permit is granted", "the permit is postponed", "the permit is revoked"
    drafted = write("permit", refused, scope="draft", id="W-2")
    supposed = write("permit", refused, scope="hypothetical", id="W-2")
    granted = write("permit", permit, id="W-1")
    asked = "What about the permit?"
    gone = {
        "is_valid": {permit: False, revoked: True},
        "context_contains": ["revoked"],
        "context_not_contains": ["granted", "postponed"],
    }
    known = {"current_value": {"permit": revoked, "W-1": revoked}, "superseded_by": {"permit": "permit"}}
    pointed = supersede("permit", revoked, of="permit", id="W-3")
    return (
        ("scoped_draft_before_a_pointer", timeline(granted, drafted, pointed, query=asked), gone | known),
        (
            "scoped_hypothetical_before_a_pointer",
            timeline(granted, supposed, pointed, query=asked),
            gone | known,
        ),
        (
            "scoped_draft_before_a_second_write",
            timeline(granted, drafted, write("permit", revoked, id="W-3"), query=asked),
            gone,
        ),
        (
            "scoped_hypothetical_points_at_a_fact",
            timeline(
                granted,
                supersede("permit_v2", refused, of="W-1", scope="hypothetical", id="W-2"),
                supersede("permit_v3", "the permit is mislaid", of="permit", scope="draft", id="W-3"),
                query=asked,
            ),
            {
                "superseded_keys": [],
                "is_valid": {permit: True},
                "context_contains": ["granted"],
                "context_not_contains": ["postponed", "mislaid"],
                "current_value": {"permit": permit},
                "is_current": {"permit": True},
            },
        ),
    )


def _never_true() -> Sequence[Story]:
    """What is drafted or supposed is current for nobody, is replaced by its like only, and puts nothing in doubt."""
    sketch, revised = "the mural shows herons", "the mural shows otters"
    based = timeline(
        write("crew", "nine rowers sit in the boat", id="W-1"),
        write("oars", "nine oars lie in the boat", id="W-2", depends_on=["W-1"]),
        supersede("crew", "six rowers sit in the boat", of="crew", scope="draft", id="W-3"),
        query="What lies in the boat?",
    )
    restated = timeline(
        write("raft", "the raft is seaworthy"),
        supersede("raft_v2", "the raft is leaking", of="raft"),
        write("raft", "the raft is seaworthy", scope="draft"),
        write("anchor", "the anchor weighs 45 kg", scope="hypothetical"),
        say("Somebody noted that the raft is seaworthy."),
        say("It says on a slip: the anchor weighs 45 kg."),
        query="What about the raft and its anchor?",
    )
    return (
        (
            "scoped_draft_is_never_current",
            timeline(
                write("wall", "the wall is bare"),
                write("mural", sketch, scope="draft"),
                write("frame", "the frame is gilded", scope="hypothetical"),
                query="What is on the wall?",
            ),
            {
                "current_value": {"mural": None, "frame": None, "wall": "the wall is bare"},
                "is_current": {"mural": False, "frame": False, "wall": True},
                "valid_facts": ["wall"],
                "context_not_contains": ["herons", "gilded"],
            },
        ),
        (
            "scoped_draft_replaces_a_draft",
            timeline(
                write("mural", sketch, scope="draft"),
                supersede("mural", revised, of="mural", scope="draft"),
                query="What does the mural show?",
            ),
            {"is_valid": {sketch: False, revised: True}, "context_not_contains": ["herons", "otters"]},
        ),
        (
            "scoped_draft_leaves_dependents_firm",
            based,
            {"firm_keys": ["oars"], "superseded_keys": []},
        ),
        (
            "scoped_draft_restated",
            restated,
            {"context_contains": ["leaking"], "context_not_contains": ["seaworthy", "45 kg"]},
        ),
        (
            "scoped_draft_beside_a_turn",
            timeline(
                write("fare", "The fare is $25", scope="draft"),
                say("The fare is now $30."),
                facts=(fact("fare", "The fare is $20"),),
                query="What is the fare?",
            ),
            {
                "is_valid": {"The fare is $20": False},
                "context_contains": ["$30"],
                "context_not_contains": ["$20", "$25"],
            },
        ),
    )


def _other_layers() -> Sequence[Story]:
    """A note and a signal have scopes, too."""
    return (
        (
            "scoped_hypothetical_note",
            timeline(
                write("idea", "serve plum cake to all guests", layer="working_set", scope="hypothetical"),
                write("menu", "serve rye bread to all guests", layer="working_set"),
                query="What do guests get?",
            ),
            {"context_contains": ["rye bread"], "context_not_contains": ["plum cake"]},
        ),
        (
            "scoped_hypothetical_signal",
            timeline(
                write("gate", "gate open until six", layer="environment"),
                write("gate", "gate walled up", layer="environment", scope="hypothetical"),
                query="Is the gate open?",
            ),
            {"context_contains": ["open until six"], "context_not_contains": ["walled up"]},
        ),
    )


def _narrow() -> Sequence[Story]:
    """Facts of a task, a session or a project stand between, point outside, and are pointed at from outside."""
    here, there, later = "the desk is oak", "the desk is glass", "the desk is steel"
    kept = write("desk", here, id="W-1")
    task, other = {"scope": "task", "scope_id": "T-1"}, {"scope": "task", "scope_id": "T-2"}
    asked = "What is the desk made of?"
    gone = {
        "is_valid": {here: False, there: True, later: True},
        "context_contains": ["steel"],
        "context_not_contains": ["oak"],
    }
    known = {"current_value": {"desk": later}}
    unchanged = {
        "superseded_keys": [],
        "is_valid": {here: True, there: True},
        "current_value": {"desk": here},
    }
    return (
        (
            "scoped_task_before_a_pointer",
            timeline(
                kept,
                write("desk", there, id="W-2", **task),
                supersede("desk", later, of="desk", id="W-3"),
                query=asked,
            ),
            gone | known,
        ),
        (
            "scoped_session_before_a_second_write",
            timeline(
                kept,
                write("desk", there, id="W-2", scope="session", scope_id="S-1"),
                write("desk", later, id="W-3"),
                query=asked,
            ),
            gone | known,
        ),
        (
            "scoped_task_points_at_a_fact",
            timeline(kept, supersede("desk", there, of="W-1", id="W-2", **task), query=asked),
            unchanged,
        ),
        (
            "scoped_project_is_not_reached_from_outside",
            timeline(
                write("desk", there, id="W-1", scope="project", scope_id="P-1"),
                supersede("desk_v2", here, of="W-1", id="W-2"),
                query=asked,
            ),
            {"superseded_keys": [], "is_valid": {here: True, there: True}, "context_contains": ["oak"]},
        ),
        (
            "scoped_task_leaves_another_task_alone",
            timeline(
                kept,
                write("desk", there, id="W-2", **task),
                write("desk", later, id="W-3", **other),
                supersede("desk", "the desk is cork", of="desk", id="W-4", **task),
                query=asked,
            ),
            {
                "is_valid": {here: True, there: False, later: True, "the desk is cork": True},
                "current_value": {"desk": here},
            },
        ),
    )


def _names() -> Sequence[Story]:
    """Ids that collide, with each other or with a key, lead a second write of a key to no other fact."""
    old, new, beside = "the kiosk sells figs", "the kiosk sells dates", "the pump is painted red"
    kept = {
        "is_valid": {old: False, new: True, beside: True},
        "context_contains": ["dates", "painted red"],
        "context_not_contains": ["figs"],
    }
    asked = "What about the kiosk and the pump?"
    return (
        (
            "id_collision_before_a_second_write",
            timeline(write("kiosk", old), write("pump", beside), write("kiosk", new), query=asked),
            kept,
        ),
        (
            "id_collision_with_a_key",
            timeline(
                write("kiosk", old, id="W-1"),
                write("pump", beside, id="kiosk"),
                write("kiosk", new, id="W-3"),
                query=asked,
            ),
            kept,
        ),
    )
