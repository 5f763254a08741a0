"""A naive model of the state at a query. `open` lists events whose effect the specification does not define."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.statebench.conformance.model.facts import (
    EVERYWHERE,
    LEVELS,
    STATEMENT,
    UNREAL,
    Known,
    Place,
    Row,
    Said,
    end,
    is_about,
    is_narrow,
    is_time_sensitive,
    names,
    place_of,
    seen_by,
    spoken,
    width,
)

INITIAL = -1  # the "event" of the initial state


@dataclass
class Note:
    """A note of the working set. `was_left`: its place was left (the specification does not define reentry)."""

    value: str
    place: Place
    expires: str | None
    was_left: bool = False


class Model:
    def __init__(self, row: Row, query: int) -> None:
        self.facts: list[Known] = []
        self.environment: dict[str, tuple[str, str]] = {}
        self.replaced: list[str] = []  # former values of the environment
        self.notes: list[Note] = []
        self.turns: list[str] = []
        self.left: list[Place] = []
        self.open: list[int] = []
        self.reader: str = row["initial_state"]["identity_role"]["authority"]
        self._entered: dict[str, str | None] = {}  # kind -> id of the active place
        self._at = INITIAL
        self._begin(row["initial_state"])
        events, (at, asked) = seen_by(row, query)
        for self._at, event in events:
            self._happen(event)
        self._at = at
        self.now: str = asked["ts"]
        self.active = self._active_for(asked)

    def _begin(self, initial: Row) -> None:
        for given in initial["persistent_facts"]:
            self._create(given, place_of(given), LEVELS[given["source"]["authority"]])
        for item in initial["working_set"]:
            self.notes.append(Note(item["content"], EVERYWHERE, None))
        for key, value in initial["environment"].items():
            self.environment[key] = ("", value)

    # --- questions

    def holds(self) -> list[Known]:
        """Facts valid in the active places. A narrower fact hides a wider fact that does not have higher authority."""
        firm = self._firm()
        return [one for one in firm if not any(is_about(other, one) for other in firm)]

    def _firm(self) -> list[Known]:
        seen = [one for one in self.facts if one.valid and one.place in self.active]
        return [one for one in seen if not any(is_about(one, w) and one.level < w.level for w in seen)]

    def current(self, name: str) -> list[Known | None]:
        """Facts that the specification allows as current for a name. None stands for no current fact."""
        true = self.holds()
        for where in self.active:
            found = self._called(name, where)
            if not found:
                continue
            head = end(found)
            instead = [one for one in true if head.valid and is_about(one, head)]
            if head in true:
                return [head]
            if instead:
                return [*instead]
            near = [one for one in self._firm() if head.valid and is_about(one, head)]
            if near:  # hidden by what is hidden itself
                return [None, *(one for one in true if any(is_about(one, other) for other in near))]
        return [None]

    def is_current(self, name: str) -> bool | None:
        """True if the named fact is valid in the active places. None if the specification leaves this undefined."""
        true = self.holds()
        for where in self.active:
            if found := self._called(name, where):
                overruled = found not in true and any(one.key == name for one in true)
                return None if overruled else found in true
        return False

    def gone(self) -> list[Known]:
        """Facts that are superseded, ended, drafted or supposed."""
        return [one for one in self.facts if not one.valid or one.place[0] in UNREAL]

    def sayable(self, note: Note) -> bool:
        """True if a note belongs to an active place and has not expired."""
        return note.place in self.active and (note.expires is None or note.expires > self.now)

    def elsewhere(self) -> list[Known]:
        return [
            one for one in self.facts if one.valid and is_narrow(one.place) and one.place not in self.active
        ]

    def hidden(self) -> list[Known]:
        true = self.holds()
        return [one for one in self.facts if one.valid and one.place in self.active and one not in true]

    # --- events

    def _happen(self, event: Row) -> None:
        if event["type"] == "scope":
            self._enter(place_of(event)) if event["action"] == "enter" else self._leave(place_of(event))
        elif event["type"] == "conversation_turn":
            self._hear(event)
        else:
            for data in event["writes"]:
                self._apply(data, event["ts"])

    def _enter(self, place: Place) -> None:
        if is_narrow(place):
            self._entered[place[0]] = place[1]

    def _leave(self, place: Place) -> None:
        self.left.append(place)
        if self._entered.get(place[0], "") == place[1]:
            del self._entered[place[0]]
        for one in self.facts:
            if one.place == place and one.valid:
                one.valid, one.ended = False, True
        for note in self.notes:
            note.was_left = note.was_left or note.place == place

    def _apply(self, data: Row, ts: str) -> None:
        place = place_of(data)
        if data["layer"] == "environment":
            if place == EVERYWHERE and ts >= self.environment.get(data["key"], ("", ""))[0]:
                self.replaced.append(self.environment.get(data["key"], ("", ""))[1])
                self.environment[data["key"]] = (ts, data["value"])
        elif data["layer"] == "working_set":
            self._note(data, place)
        else:
            self._write(data, place)

    def _note(self, data: Row, place: Place) -> None:
        if is_narrow(place) and place[1] is None and not self._facts_in(place):
            self._leave_open()  # open: whether a note activates its place as a first write does
        self.notes.append(Note(data["value"], place, data.get("expires_at")))

    def _write(self, data: Row, place: Place) -> None:
        level, pointer = LEVELS[data["source"]["authority"]], data.get("supersedes")
        if is_narrow(place) and place[1] is None and self._entered.get(place[0], None) is not None:
            self._leave_open()  # open: a place without an id while one with an id is active
        old = self._pointed_at(pointer, place) if pointer else self._rival(data["key"], place)
        if any(old is None or end(old) is not one for one in self._said_of(data["key"], place)):
            self._leave_open()  # open: whether a record replaces a spoken fact although it points elsewhere
        if old is not None:
            old = end(old)
            if old.place != place and place[0] in UNREAL:
                old = None  # an unreal fact replaces nothing real; the new fact is independent
            elif level < old.level:
                return
        new = self._create(data, place, level)
        if old is not None:
            self._replace(old, new)
        if is_narrow(place) and place[1] is None and len(self._facts_in(place)) == 1:
            self._enter(place)

    def _said_of(self, key: str, place: Place) -> list[Known]:
        return [
            one
            for one in self.facts
            if one.valid and one.turn is not None and one.place == place and one.key == key
        ]

    def _facts_in(self, place: Place) -> list[Known]:
        return [one for one in self.facts if one.place == place and not end(one).ended]

    def _called(self, name: str, where: Place) -> Known | None:
        found = [one for one in self._facts_in(where) if name in (one.id, one.key)]
        latest = [one for one in found if one.valid] or found
        return latest[-1] if latest else None

    def _pointed_at(self, name: str, place: Place) -> Known | None:
        own = self._called(name, place)
        if own is not None or place == EVERYWHERE:
            return own
        wide = self._called(name, EVERYWHERE)
        if wide is not None and any(one.place == place and name in (one.id, one.key) for one in self.facts):
            self._leave_open()  # open: the name ended here but exists globally
        return wide

    def _rival(self, key: str, place: Place) -> Known | None:
        for where in dict.fromkeys((place, EVERYWHERE)):
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

    def _create(self, data: Row, place: Place, level: int, turn: int | None = None) -> Known:
        new = Known(len(self.facts), data["id"], data["key"], data["value"], place, level, turn)
        for name in data.get("depends_on") or ():
            if place in self.left:
                self._leave_open()  # open: whether a fact that rests on an ended one needs review
            base = self._called(name, place) or self._called(name, EVERYWHERE)
            if base is None:
                new.expected.append(name)
            else:
                new.basis.append(base)
                new.review = new.review or base.review or not base.valid
        self.facts.append(new)
        for one in self.facts:
            if new.place in (EVERYWHERE, one.place):
                for name in [name for name in one.expected if name in (new.id, new.key)]:
                    one.expected.remove(name)
                    one.basis.append(new)
        if new.review:
            self._doubt(new, [new], None)
        return new

    def _doubt(self, old: Known, spared: list[Known], only: Place | None) -> None:
        """Mark facts that depend on `old`, directly or not, for review, except `spared`. `only`: just in this place."""
        todo, done = [old], [old]
        while todo:
            base = todo.pop()
            for one in self.facts:
                if base in one.basis and not one.review and one not in done and one not in spared:
                    done.append(one)
                    todo.append(one)
                    if only is None or one.place == only:
                        one.review = True

    # --- conversation

    def _hear(self, event: Row) -> None:
        own = place_of(event)
        self._enter(own)
        self.turns.append(event["text"])
        said = spoken(event["text"]) if event["speaker"] == "user" else None
        if said is not None:
            self._take(said, own)

    def _take(self, said: Said, own: Place) -> None:
        """Create a fact from a statement with an unused key, or supersede the valid fact that a change is about."""
        level = LEVELS[self.reader]
        target = self._spoken_of(said.key, own)
        changed = target is not None and target.word != said.value
        if said.old == said.value or {said.old, said.value} & {
            value for _, value in self.environment.values()
        }:
            self._leave_open()  # open: a change to the same value, or to that of a signal
        if target is None:
            if level == 0 or own[0] in UNREAL:
                self._leave_open()
            self._create(_as_data(said), own, level, turn=len(self.turns) - 1)
        elif said.kind == STATEMENT:
            if changed and is_time_sensitive(said.key):
                self._leave_open()
        elif not changed or said.old not in (None, target.word) or target.value != target.word:
            self._leave_open()
        elif level >= target.level:
            self._replace(target, self._create(_as_data(said), target.place, level, len(self.turns) - 1))

    def _spoken_of(self, key: str, own: Place) -> Known | None:
        for where in self._places(self._entered):
            found = [one for one in self.facts if one.valid and one.place == where and one.key == key]
            if found:
                self._check_target(found, own)
                return found[-1]
        held = (one for where in self._places(self._entered) for one in self._facts_in(where))
        if any(one.key == key and end(one).valid for one in held):
            self._leave_open()  # open: the fact of this key is now valid under another key
        return None

    def _check_target(self, found: list[Known], own: Place) -> None:
        target, active = found[-1], self._places(self._entered)
        seen = [one for one in self.facts if one.valid and one.place in active and one is not target]
        overruled = any(is_about(target, one) and target.level < one.level for one in seen)
        hidden = any(is_about(one, target) for one in seen)
        if len(found) > 1 or overruled or hidden or own not in (EVERYWHERE, target.place):
            self._leave_open()

    # --- places

    def _places(self, entered: dict[str, str | None]) -> list[Place]:
        return sorted([*entered.items(), EVERYWHERE], key=width)

    def _active_for(self, asked: Row) -> list[Place]:
        """Active places of a query: stated in its fields, else named in its prompt, else entered by events."""
        entered, own = dict(self._entered), place_of(asked)
        for place in dict.fromkeys(one.place for one in self.facts if is_narrow(one.place)):
            if not names(asked["prompt"], place[1]) or own[0] == place[0]:
                continue
            noted = any(note.place == place for note in self.notes)
            if not self._facts_in(place) and (noted or entered.get(place[0], place[1]) != place[1]):
                self._leave_open()  # open: a left place is named while another of its kind is active, or notes are new
            if any(names(asked["prompt"], other.place[1]) for other in self.facts if _is_twin(other, place)):
                self._leave_open()
            entered[place[0]] = place[1]
        if is_narrow(own):
            entered[own[0]] = own[1]
        return self._places(entered)

    def _leave_open(self) -> None:
        self.open.append(self._at)


def _is_twin(one: Known, place: Place) -> bool:
    return one.place[0] == place[0] and one.place != place


def _as_data(said: Said) -> Row:
    return {"id": "", "key": said.key, "value": said.value}
