"""What must hold of facts in scopes, told a second time and naively: lists, loops, no index and no code of the engine.

A write lives in its place: a scope with its id. From there it sees its own place, then what holds globally.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
Place = tuple[str, str | None]

EVERYWHERE: Place = ("global", None)
UNREAL = ("hypothetical", "draft")
LEVELS = {"intern": 0, "peer": 1, "manager": 2, "policy": 3}


@dataclass(eq=False)
class Known:
    """One version of a fact. `stands_for`: the global fact that it replaces in its own place only."""

    number: int
    id: str
    key: str
    value: str
    place: Place
    level: int
    valid: bool = True
    before: Known | None = None
    after: Known | None = None
    stands_for: Known | None = None
    basis: list[Known] = field(default_factory=list)
    wanted: list[str] = field(default_factory=list)
    review: bool = False


class Model:
    """The state that a query sees, by structured events alone."""

    def __init__(self, row: Row, query: int) -> None:
        self.facts: list[Known] = []
        self.environment: dict[str, tuple[str, str]] = {}
        self.notes: list[str] = [item["content"] for item in row["initial_state"]["working_set"]]
        for given in row["initial_state"]["persistent_facts"]:
            self._create(given)
        for key, value in row["initial_state"]["environment"].items():
            self.environment[key] = ("", value)
        for event in _seen(row, query):
            for data in event.get("writes", ()):
                self._apply(data, event["ts"])

    # --- what may be asked of it

    def called(self, name: str, place: Place) -> Known | None:
        """What a name means from a place: its own facts, then global ones; the latest valid, else the latest."""
        for where in _sees(place):
            found = [one for one in self.facts if one.place == where and name in (one.id, one.key)]
            if found:
                return ([one for one in found if one.valid] or found)[-1]
        return None

    def holds(self, place: Place = EVERYWHERE) -> list[Known]:
        """What is true in a place. What is drafted or supposed is true nowhere."""
        wide = [one for one in self.facts if one.valid and one.place == EVERYWHERE]
        own = [one for one in self.facts if one.valid and one.place == place]
        if place == EVERYWHERE or place[0] in UNREAL:
            return wide
        over = [(mine, other) for mine in own for other in wide if self._stands_for(mine, other)]
        overruled = [mine for mine, other in over if mine.level < other.level]
        hidden = overruled + [other for mine, other in over if mine not in overruled]
        return [one for one in self.facts if one in wide + own and one not in hidden]

    def current(self, name: str, place: Place = EVERYWHERE) -> str | None:
        """The value that a name has come to in a place."""
        true = self.holds(place)
        for where in _sees(place):
            if where[0] in UNREAL:
                continue
            found = [one for one in self.facts if one.place == where and name in (one.id, one.key)]
            if not found:
                continue
            end = _end(([one for one in found if one.valid] or found)[-1])
            instead = [one for one in true if end.valid and self._stands_for(one, end)]
            if end in true or instead:
                return end.value if end in true else instead[-1].value
        return None

    def is_current(self, name: str, place: Place = EVERYWHERE) -> bool:
        """Whether what is called that holds in a place."""
        return self.called(name, EVERYWHERE if place[0] in UNREAL else place) in self.holds(place)

    def never_shown(self) -> set[str]:
        """Values that no context may hold: dead or unreal ones that nothing which holds globally repeats."""
        gone = {one.value for one in self.facts if not one.valid or one.place[0] in UNREAL}
        live = {one.value for one in self.holds()} | {value for _, value in self.environment.values()}
        return gone - live

    # --- what happens to it

    def _apply(self, data: Row, ts: str) -> None:
        place = _place(data)
        if data["layer"] == "persistent_facts":
            self._write(data)
        elif place == EVERYWHERE and data["layer"] == "environment":
            if ts >= self.environment.get(data["key"], ("", ""))[0]:
                self.environment[data["key"]] = (ts, data["value"])
        elif place == EVERYWHERE:
            self.notes.append(data["value"])

    def _write(self, data: Row) -> None:
        place, pointer = _place(data), data["supersedes"]
        old = self.called(pointer, place) if pointer else self._rival(data["key"], place)
        if old is None:
            self._create(data)
            return
        old = _end(old)
        if old.place != place and place[0] in UNREAL:
            self._create(data)
        elif _level(data) >= old.level:
            self._replace(old, self._create(data))

    def _rival(self, key: str, place: Place) -> Known | None:
        """The fact of the same key that a write without a pointer contradicts."""
        for where in _sees(place):
            found = [one for one in self.facts if one.valid and one.place == where and one.key == key]
            if found:
                return found[-1]
        return None

    def _replace(self, old: Known, new: Known) -> None:
        if old.place == new.place:
            old.valid, old.after, new.before = False, new, old
            self._doubt(old, [new, old], None)
        else:
            new.stands_for = old
            self._doubt(old, [new, old], new.place)

    def _create(self, data: Row) -> Known:
        new = Known(len(self.facts), data["id"], data["key"], data["value"], _place(data), _level(data))
        for name in data.get("depends_on") or ():
            base = self.called(name, new.place)
            if base is None:
                new.wanted.append(name)
            else:
                new.basis.append(base)
                new.review = new.review or base.review or not base.valid
        self.facts.append(new)
        for one in self.facts:
            if new.place in _sees(one.place):
                for name in [name for name in one.wanted if name in (new.id, new.key)]:
                    one.wanted.remove(name)
                    one.basis.append(new)
        if new.review:
            self._doubt(new, [new], None)
        return new

    def _doubt(self, old: Known, spared: list[Known], only: Place | None) -> None:
        """What rests on an old fact is in doubt, and what rests on that; `only` in the place where it was replaced."""
        todo, done = [old], [old]
        while todo:
            base = todo.pop()
            for one in self.facts:
                if base in one.basis and not one.review and one not in done and one not in spared:
                    done.append(one)
                    todo.append(one)
                    if only is None or one.place == only:
                        one.review = True

    def _stands_for(self, mine: Known, other: Known) -> bool:
        """Whether a fact of a narrow place is about the same as a global one: the same key, or a pointer said so."""
        if mine.place == EVERYWHERE or other.place != EVERYWHERE:
            return False
        meant = [_end(one.stands_for) for one in _versions(mine) if one.stands_for]
        return mine.key == other.key or other in meant


def _versions(one: Known | None) -> Iterator[Known]:
    while one is not None:
        yield one
        one = one.before


def _end(one: Known) -> Known:
    while one.after is not None:
        one = one.after
    return one


def _sees(place: Place) -> list[Place]:
    return [EVERYWHERE] if place == EVERYWHERE else [place, EVERYWHERE]


def _place(data: Row) -> Place:
    scope = data.get("scope") or "global"
    return EVERYWHERE if scope == "global" else (scope, data.get("scope_id"))


def _level(data: Row) -> int:
    return LEVELS[data["source"]["authority"]]


def _seen(row: Row, query: int) -> list[Row]:
    """What stands before a query in the file, and what is dated before it, in stable order of time."""
    places = [n for n, event in enumerate(row["events"]) if event["type"] == "query"]
    at, asked = places[query], row["events"][places[query]]["ts"]
    told = [
        event
        for n, event in enumerate(row["events"])
        if event["type"] != "query" and (n < at or event["ts"] < asked)
    ]
    return sorted(told, key=lambda event: event["ts"])
