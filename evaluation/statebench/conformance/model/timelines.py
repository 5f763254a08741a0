"""Timelines from a seed, with scopes, pointers, authority, dependencies, plain sentences, notes, signals and queries.

Values are made-up words from the seed. Each word identifies its write, and none can be learned in advance. Events
whose effect the specification does not define (`Model.open`) are removed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from evaluation.statebench.conformance.model.facts import RESTRICTED, SENTENCES, is_narrow, words_of
from evaluation.statebench.conformance.model.state import INITIAL, Model

Row = dict[str, Any]
Event = dict[str, Any]

_START = datetime(2026, 1, 5, 9, 0)
_STEP = timedelta(minutes=3)
_STRETCH = 60 * 24  # turns minutes into days, for timelines that span months
_PARAPHRASES = (
    "Bring me up to speed.",
    "Which particulars matter here?",
    "Summarize where everything stands.",
)

_KEYS = (
    "office_address", "contact_person", "wall_color", "door_code", "main_dish", "front_wheel", "parking_spot",
    "boat_name", "team_motto", "garden_tool", "paper_size", "status",
)  # fmt: skip
_EACH = (2, 3, 4)  # keys per timeline: few, so that facts collide
_PLACES = (
    *[("global", None)] * 6, ("global", "T-1"), ("draft", None), ("hypothetical", None), ("hypothetical", "H-1"),
    ("task", "T-1"), ("task", "T-1"), ("task", "T-2"), ("session", None), ("project", "P-1"), ("project", "P-2"),
    ("sandbox", None),
)  # fmt: skip
# Places of one timeline: few, chosen so that some hide others.
_MEETING = (
    (("task", "T-1"), ("session", None), ("project", "P-1")),
    (("session", None), ("project", "P-1")),
    (("task", "T-1"), ("task", "T-2")),
    (("task", "T-1"),),
    (("sandbox", None), ("task", "T-1"), ("hypothetical", "H-1")),
    (("project", "P-1"), ("project", "P-2"), ("draft", None)),
    (("session", None), ("hypothetical", None), ("global", "T-1")),
)  # fmt: skip
_NARROW = [place for place in dict.fromkeys(_PLACES) if is_narrow(place) and place[0] != "global"]
_AUTHORITIES = ("peer", "peer", "peer", "manager", "policy", "intern")
_READERS = ("Manager", "Manager", "Engineer", "CFO", "intern")
_KINDS = {"write": 10, "speak": 6, "move": 5, "restate": 3, "note": 2, "signal": 1}
_RESTATED = (
    "Somebody wrote {} on the board.",
    "{}",
    "I came across {} and then {}.",
    "Robin mumbled {} to me.",
)
_SYLLABLES = (
    "bra",
    "quo",
    "zim",
    "tel",
    "vor",
    "nup",
    "kes",
    "lod",
    "fri",
    "gam",
    "wex",
    "hul",
    "dop",
    "mir",
)
_LETTERS = str.maketrans("0123456789", "abcdefghij")


def timeline_of(seed: int, number: int) -> Row:
    """Timeline `number` (from 0) of a seed, without ground truth. Deterministic."""
    return _settled(_Story(seed, number).row())


def _settled(row: Row) -> Row:
    """Remove all events whose effect is not defined (`Model.open`), except the last query."""
    while row["events"]:
        queries = sum(event["type"] == "query" for event in row["events"])
        open_events = {n for query in range(queries) for n in Model(row, query).open}
        if not open_events:
            break
        if INITIAL in open_events:
            row["initial_state"]["persistent_facts"].pop()
        last = len(row["events"]) - 1
        if last in open_events:  # the last query must stay, so it asks a neutral question
            row["events"][last] = {
                "type": "query",
                "prompt": "What is known?",
                "ts": row["events"][last]["ts"],
            }
        dropped = {min(open_events - {last, INITIAL}, default=INITIAL)}
        row["events"] = [event for n, event in enumerate(row["events"]) if n not in dropped]
    return row


class _Story:
    def __init__(self, seed: int, number: int) -> None:
        self.draw = Random(f"{seed}/{number}")
        self.name = f"GENERATED-{seed}-{number}"
        self.keys = self.draw.sample(_KEYS, self.draw.choice(_EACH))
        self.values: list[str] = []  # may be restated
        self.words = 0
        self.ids: list[str] = []
        self.last: dict[str, str] = {}  # key -> value written last
        self.builds = self.draw.random() < 0.25  # each fact rests on the one before
        self.emptied: tuple[str, str | None] | None = None  # the place left last
        meeting = self.draw.choice((*_MEETING, _PLACES[6:]))
        self.places = [*[_PLACES[0]] * max(2, len(meeting) // 2), *meeting]

    def row(self) -> Row:
        draw = self.draw
        given = [self._given(key) for key in self.keys[: draw.randrange(4)]]
        kinds = draw.choices(list(_KINDS), list(_KINDS.values()), k=draw.randrange(4, 22))
        events = [getattr(self, f"_{kind}")() for kind in kinds]
        notes = [self._note_text()] if draw.random() < 0.3 else []
        row = timeline(
            *events, facts=given, notes=notes, reader=draw.choice(_READERS), query=self._question()
        )
        row["events"][-1] |= self._fields()
        for _ in range(draw.randrange(3)):
            asked = {"type": "query", "prompt": self._question(), **self._fields()}
            row["events"].insert(draw.randrange(len(row["events"])), asked)
        for number, event in enumerate(row["events"]):
            event["ts"] = at(number)
        self._disturb(row)
        self._vary(row)
        return row | {"id": self.name}

    # --- events

    def _write(self) -> Row:
        draw, key = self.draw, self.draw.choice(self.keys)
        scope, scope_id = draw.choice(self.places)
        if self.emptied is not None and draw.random() < 0.5:
            (scope, scope_id), self.emptied = self.emptied, None
        authority = draw.choice(_AUTHORITIES)
        kind = "policy" if authority == "policy" else "user"
        data = {
            "layer": "persistent_facts",
            "key": key,
            "value": self._written(key),
            "source": {"type": kind, "authority": authority},
            "id": self._id(),
            "scope": scope,
            "scope_id": scope_id,
            "supersedes": self._pointer(),
            "depends_on": self._basis(),
        }
        return {"type": "supersession" if data["supersedes"] else "state_write", "writes": [data]}

    def _speak(self) -> Row:
        draw, key = self.draw, self.draw.choice(self.keys)
        form = draw.choice((*SENTENCES, "S1", "S2", "S2", "S3"))
        repeats = key in self.last and form == "S1" and draw.random() < 0.3
        old = self.last.get(key) or self._value()
        value = self.last[key] if repeats else self._value()
        if form.startswith("S"):
            self.last[key] = value
        text = SENTENCES[form][0].format(key=words_of(key), value=value, old=old)
        return say(text) | (self._fields() if draw.random() < 0.5 else {})

    def _move(self) -> Row:
        place = self._narrow()
        named = {"scope": place[0]} | ({"scope_id": place[1]} if place[1] else {})
        action = "enter" if self.draw.random() < 0.6 else "leave"
        if action == "leave":
            self.emptied = place
        return {"type": "scope", "action": action, **named}

    def _restate(self) -> Row:
        form = self.draw.choice(_RESTATED)
        known = [self._known() for _ in range(form.count("{}"))]
        return say(form.format(*known))

    def _note(self) -> Row:
        scope, scope_id = self.draw.choice(self.places)
        data = {"layer": "working_set", "key": "note", "value": self._note_text()}
        if self.draw.random() < 0.3:
            data["expires_at"] = at(self.draw.choice((0, 90)))
        return {"type": "state_write", "writes": [data | {"scope": scope, "scope_id": scope_id}]}

    def _signal(self) -> Row:
        scope, scope_id = self.draw.choice(self.places)
        data = {"layer": "environment", "key": "alert", "value": self._value()}
        return {"type": "state_write", "writes": [data | {"scope": scope, "scope_id": scope_id}]}

    def _given(self, key: str) -> Row:
        scope, scope_id = self.draw.choice(
            [place for place in self.places if place[1] or place[0] == "global"]
        )
        name = f"G-{len(self.ids)}"
        self.ids.append(name)
        authority = self.draw.choice(_AUTHORITIES)
        kind = "policy" if authority == "policy" else "user"
        one = fact(key, self._written(key), id=name, type=kind, authority=authority, scope=scope)
        return one | {"scope_id": scope_id}

    def _disturb(self, row: Row) -> None:
        happening = [event for event in row["events"] if event["type"] != "query"]
        if len(happening) > 1 and self.draw.random() < 0.2:
            first, second = self.draw.sample(happening, 2)
            first["ts"], second["ts"] = second["ts"], first["ts"]

    def _vary(self, row: Row) -> None:
        """Let one timeline in five span months and one query in five use unknown words. Has its own random stream."""
        draw = Random(f"{self.name}/varied")
        if draw.random() < 0.2:
            for event in row["events"]:
                passed = datetime.fromisoformat(event["ts"]) - _START
                event["ts"] = (_START + _STRETCH * passed).isoformat()
        for event in row["events"]:
            if event["type"] == "query" and draw.random() < 0.2:
                event["prompt"] = draw.choice(_PARAPHRASES)

    # --- its parts

    def _question(self) -> str:
        words = words_of(self.draw.choice(self.keys))
        supposed = ("hypothetical", "H-1")
        kind, name = supposed if supposed in self.places and self.draw.random() < 0.4 else self._narrow()
        if name is not None and self.draw.random() < 0.4:
            form = self.draw.choice(
                ("For {kind} {name}, what is the {words}?", "What is the {words} in {name}?")
            )
            return form.format(kind=kind, name=self.draw.choice((name, name.lower())), words=words)
        return f"What is the {words}?"

    def _fields(self) -> Row:
        if self.draw.random() < 0.75:
            return {}
        scope, scope_id = self._narrow()
        return {"scope": scope, "scope_id": scope_id}

    def _narrow(self) -> tuple[str, str | None]:
        used = [place for place in self.places if place in _NARROW]
        return self.draw.choice(used if used and self.draw.random() < 0.8 else _NARROW)

    def _note_text(self) -> str:
        value = self._known() if self.values and self.draw.random() < 0.4 else self._value()
        return f"Note on the {words_of(self.draw.choice(self.keys))}: {value}"

    def _written(self, key: str) -> str:
        """A value for a key, restricted in 6% of cases. No turn or note restates a restricted value."""
        if self.draw.random() < 0.06:
            self.last.pop(key, None)
            return RESTRICTED + self._word()
        self.last[key] = value = self._value()
        return value

    def _value(self) -> str:
        if self.values and self.draw.random() < 0.2:
            return self.draw.choice(self.values)
        self.values.append(self._word())
        return self.values[-1]

    def _word(self) -> str:
        self.words += 1
        word = "".join(self.draw.choice(_SYLLABLES) for _ in range(2)) + f"x{self.words:02d}"
        return word.translate(_LETTERS)

    def _known(self) -> str:
        return self.draw.choice(self.values) if self.values else "nothing"

    def _id(self) -> str:
        """A random id: a unique id, an id that several facts share (as in real data), or the key of a fact."""
        kind = self.draw.random()
        name = (
            f"W-{len(self.ids)}" if kind < 0.75 else "W-AUTO" if kind < 0.92 else self.draw.choice(self.keys)
        )
        self.ids.append(name)
        return name

    def _pointer(self) -> str | None:
        kind = self.draw.random()
        if kind < 0.45:
            return None
        if kind < 0.8:
            return self.draw.choice(self.keys)
        return self.draw.choice([*self.ids[:-1], "nobody"])

    def _basis(self) -> list[str]:
        if self.builds and len(self.ids) > 1 and self.draw.random() < 0.7:
            return [self.ids[-2]]
        if self.draw.random() < 0.55:
            return []
        later = f"W-{len(self.ids) + 1}"
        return self.draw.choices([*self.ids[:-1], *self.keys, later], k=self.draw.randrange(1, 3))


def at(number: int) -> str:
    return (_START + _STEP * (number + 1)).isoformat()


def say(text: str, speaker: str = "user") -> Event:
    return {"type": "conversation_turn", "speaker": speaker, "text": text, "implicit_supersession": None}


def fact(
    key: str, value: str, *, type: str = "user", authority: str = "peer", **fields: Any
) -> dict[str, Any]:
    """A fact of the initial state in release format. `fields` may have id, scope, depends_on."""
    return {
        "id": fields.get("id", f"F-{key.upper()}"),
        "key": key,
        "value": value,
        "source": {"type": type, "identity": None, "authority": authority},
        "ts": _START.isoformat(),
        "supersedes": None,
        "superseded_by": None,
        "is_valid": True,
        "scope": fields.get("scope", "global"),
        "depends_on": list(fields.get("depends_on", ())),
        "derived_facts": [],
        "is_constraint": False,
        "constraint_type": None,
    }


def timeline(
    *events: Event,
    query: str,
    facts: Sequence[dict[str, Any]] = (),
    notes: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    reader: str = "Manager",
) -> dict[str, Any]:
    """A timeline in release format that ends in a query without ground truth.

    `notes` are the initial working set. `environment` has values in addition to the time.
    """
    asked: list[Event] = [*events, {"type": "query", "prompt": query}]
    timed = [{"ts": at(n), **event} for n, event in enumerate(asked)]
    identity = {
        "user_name": "Robin",
        "authority": reader,
        "department": "Operations",
        "organization": "TestCorp",
    }
    scratch = [
        {"item_type": "context", "content": note, "ts": _START.isoformat(), "priority": 0} for note in notes
    ]
    return {
        "id": "CONFORMANCE",
        "version": "1.0",
        "domain": "project",
        "track": "supersession",
        "difficulty": "easy",
        "detection_mode": "explicit",
        "actors": {"user": {"id": "u1", "role": reader, "org": "testcorp"}, "assistant_role": "AI_Agent"},
        "initial_state": {
            "identity_role": identity,
            "persistent_facts": list(facts),
            "working_set": scratch,
            "environment": {"now": _START.isoformat(), **(environment or {})},
        },
        "events": timed,
        "metadata": None,
    }
