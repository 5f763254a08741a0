"""Random timelines of keys that share a word and often hold equal values, written or said in plain sentences.

Each comes with the values at its end. No value returns to a key that had it before, and statements are only about keys
without a value, so that nothing is ambiguous.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.evaluation.statebench.writing import fact, say, timeline, write

KEYS = (
    ("front_door_code", "back_door_code", "cellar_door_code"),
    ("wall_color", "team_color", "door_color"),
    ("meeting_room", "lunch_room", "server_room"),
    ("office_address", "warehouse_address"),
    ("front_wheel", "front_door", "front_light"),
    ("team_motto", "team_name", "team_leader"),
    ("boat_name", "dog_name"),
    ("parking_spot", "parking_level"),
)
VALUES = (
    ("blue", "green", "grey"),
    ("4412", "9911", "3030"),
    ("Ann Lee", "Bo Rask", "Kim Po"),
    ("9 Oak Lane", "4 Elm Road", "7 Mill Street"),
)


@dataclass
class Story:
    """A timeline under construction, with its present values."""

    seed: int
    holds: dict[str, str] = field(default_factory=dict)
    _events: list[dict[str, Any]] = field(default_factory=list)
    _given: list[dict[str, Any]] = field(default_factory=list)
    _held: set[tuple[str, str]] = field(default_factory=set)

    def row(self) -> dict[str, Any]:
        """The timeline."""
        draw = Random(self.seed)
        keys, values = draw.choice(KEYS), draw.choice(VALUES)
        for key in keys:
            if draw.random() < 0.3:
                self._given.append(fact(key, self._hold(key, draw.choice(values)), authority="manager"))
        for _ in range(draw.randrange(2, 8)):
            key, value = draw.choice(keys), draw.choice(values)
            if (key, value) not in self._held:
                self._events.append(self._event(draw.choice(("state", "change", "write")), key, value))
        return timeline(*self._events, facts=self._given, query="What holds?")

    def _event(self, kind: str, key: str, value: str) -> dict[str, Any]:
        words, old = key.replace("_", " "), self.holds.get(key)
        self._hold(key, value)
        if kind == "write":
            return write(key, value, authority="manager")
        if kind == "state" and old is None:
            return say(f"The {words} is {value}.")
        if kind == "state":
            return say(f"The {words} changed from {old} to {value}.")
        return say(f"The {words} is now {value}.")

    def _hold(self, key: str, value: str) -> str:
        self.holds[key] = value
        self._held.add((key, value))
        return value
