"""Converts our timelines to the format of a release.

In some fields, a release accepts only certain words. Content without a counterpart is dropped or replaced by the
nearest word, and counted. Required fields that a public timeline lacks are filled with `WITHHELD`. No response contains
this text, so the releases' judges grade every answer as wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from evaluation.statebench.interchange import facts
from evaluation.statebench.interchange import release as words
from evaluation.statebench.interchange.changes import Changes, moment
from evaluation.statebench.interchange.release import Release
from evaluation.statebench.records import ConversationTurn, Event, Query, StateWrite, Timeline

#: Decision of a query whose answer is withheld, and template of a timeline whose track is withheld.
WITHHELD = "[withheld: statebench-site]"
#: Separates track and template of a timeline with another track in the release.
WITHIN = "/"
_TIMELINE = (
    "id",
    "version",
    "domain",
    "track",
    "difficulty",
    "detection_mode",
    "actors",
    "initial_state",
    "events",
    "metadata",
    "canary",  # unknown to the releases but accepted; keeps copies recognisable
)
_IDENTITY = ("user_name", "authority", "department", "organization", "communication_style")
_METADATA = ("template_id", "generated_at", "seed", "adversarial_techniques", "generator_version")


def to_release(timeline: Timeline, release: Release, changes: Changes) -> dict[str, object]:
    """Convert a timeline to the format of a release. Raises RowError for a time that is not ISO."""
    row = changes.only(timeline, _TIMELINE, "a timeline")
    row["version"] = changes.text(timeline.get("version"), "version of a timeline", "1.0")
    row["actors"] = _actors(timeline, changes)
    row["initial_state"] = _initial_state(timeline, changes)
    row["events"] = [
        shaped for event in timeline["events"] if (shaped := _event(event, release, changes)) is not None
    ]
    metadata = _metadata(timeline, release, changes)
    return row | _labels(timeline, release, changes) | ({"metadata": metadata} if metadata else {})


def _labels(timeline: Timeline, release: Release, changes: Changes) -> dict[str, str]:
    told: dict[str, tuple[Collection[str], Callable[[str], str] | str]] = {
        "track": (release.tracks, release.track),
        "domain": (words.DOMAINS, "project"),
        "difficulty": (words.DIFFICULTIES, "medium"),
    }
    labels = {}
    for name, (known, otherwise) in told.items():
        value = timeline.get(name)
        if value is None:
            changes.filled[f"{name} of a timeline"] += 1
        labels[name] = changes.word(value, known, name, otherwise)
    if "detection_mode" in timeline:
        mode = timeline["detection_mode"]
        labels["detection_mode"] = changes.word(mode, words.DETECTION_MODES, "detection_mode", "explicit")
    return labels


def _metadata(timeline: Timeline, release: Release, changes: Changes) -> dict[str, object] | None:
    """Convert metadata. `template_id` records the original track, and that labels are withheld."""
    data, track = timeline.get("metadata") or {}, timeline.get("track")
    template = data.get("template_id")
    mapped = track is not None and release.track(track) != track
    if not data and track is not None and not mapped:
        return None
    shaped = changes.only(data, _METADATA, "metadata")
    if track is None:
        template = WITHHELD
    elif mapped:
        template = f"{track}{WITHIN}{template}" if template and template != track else track
    lacking = {"template_id": template or track, "generated_at": _start(timeline), "seed": 0}
    changes.filled.update(f"{name} of metadata" for name in lacking if shaped.get(name) is None)
    return {
        **lacking,
        **{name: value for name, value in shaped.items() if value is not None},
        "template_id": lacking["template_id"],
    }


def _start(timeline: Timeline) -> str:
    """Return the time of the first event. Scope changes are skipped, because the releases do not have them."""
    first = next(event for event in timeline["events"] if event["type"] != "scope")
    return moment(first["ts"], f"the first event of {timeline['id']!r}")


def _actors(timeline: Timeline, changes: Changes) -> dict[str, Any]:
    identity = timeline["initial_state"]["identity_role"]
    actors = timeline.get("actors") or {}
    shaped = changes.only(actors, ("user", "assistant_role"), "actors")
    user = actors.get("user") or {}
    lacking = {"id": "u1", "role": identity.get("authority"), "org": identity.get("organization")}
    filled = {
        name: changes.text(user.get(name, instead), f"{name} of the user", "unknown")
        for name, instead in lacking.items()
    }
    return {**shaped, "user": changes.only(user, tuple(lacking), "the user") | filled}


def _initial_state(timeline: Timeline, changes: Changes) -> dict[str, Any]:
    state = timeline["initial_state"]
    layers = ("identity_role", "persistent_facts", "working_set", "environment")
    shaped = changes.only(state, layers, "the initial state")
    identity = changes.only(state["identity_role"], _IDENTITY, "the identity")
    for name in ("user_name", "authority"):
        identity[name] = changes.text(identity.get(name), f"{name} of the identity", "unknown")
    environment = {
        name: changes.text(value, "a value of the environment")
        for name, value in state["environment"].items()
    }
    return shaped | {
        "identity_role": identity,
        "persistent_facts": [facts.fact(item, changes) for item in state["persistent_facts"]],
        "working_set": [facts.note(item, changes) for item in state["working_set"]],
        "environment": environment,
    }


def _event(event: Event, release: Release, changes: Changes) -> dict[str, Any] | None:
    match event["type"]:
        case "conversation_turn":
            return _turn(event, changes)
        case "state_write" | "supersession":
            return _written(event, changes)
        case "query":
            return _query(event, release, changes)
        case kind:
            changes.lost[f"an event of type {kind!r}"] += 1
            return None


def _turn(event: ConversationTurn, changes: Changes) -> dict[str, object]:
    names = ("type", "ts", "speaker", "text", "implicit_supersession")
    shaped = changes.only(event, names, "a turn") | {"ts": moment(event["ts"], "a turn")}
    shaped["speaker"] = changes.word(event["speaker"], words.SPEAKERS, "speaker", "user")
    if label := event.get("implicit_supersession"):
        kept = changes.only(label, ("detection_cue", "supersedes_fact_id", "difficulty"), "a label")
        kept["difficulty"] = changes.word(
            label.get("difficulty"),
            words.CUE_DIFFICULTIES,
            "difficulty of a label",
            lambda difficulty: "obvious" if difficulty == "easy" else "subtle",
        )
        shaped["implicit_supersession"] = kept
    return shaped


def _written(event: StateWrite, changes: Changes) -> dict[str, object] | None:
    writes = [shaped for item in event["writes"] if (shaped := facts.write(item, changes)) is not None]
    if not writes and event["writes"]:
        return None
    shaped = changes.only(event, ("type", "ts", "writes"), "a write event")
    return shaped | {"ts": moment(event["ts"], "a write event"), "writes": writes}


def _query(event: Query, release: Release, changes: Changes) -> dict[str, object]:
    shaped = changes.only(event, ("type", "ts", "prompt", "ground_truth"), "a query")
    shaped["ts"] = moment(event["ts"], "a query")
    if (truth := event.get("ground_truth")) is None:
        changes.filled["ground_truth of a query"] += 1
        truth = {
            "decision": WITHHELD,
            "decision_type": "freeform",
            "must_mention": [],
            "must_not_mention": [],
        }
    return shaped | {"ground_truth": facts.truth(truth, release, changes)}
