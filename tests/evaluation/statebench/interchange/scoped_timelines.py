"""Random timelines over scopes entered and left, pointers, authority, dependencies, restated values, several queries.

Values are made-up words, so that the writer of each value in a context is known, and no turn that restates a value
looks like a change to detection.
"""

from __future__ import annotations

from random import Random
from typing import Any

from tests.evaluation.statebench.writing import at, fact, say, timeline

Row = dict[str, Any]

KEYS = ("status", "owner", "venue", "plan")
PLACES = (
    ("global", None), ("global", None), ("global", None), ("global", None), ("global", "T1"),
    ("draft", None), ("hypothetical", None), ("hypothetical", "H1"), ("draft", "T1"),
    ("task", "T1"), ("task", "T1"), ("task", "T-2"), ("task", None), ("session", None), ("session", "S 1"),
    ("project", "P1"), ("project", "P1-b"), ("sandbox", None), ("sandbox", "t1"),
)  # fmt: skip
AUTHORITIES = ("peer", "peer", "peer", "manager", "policy", "intern")
RESTATED = (
    "Somebody wrote {} on the board.",
    "{}",
    "I came across {} and then {}.",
    "Robin mumbled {} to me.",
)
NARROW = [place for place in PLACES if place[0] != "global"]
SYLLABLES = ("bra", "quo", "zim", "tel", "vor", "nup", "kes", "lod", "fri", "gam", "wex", "hul")


class Story:
    """One timeline under construction."""

    def __init__(self, seed: int) -> None:
        self.draw = Random(seed)
        self.seed = seed
        self.values: list[str] = []
        self.ids: list[str] = []
        self.narrow = self.draw.sample(NARROW, self.draw.randrange(2, 6))  # few, so that facts of one meet
        self.places = [place for place in PLACES if place[0] == "global"] + 2 * self.narrow

    def row(self) -> Row:
        """The timeline: given facts, then writes, turns, notes and signals, then queries among them."""
        draw = self.draw
        given = [self._given(n) for n in range(draw.randrange(4))]
        events = [self._event() for _ in range(draw.randrange(3, 20))]
        notes = [self._value() for _ in range(draw.randrange(2))]
        row = timeline(*events, facts=given, notes=notes, query=self._question())
        self._ask_in_between(row)
        self._disturb(row)
        return row | {"id": f"SCOPED-{self.seed}"}

    def _event(self) -> Row:
        kind = self.draw.choices(("write", "turn", "note", "signal", "scope"), (10, 5, 2, 1, 4))[0]
        if kind == "turn":
            return self._turn() | (self._place() if self.draw.random() < 0.3 else {})
        if kind == "scope":
            return {"type": "scope", "action": self.draw.choice(("enter", "leave")), **self._place()}
        if kind == "write":
            return self._write()
        scope, scope_id = self.draw.choice(self.places)
        layer = "working_set" if kind == "note" else "environment"
        key = "alert" if kind == "signal" else "note"
        data = {"layer": layer, "key": key, "value": self._value(), "scope": scope, "scope_id": scope_id}
        return {"type": "state_write", "writes": [data]}

    def _place(self) -> Row:
        scope, scope_id = self.draw.choice(self.narrow)
        return {"scope": scope} if scope_id is None else {"scope": scope, "scope_id": scope_id}

    def _write(self) -> Row:
        draw = self.draw
        scope, scope_id = draw.choice(self.places)
        authority = draw.choice(AUTHORITIES)
        source = {"type": "policy" if authority == "policy" else "user", "authority": authority}
        data: Row = {
            "layer": "persistent_facts",
            "key": draw.choice(KEYS),
            "value": self._value(),
            "source": source,
            "id": self._id(),
            "scope": scope,
            "scope_id": scope_id,
            "supersedes": self._pointer(),
            "depends_on": self._basis(),
        }
        return {"type": "supersession" if data["supersedes"] else "state_write", "writes": [data]}

    def _turn(self) -> Row:
        form = self.draw.choice(RESTATED)
        return say(form.format(*(self._known() for _ in range(form.count("{}")))))

    def _given(self, number: int) -> Row:
        scope, scope_id = self.draw.choice(self.places)
        name = f"G-{number}"
        self.ids.append(name)
        authority = self.draw.choice(AUTHORITIES)
        kind = "policy" if authority == "policy" else "user"
        key = KEYS[number]
        one = fact(key, self._value(), id=name, type=kind, authority=authority, scope=scope)
        return one | {"scope_id": scope_id}

    def _ask_in_between(self, row: Row) -> None:
        """Insert more queries, each about the events before it."""
        for _ in range(self.draw.randrange(3)):
            place = self.draw.randrange(len(row["events"]) + 1)
            row["events"].insert(place, {"type": "query", "prompt": self._question()})
        for event in row["events"]:
            if event["type"] == "query" and self.draw.random() < 0.3:
                event.update(self._place())
        for number, event in enumerate(row["events"]):
            event["ts"] = at(number)

    def _disturb(self, row: Row) -> None:
        """In one timeline of five, date an event before its neighbour in the file."""
        message = [event for event in row["events"] if event["type"] != "query"]
        if len(message) > 1 and self.draw.random() < 0.2:
            first, second = self.draw.sample(message, 2)
            first["ts"], second["ts"] = second["ts"], first["ts"]

    def _question(self) -> str:
        """A question about a key, half of the time with a place or two named by their ids."""
        names = [scope_id for _, scope_id in [*self.narrow, ("task", "T-2")] if scope_id]
        places = [self.draw.choice(names) for _ in range(self.draw.choice((0, 0, 1, 2)))]
        cased = [self.draw.choice((name, name.upper(), name.lower())) for name in places]
        return f"What is the {self.draw.choice(KEYS)}{''.join(f' for {name}' for name in cased)}?"

    def _value(self) -> str:
        """A new word; one time in four a word that was written before, perhaps in another scope."""
        if self.values and self.draw.random() < 0.25:
            return self.draw.choice(self.values)
        word = "".join(self.draw.choice(SYLLABLES) for _ in range(2)) + f"x{len(self.values):02d}"
        word = word.translate(str.maketrans("0123456789", "abcdefghij"))
        self.values.append(word)
        return word

    def _known(self) -> str:
        """A value written before, or one that is never written."""
        return self.draw.choice(self.values) if self.values and self.draw.random() < 0.9 else self._value()

    def _id(self) -> str:
        """A new id, one that collides as in the released data, or the key of another fact."""
        kind = self.draw.random()
        name = f"W-{len(self.ids)}" if kind < 0.7 else "W-AUTO" if kind < 0.9 else self.draw.choice(KEYS)
        self.ids.append(name)
        return name

    def _pointer(self) -> str | None:
        """A random target for `supersedes`: a key, an id, or a name that no fact has. None means no target."""
        kind = self.draw.random()
        if kind < 0.4:
            return None
        if kind < 0.75:
            return self.draw.choice(KEYS)
        return self.draw.choice([*self.ids[:-1], "nobody"])

    def _basis(self) -> list[str]:
        if self.draw.random() < 0.6:
            return []
        later = f"W-{len(self.ids) + 1}"
        return self.draw.choices([*self.ids[:-1], *KEYS, later], k=self.draw.randrange(1, 3))
