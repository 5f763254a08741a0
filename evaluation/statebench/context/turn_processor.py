"""Effects of turns and signals on a state: the facts they supersede, unless a write already records the turn."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from evaluation.statebench.context.standing import RULE_WORDS, bound_of, breaks, is_policy
from evaluation.statebench.context.state import Dated, State
from evaluation.statebench.conversation import (
    Focus,
    Statement,
    attribute_of,
    is_new,
    parts,
    recorded,
    statements,
)
from evaluation.statebench.data.printing import as_text
from evaluation.statebench.data.times import moment
from evaluation.statebench.detection.clause import clauses, named_things, speaker_name
from evaluation.statebench.detection.detector import Detection, Detector, Turn
from evaluation.statebench.detection.rules import EXPLICIT, Match
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.detection.slots import CONVERSATION, ENVIRONMENT, Slots
from evaluation.statebench.detection.turn_features import TurnFeatures
from evaluation.statebench.facts.authority import Level, level
from evaluation.statebench.facts.layers import Draft, PersistentFact, Source
from evaluation.statebench.facts.scopes import (
    EVERYWHERE,
    GLOBAL,
    UNREAL,
    Place,
    Places,
    place_from,
    scope_from,
)
from evaluation.statebench.language.values import find_values
from evaluation.statebench.language.words import capitals, stems
from evaluation.statebench.records import ConversationTurn, StateWrite, Write

_NEAR = 120.0  # seconds between a turn and the write that records it
_RECORDED = 0.6  # share of a written value's words in a turn that make the write its record
_ANNOUNCED = 0.9  # confidence of a turn that announces a structured supersession
_CLOCK = "now"
_SIGNAL = "Update"  # prefix that marks a signal as news for the detector


class TurnProcessor:
    """Processes the turns of a replay and applies the detector's findings.

    A turn concerns facts of the active places first, then global facts. Statements fill *slots*, the parts of the state
    that turns may change. Drafts and suppositions fill no slot and change no valid fact.
    """

    def __init__(
        self, state: State, events: Sequence[Dated], detector: Detector, *, hears_facts: bool = True
    ) -> None:
        self.state, self.detector, self.hears_facts = state, detector, hears_facts
        self.slots = Slots()
        self._written = [
            event for _, event in events if event["type"] != "conversation_turn" and event["type"] != "scope"
        ]
        self._zone = zone = state.zone
        self._times = [moment(event["ts"], zone) for event in self._written]
        self._reader = level(state.identity.authority)
        self._focus = Focus()
        self._said: dict[str, Draft] = {}  # id of its slot -> a remark not yet stored as a fact
        self._remarks: dict[Place, list[str]] = {}  # narrow place -> slots of its remarks
        self._place = EVERYWHERE  # of the current turn
        self._supposed = False  # the current turn is a draft or a supposition
        self._former: dict[str, str] = {}  # environment key -> its previous value
        texts = []
        for fact in state.store.facts.values():
            if fact.scope == GLOBAL:
                texts.append(fact.text)
            if fact.is_valid and fact.scope not in UNREAL:
                self.slots.fact(fact)
        for key, value in state.environment.values.items():
            if key != _CLOCK:
                self.slots.signal(key, value)
                texts.append(value)
        self._initial = "\n".join(texts).lower()

    def process(self, index: int, event: ConversationTurn, features: TurnFeatures, written: int) -> None:
        scope = event.get("scope")
        self._supposed = bool(scope) and scope_from(scope) in UNREAL
        self._place = place_from(event) if scope else EVERYWHERE
        attended = self._focus.attends(features) and not self._supposed
        if event["speaker"] == "user" and not self._is_recorded(index, event["ts"], features, written):
            self._judge(index, event["ts"], features, attended=attended)
        self.slots.process(features)

    def signal(self, key: str, value: str, ts: str, *, former: str | None) -> None:
        """Process a value of the environment. A value of the same subject under another key is retired."""
        if key == _CLOCK:
            return
        others = [
            slot for slot in self.slots.current().values() if slot.layer == ENVIRONMENT and slot.key != key
        ]
        news = Turn(-1, ENVIRONMENT, f"{_SIGNAL}: {value}", ts, Level.POLICY)
        for match in self.detector.detect(news, others)[:1] if others else ():
            if match.slot.key in self.state.environment.values:
                self.state.environment.retire(match.slot.key)
        if former is not None:
            self._former[key] = former
        self._give_way(key, value, Level.POLICY, None)
        self.slots.signal(key, value, former=former, written=self._at(ts))

    def leave(self, place: Place) -> None:
        # Remarks end with their place, as its facts do.
        for name in self._remarks.pop(place, ()):
            del self._said[name]
            self.slots.forget(name)

    def _at(self, ts: str) -> float:
        return moment(ts, self._zone)

    def broken_by(self, draft: Draft) -> Slot | None:
        """The latest slot that contradicts the policy `draft`: same subject, lower authority. None if no slot does."""
        rule = Slot("", draft.key, as_text(draft.value), draft.source.level, 0)
        for slot in reversed(self._slots_from(())):
            shared = slot.subject & rule.subject
            if not shared or not shared >= rule.key_stems - RULE_WORDS or slot.level >= rule.level:
                continue
            breaks = slot.conflicting(rule.values, loosely=False) is not None
            if breaks and slot.layer != ENVIRONMENT and not slot.constraint:
                return slot
        return None

    def _voice(self, features: TurnFeatures) -> Level:
        if features.tagged is not None:
            return features.tagged
        if is_policy(features.text):
            return Level.POLICY
        return self._reader if features.quoted is None else max(self._reader, features.quoted)

    # --- turns that a write records -------------------------------------------------------------------

    def _is_recorded(self, index: int, ts: str, features: TurnFeatures, written: int) -> bool:
        if features.body in self._initial:
            return True
        for event in self._nearby(ts, written) if self._written else ():
            for data in event["writes"]:
                if self._records(data, index, features):
                    return True
        return False

    def _records(self, data: Write, index: int, features: TurnFeatures) -> bool:
        """True if a write records a turn. If the write replaces a fact, also report the turn as a detection."""
        written = stems(as_text(data["value"]))
        shared = features.stems & written
        if data["layer"] == ENVIRONMENT:
            if not _is_global(data):
                return False
            before = self._signal_before(data["key"], as_text(data["value"])) if shared else None
            if before is None or before in features.text:
                return False
            self._report(index, data["key"], data["key"], EXPLICIT, _ANNOUNCED, features.text)
            return True
        pointer = data.get("supersedes")
        if not pointer:
            return len(shared) >= _RECORDED * len(written)
        if not shared and not features.marked:
            return False
        if _is_global(data):
            old = self.state.store.resolve(pointer)
            if old is not None and (features.marked or old.text not in features.text):
                self._report(index, old.alias, old.key, EXPLICIT, _ANNOUNCED, features.text)
        return True

    def _signal_before(self, key: str, value: str) -> str | None:
        current = self.state.environment.values.get(key)
        return current if current != value else self._former.get(key)

    def _nearby(self, ts: str, written: int) -> Sequence[StateWrite]:
        """Structured events near a turn in time: later events, then earlier events, both nearest first."""
        times, at = self._times, self._at(ts)
        if len(times) == 1:
            return self._written if abs(times[0] - at) <= _NEAR else ()
        first = bisect_left(times, at - _NEAR)
        end = bisect_right(times, at + _NEAR, first)
        if end - first < 2:
            return self._written[first:end]
        return [*self._written[written:end], *reversed(self._written[first:written])]

    # --- turns that change the state ------------------------------------------------------------------

    def _judge(self, index: int, ts: str, features: TurnFeatures, *, attended: bool) -> None:
        told = statements(features.text) if self.hears_facts and attended else ()
        if not self.detector.hears(features.text):
            if told:
                self._take_down(index, ts, features, told)
            return
        slots = self._slots_before(ts, features)
        if not slots and not told:
            return
        turn = Turn(self._last_turn, "user", features.text, ts, self._voice(features))
        matches = self.detector.detect(turn, slots) if slots else ()
        for match in matches:
            self._apply(index, turn, match, features, alone=len(matches) == 1)
        for statement in told:
            gone = self._gone(statement)
            if turn.text not in self.state.overruled and is_new(statement, slots, gone, matches):
                self._state(index, turn, statement)

    def _take_down(self, index: int, ts: str, features: TurnFeatures, told: Sequence[Statement]) -> None:
        """Record a turn's statements in slots, now or when the slots are next read."""
        turn = Turn(self._last_turn, "user", features.text, ts, Level.GUEST)

        def work() -> None:
            slots = self._slots_before(ts, features)
            for statement in told:
                if is_new(statement, slots, self._gone(statement), ()):
                    self._state(index, turn, statement)

        if (
            self._place == EVERYWHERE
            and self.state.store.is_flat()
            and not any(statement.plain for statement in told)
        ):
            self.slots.later(work)
        else:
            work()

    def _apply(self, index: int, turn: Turn, match: Match, features: TurnFeatures, *, alone: bool) -> None:
        if match.slot.layer == ENVIRONMENT:  # turns never change the environment
            self._report_match(index, match, match.slot.key)
        elif max(turn.level, min(self._reader, Level.EMPLOYEE)) >= match.slot.level:
            old = self._fact_in(match.slot)
            value = self._new_value(match) or _without(old, turn.text if alone else match.evidence)
            self._report_match(index, match, old.alias)
            title = features.titles[0] if features.titles else self._title(match, old)
            new = self._supersede(index, turn, old, title, value, match.slot.id)
            self._withdraw_echoes(match, new.id)
            if not _names_gone(old, turn.text).isdisjoint(stems(turn.text)):
                self.state.stored.add(turn.text)
        elif self.hears_facts:
            self.state.overruled.add(turn.text)

    def _title(self, match: Match, old: PersistentFact) -> str | None:
        if is_policy(match.evidence):
            return "policy"
        is_stated = self.hears_facts and bool(match.value) and self._reader >= old.source.level
        return self.state.identity.authority if is_stated else old.source.authority

    def _new_value(self, match: Match) -> str:
        slot = match.slot
        return match.value if self.hears_facts and (slot.is_spoken or slot.is_bare or match.is_whole) else ""

    def record(self, fact: PersistentFact, replaced: str | None, ts: str) -> None:
        """Process a structured write. `replaced` is the id of the fact that it replaced, if any.

        A global write withdraws facts stated in turns that it repeats or, with enough authority, contradicts.
        """
        if fact.scope == GLOBAL and self.slots.hold_speech:
            self._give_way(fact.key, fact.text, fact.source.level, fact.id)
        self.slots.fact(fact, replaces=replaced, written=self._at(ts))

    def _give_way(self, key: str, text: str, authority: Level, successor: str | None) -> None:
        if not self.hears_facts or not self.slots.hold_speech:
            return
        facts = self.state.store.facts
        for slot in [*recorded(key, text, authority, self.slots.spoken(stems(key) | stems(text)))]:
            has_replaced = slot.id in facts and facts[slot.id].supersedes is not None
            if self._place_of(slot) == EVERYWHERE and not has_replaced:
                self._withdraw(slot, successor)

    def _place_of(self, slot: Slot) -> Place:
        filling = self.state.store.facts.get(slot.id) or self._said.get(slot.id)
        return EVERYWHERE if filling is None else filling.place

    def _gone(self, statement: Statement) -> Iterator[Slot]:
        seen, ended = (EVERYWHERE, *self.state.places.now), self.state.store.was_left
        return (
            slot
            for slot in self.slots.gone(statement.clause, parts(statement))
            if self._place_of(slot) in seen and not ended(slot.id)
        )

    def _withdraw(self, slot: Slot, successor: str | None) -> None:
        self.slots.drop(slot.id)
        said = self.state.store.facts.get(slot.id)
        if said is not None and said.is_valid:
            said.is_valid, said.superseded_by = False, successor

    def _withdraw_echoes(self, match: Match, successor: str) -> None:
        slot = match.slot
        if slot.key_stems & stems(match.evidence):
            return
        for other in self.slots.spoken(slot.value_stems):
            if other.lowered == slot.lowered and other.id not in (slot.id, successor):
                self._withdraw(other, successor)

    def _state(self, index: int, turn: Turn, statement: Statement) -> None:
        """Fill a slot with a statement. Plain statements become facts now, remarks once a turn changes them."""
        spoken_for = statement.clause.authority or self.state.identity.authority
        title = "policy" if is_policy(statement.clause.text) else spoken_for
        source = Source(CONVERSATION, title, None, turn.index, index)
        alias = f"T{turn.index}.{len(self.state.store) + len(self._said)}"
        draft = Draft(statement.key, statement.value, source, turn.ts, alias, *self._place)
        if statement.plain and self._is_overruled(statement, source.level):
            self.state.overruled.add(turn.text)
            return
        if statement.plain:
            name = self._state_plainly(draft)
        else:
            name, self._said[alias] = alias, draft
            if self._place != EVERYWHERE:
                self._remarks.setdefault(self._place, []).append(alias)
        slot = Slot(name, draft.key, statement.value, source.level, len(self.state.store))
        slot.written = self._at(turn.ts)
        self.slots.state(slot, statement.clause.text)

    def _state_plainly(self, draft: Draft) -> str:
        is_policy = draft.source.level == Level.POLICY and self._place == EVERYWHERE
        broken = self.broken_by(draft) if is_policy else None
        new = self.state.store.create(draft)
        if broken is not None:
            if (old := self.state.store.facts.get(broken.id)) is not None:
                self.state.store.supersede(old, new)
            self.slots.drop(broken.id)
        return new.id

    def _is_overruled(self, statement: Statement, authority: Level) -> bool:
        """True if a higher authority stated a conflicting value of the same subject under any key."""
        names, values = statement.names - RULE_WORDS, find_values(statement.value)
        if not names or not values:
            return False
        bound = bound_of(f"{statement.key} {statement.value}")
        return any(
            slot.level > authority
            and slot.layer != ENVIRONMENT
            and slot.key_stems - RULE_WORDS == names
            and any(
                breaks(value, held, bound_of(f"{slot.key} {slot.text}"), bound)
                for value in values
                for held in slot.values
            )
            for slot in self._slots_from(self.state.places.now, statement.names)
        )

    def _fact_in(self, slot: Slot) -> PersistentFact:
        fact = self.state.store.facts.get(slot.id)
        if fact is not None:
            return fact
        said = self._said[slot.id]
        return self.state.store.create(replace(said, key=attribute_of(said.key, str(said.value))))

    def _slots_before(self, ts: str, features: TurnFeatures) -> list[Slot]:
        """Slots that a turn may change. Slots that already record the turn, or let its speaker decide, are excluded."""
        at, speaker = self._at(ts), speaker_name(features.text)
        return [
            slot
            for slot in ([] if self._supposed else self._slots_from(self.state.places.now, features.stems))
            if not _leaves_it_to(slot, speaker, features)
            and (
                slot.is_spoken
                or abs(slot.written - at) > _NEAR
                or not slot.is_restated(features.lowered, features.values)
            )
        ]

    def _slots_from(self, active: Places, words: Iterable[str] = ()) -> list[Slot]:
        """Slots valid in the places, latest mention last. If there are many, only slots with a stem of `words`."""
        slots = self.slots.near(words)
        if self.state.store.is_flat():
            return slots
        seen = {fact.id for fact in self.state.store.read_valid(*active)}
        seen |= {name for name, said in self._said.items() if said.place in (EVERYWHERE, *active)}
        return [slot for slot in slots if slot.layer == ENVIRONMENT or slot.id in seen]

    def _supersede(
        self, index: int, turn: Turn, old: PersistentFact, title: str | None, value: str, slot: str
    ) -> PersistentFact:
        source = Source(CONVERSATION, title, None, turn.index, index)
        draft = Draft(old.key, value, source, turn.ts, f"T{turn.index}", old.scope, old.scope_id)
        new = self.state.store.create(draft)
        new.constraint_type, new.is_constraint = old.constraint_type, old.is_constraint
        new.stands_for = old.stands_for
        self.state.store.supersede(old, new)
        self.slots.fact(new, replaces=slot, written=self._at(turn.ts))
        return new

    def _report_match(self, index: int, match: Match, fact: str) -> None:
        self._report(index, fact, match.slot.key, match.kind, match.confidence, match.evidence)

    def _report(self, index: int, fact: str, key: str, kind: str, confidence: float, evidence: str) -> None:
        detection = Detection(self._last_turn, index, fact, key, kind, evidence, confidence)
        self.state.detections.append(detection)

    @property
    def _last_turn(self) -> int:
        return len(self.state.turns) - 1


def _names_gone(old: PersistentFact, said: str) -> frozenset[str]:
    kept = " ".join([speaker_name(said), *(each.name for each in named_things(said))])
    return capitals(old.text) - stems(kept)


def _without(old: PersistentFact, said: str) -> str:
    """The turn without the clauses that name the superseded value. Unchanged if no clause would be left."""
    names, parts = _names_gone(old, said), clauses(said)
    kept = [part.text for part in parts if names.isdisjoint(stems(part.text))]
    return " ".join(kept) if names and 0 < len(kept) < len(parts) else said


def _leaves_it_to(slot: Slot, speaker: str, features: TurnFeatures) -> bool:
    """True if the slot is a rule that leaves the value to the speaker: "The fee is for Ann Lee to decide"."""
    if not (slot.constraint and speaker) or speaker.lower() not in slot.lowered:
        return False
    return slot.conflicting(features.values, loosely=True) is None


def _is_global(data: Write) -> bool:
    return scope_from(data.get("scope")) == GLOBAL
