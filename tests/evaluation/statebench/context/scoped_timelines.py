"""Random timelines over scopes, pointers, authority, dependencies, restated values and several queries.

Values are made-up words, so that wherever one turns up in a context it is known who wrote it, and no turn that
restates one is a statement which language alone would take for a change.
"""

from __future__ import annotations

from random import Random
from typing import Any

from evaluation.statebench.conformance.vectors.writing import at, fact, say, timeline

Row = dict[str, Any]

KEYS = ("status", "owner", "venue", "plan")
PLACES = (
    ("global", None), ("global", None), ("global", None), ("global", None), ("global", "T1"),
    ("draft", None), ("hypothetical", None), ("hypothetical", "H1"), ("draft", "T1"),
    ("task", "T1"), ("task", "T2"), ("session", None), ("project", "P1"), ("sandbox", None),
)  # fmt: skip
AUTHORITIES = ("peer", "peer", "peer", "manager", "policy", "intern")
RESTATED = (
    "Somebody wrote {} on the board.",
    "{}",
    "I came across {} and then {}.",
    "Robin mumbled {} to me.",
)
SYLLABLES = ("bra", "quo", "zim", "tel", "vor", "nup", "kes", "lod", "fri", "gam", "wex", "hul")


class Story:
    """One timeline under construction."""

    def __init__(self, seed: int) -> None:
        self.draw = Random(seed)
        self.seed = seed
        self.values: list[str] = []
        self.ids: list[str] = []

    def row(self) -> Row:
        """The timeline: what is given, then writes, turns, notes and signals, then queries among them."""
        draw = self.draw
        given = [self._given(n) for n in range(draw.randrange(4))]
        events = [self._event() for _ in range(draw.randrange(3, 16))]
        notes = [self._value() for _ in range(draw.randrange(2))]
        row = timeline(*events, facts=given, notes=notes, query=self._question())
        self._ask_in_between(row)
        self._disturb(row)
        return row | {"id": f"SCOPED-{self.seed}"}

    def _event(self) -> Row:
        kind = self.draw.choices(("write", "turn", "note", "signal"), (10, 5, 2, 1))[0]
        if kind == "turn":
            return self._turn()
        if kind == "write":
            return self._write()
        scope, scope_id = self.draw.choice(PLACES)
        layer = "working_set" if kind == "note" else "environment"
        key = "alert" if kind == "signal" else "note"
        data = {"layer": layer, "key": key, "value": self._value(), "scope": scope, "scope_id": scope_id}
        return {"type": "state_write", "writes": [data]}

    def _write(self) -> Row:
        draw = self.draw
        scope, scope_id = draw.choice(PLACES)
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
        scope, scope_id = self.draw.choice(PLACES)
        name = f"G-{number}"
        self.ids.append(name)
        authority = self.draw.choice(AUTHORITIES)
        kind = "policy" if authority == "policy" else "user"
        key = KEYS[number]
        one = fact(key, self._value(), id=name, type=kind, authority=authority, scope=scope)
        return one | {"scope_id": scope_id}

    def _ask_in_between(self, row: Row) -> None:
        """More queries, each seeing what stands before it."""
        for _ in range(self.draw.randrange(3)):
            place = self.draw.randrange(len(row["events"]) + 1)
            row["events"].insert(place, {"type": "query", "prompt": self._question()})
        for number, event in enumerate(row["events"]):
            event["ts"] = at(number)

    def _disturb(self, row: Row) -> None:
        """One time in five an event is dated before its neighbour in the file."""
        told = [event for event in row["events"] if event["type"] != "query"]
        if len(told) > 1 and self.draw.random() < 0.2:
            first, second = self.draw.sample(told, 2)
            first["ts"], second["ts"] = second["ts"], first["ts"]

    def _question(self) -> str:
        return f"What is the {self.draw.choice(KEYS)}?"

    def _value(self) -> str:
        """A new word; one time in four a word that was written before, perhaps in another scope."""
        if self.values and self.draw.random() < 0.25:
            return self.draw.choice(self.values)
        word = "".join(self.draw.choice(SYLLABLES) for _ in range(2)) + f"x{len(self.values):02d}"
        word = word.translate(str.maketrans("0123456789", "abcdefghij"))
        self.values.append(word)
        return word

    def _known(self) -> str:
        return self.draw.choice(self.values) if self.values else "nothing"

    def _id(self) -> str:
        """An id of its own, one that collides as in the released data, or one that is a key of another fact."""
        kind = self.draw.random()
        name = f"W-{len(self.ids)}" if kind < 0.7 else "W-AUTO" if kind < 0.9 else self.draw.choice(KEYS)
        self.ids.append(name)
        return name

    def _pointer(self) -> str | None:
        """None, a key, an id, or the name of nothing."""
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


def scoped_timeline(seed: int) -> Row:
    """The timeline of that seed."""
    return Story(seed).row()
