"""What must hold of facts in scopes, told a second time and naively: lists, loops, no index and no code of the engine.

A write lives in its place: a scope with its id. From there it sees its own place, then what holds globally. A query is
asked where some places are active: of each kind the one that was entered last and not left, or that it names itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
Place = tuple[str, str | None]

EVERYWHERE: Place = ("global", None)
UNREAL = ("hypothetical", "draft")
WIDE = ("task", "session", "project", "global")
LEVELS = {"intern": 0, "peer": 1, "manager": 2, "policy": 3}


@dataclass(eq=False)
class Known:
    """One version of a fact.

    `stands_for`: the global fact that it replaces in its own place only. `gone`: its place was left; `ended`: it was
    valid until then.
    """

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
    expected: list[str] = field(default_factory=list)
    review: bool = False
    gone: bool = False
    ended: bool = False


class Model:
    """The state that a query sees, by structured events alone. `here`: the places that are active for it."""

    def __init__(self, row: Row, query: int) -> None:
        self.facts: list[Known] = []
        self.environment: dict[str, tuple[str, str]] = {}
        self.replaced: list[str] = []  # values of the environment
        self.notes: list[tuple[Place, str]] = []
        self.turns: list[tuple[Place, str]] = []
        self.forgotten: list[str] = []  # notes and turns of places that were left
        self.at_hand: list[Place] = []
        self.begun: list[Place] = []
        for given in row["initial_state"]["persistent_facts"]:
            self._begin(_place(given))
            self._create(given)
        for item in row["initial_state"]["working_set"]:
            self._begin(_place(item))
            self.notes.append((_place(item), item["content"]))
        for key, value in row["initial_state"]["environment"].items():
            self.environment[key] = ("", value)
        for event in _seen(row, query):
            self._happen(event)
        self.here = self._here([event for event in row["events"] if event["type"] == "query"][query])

    # --- what may be asked of it

    def called(self, name: str, place: Place) -> Known | None:
        """What a name means from a place: its own facts, then global ones; the latest valid, else the latest."""
        for where in _sees(place):
            if result := self._named(name, where):
                return result
        return None

    def holds(self, active: list[Place]) -> list[Known]:
        """What is true where some places are active. What is drafted or supposed is true nowhere."""
        order = _order(active)
        near = [one for one in self.facts if one.valid and one.place in order]
        over = [(mine, wide) for mine in near for wide in near if self._is_about(mine, wide, order)]
        overruled = [mine for mine, wide in over if mine.level < wide.level]
        hidden = overruled + [wide for mine, wide in over if mine not in overruled]
        return [one for one in near if one not in hidden]

    def current(self, name: str, active: list[Place]) -> str | None:
        """The value that a name has come to where some places are active."""
        order = _order(active)
        for where in order:
            meant = self._named(name, where)
            if meant is not None and _end(meant).valid:
                holder = self._instead(_end(meant), order)
                if holder is not None:
                    return holder.value
        return None

    def is_current(self, name: str, active: list[Place]) -> bool:
        """Whether what is called that holds where some places are active."""
        meant = [one for where in _order(active) if (one := self._named(name, where)) is not None]
        return bool(meant) and meant[0] in self.holds(active)

    def never_shown(self) -> set[str]:
        """Values that no context of the query may hold: of facts and signals that do not hold, where none that does
        repeats them, and what is only said or noted in other places."""
        live = {one.value for one in self.holds(self.here)} | {
            value for _, value in self.environment.values()
        }
        order, spoken = _order(self.here), self.turns + self.notes
        told = {word for place, text in spoken if place in order for word in _made_up(text)}
        absent = self.forgotten + [text for place, text in spoken if place not in order]
        aside = {word for text in absent for word in _made_up(text)}
        return ({one.value for one in self.facts} | set(self.replaced) | (aside - told)) - live

    def noted(self) -> set[str]:
        """The notes that a context with room for all of them holds."""
        return {text for place, text in self.notes if place in _order(self.here)} - self.never_shown()

    def _named(self, name: str, where: Place) -> Known | None:
        result = [
            one for one in self.facts if one.place == where and not one.gone and name in (one.id, one.key)
        ]
        return ([one for one in result if one.valid] or result)[-1] if result else None

    def _instead(self, one: Known, order: list[Place]) -> Known | None:
        """A valid fact, or else what holds instead of it: the last one in the narrowest place that has any."""
        true = self.holds([place for place in order if place != EVERYWHERE])
        if one in true:
            return one
        near = [mine for mine in self.facts if mine.valid and mine.place in order]
        over = [(mine, wide) for mine in near for wide in near if self._is_about(mine, wide, order)]
        overruled = [mine for mine, wide in over if mine.level < wide.level]
        narrower = [mine for mine, wide in over if wide is one and mine not in overruled]
        for place in order:
            if mine := [each for each in narrower if each.place == place]:
                return self._instead(mine[-1], order)
        return None

    def _here(self, query: Row) -> list[Place]:
        """The active places of a query: at hand, then what its prompt names, then what its fields say."""
        known = [one.place for one in self.facts if not one.gone and one.place[1] and one.place != EVERYWHERE]
        spoken = [(found, place) for place in known if (found := _last(query["prompt"], str(place[1])))]
        chosen = {place[0]: place for place in self.at_hand}
        for _, place in sorted(spoken):
            chosen[place[0]] = place
        asked = _place(query)
        chosen[asked[0]] = asked
        return [place for place in chosen.values() if place != EVERYWHERE and place[0] not in UNREAL]

    # --- what happens to it

    def _happen(self, event: Row) -> None:
        place = _place(event)
        if event["type"] == "scope" and event["action"] == "leave":
            self._leave(place)
        elif event["type"] in ("scope", "conversation_turn"):
            self._enter(place)
        if event["type"] == "conversation_turn":
            self.turns.append((place, event["text"]))
        for data in event.get("writes", ()):
            self._apply(data, event["ts"])

    def _enter(self, place: Place) -> None:
        if place != EVERYWHERE and place[0] not in UNREAL:
            self.at_hand = [other for other in self.at_hand if other[0] != place[0]] + [place]

    def _begin(self, place: Place) -> None:
        """The first write of a place without an id enters it."""
        if place[1] is None and place not in self.begun:
            self.begun.append(place)
            self._enter(place)

    def _leave(self, place: Place) -> None:
        self.at_hand = [other for other in self.at_hand if other != place]
        self.begun = [other for other in self.begun if other != place]
        self.forgotten += [text for where, text in self.notes + self.turns if where == place]
        self.notes = [note for note in self.notes if note[0] != place]
        self.turns = [turn for turn in self.turns if turn[0] != place]
        for one in self.facts:
            if one.place == place and not one.gone:
                one.gone, one.ended, one.valid, one.expected = True, one.valid, False, []

    def _apply(self, data: Row, ts: str) -> None:
        place = _place(data)
        if data["layer"] != "environment":
            self._begin(place)
        if data["layer"] == "persistent_facts":
            self._write(data)
        elif place == EVERYWHERE and data["layer"] == "environment":
            if ts >= self.environment.get(data["key"], ("", ""))[0]:
                self.replaced.append(self.environment.get(data["key"], ("", data["value"]))[1])
                self.environment[data["key"]] = (ts, data["value"])
        elif data["layer"] == "working_set":
            self.notes.append((place, data["value"]))

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
            result = [one for one in self.facts if one.valid and one.place == where and one.key == key]
            if result:
                return result[-1]
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
                new.expected.append(name)
            else:
                new.basis.append(base)
                new.review = new.review or base.review or not base.valid
        self.facts.append(new)
        for one in self.facts:
            if new.place in _sees(one.place):
                for name in [name for name in one.expected if name in (new.id, new.key)]:
                    one.expected.remove(name)
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

    def _is_about(self, mine: Known, wide: Known, order: list[Place]) -> bool:
        """Whether a fact is about the same as one of a wider place: the same key, or a pointer said so."""
        if order.index(mine.place) >= order.index(wide.place):
            return False
        meant = [_end(one.stands_for) for one in _versions(mine) if one.stands_for]
        return mine.key == wide.key or wide in meant


def _versions(one: Known | None) -> Iterator[Known]:
    while one is not None:
        yield one
        one = one.before


def _end(one: Known) -> Known:
    while one.after is not None:
        one = one.after
    return one


def _made_up(text: str) -> list[str]:
    """The values in a text."""
    return re.findall(r"\w+x[a-j]{2}\b", text)


def _order(active: list[Place]) -> list[Place]:
    """Active places from narrow to wide, the global one last."""
    odd = sorted(place for place in active if place[0] not in WIDE)
    return odd + sorted((place for place in active if place[0] in WIDE), key=_width) + [EVERYWHERE]


def _width(place: Place) -> int:
    return WIDE.index(place[0])


def _last(text: str, name: str) -> tuple[int, int] | None:
    """Where a text holds a name as whole words for the last time, and how long that is."""
    text, name = text.lower(), name.lower()
    for start in range(len(text) - len(name), -1, -1):
        beside = text[start - 1 : start] + text[start + len(name) : start + len(name) + 1]
        if text[start : start + len(name)] == name and not any(c.isalnum() or c == "_" for c in beside):
            return start + len(name), len(name)
    return None


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
    message = [
        event
        for n, event in enumerate(row["events"])
        if event["type"] != "query" and (n < at or event["ts"] < asked)
    ]
    return sorted(message, key=lambda event: event["ts"])
