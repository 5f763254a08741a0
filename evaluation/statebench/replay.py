"""Replay a timeline up to a query: structured events change the state, and detection fills in what only was
said.

Events take effect in stable order of time. A turn that a structured write records (near in time, same
content) is not judged a second time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evaluation.statebench import classify
from evaluation.statebench.authority import Level, level
from evaluation.statebench.detection.detector import Detection, Detector, RuleDetector, Turn
from evaluation.statebench.detection.rules import EXPLICIT
from evaluation.statebench.detection.slot import GIVEN, Slot
from evaluation.statebench.layers import (
    PersistentFact,
    Source,
    WorkingSetItem,
)
from evaluation.statebench.opening import (
    Event,
    draft_from,
    initial_state,
    scratch_item,
    seconds,
    visible_events,
)
from evaluation.statebench.speech import Speech, speech
from evaluation.statebench.state import State
from evaluation.statebench.store import Draft, FactStore, refuse
from evaluation.statebench.words import stems

RULES = RuleDetector()

_NEAR = 120.0  # seconds between a turn and the write that records it
_RECORDED = 0.6  # share of a written value's words that a turn repeats when it is what was recorded
_ANNOUNCED = 0.9  # confidence of a turn that announces a structured supersession
_NOW = "now"
_SIGNAL = "Update"  # what comes from outside is news by its nature


def replay(timeline: Mapping[str, Any], query_idx: int = 0, *, detector: Detector | None = RULES) -> State:
    """The state that a query sees. `detector=None` believes structured events only.

    Raises RowError where the timeline has no such query.
    """
    return Replay(timeline, query_idx, detector).run()


def replay_all(timeline: Mapping[str, Any], *, detector: Detector | None = RULES) -> Iterator[State]:
    """The state at each query in turn. Queries that see the same events share one pass over them.

    A state is to be used before the next is asked for: both may be the same object.
    """
    seen: list[tuple[int, Event]] | None = None
    for query_idx in range(sum(event["type"] == "query" for event in timeline["events"])):
        events, query = visible_events(timeline, query_idx)
        if events != seen:
            seen, state = events, replay(timeline, query_idx, detector=detector)
        state.query, state.now = query["prompt"], query["ts"]
        yield state


class Replay:
    """One pass over the events of a timeline."""

    def __init__(self, timeline: Mapping[str, Any], query_idx: int, detector: Detector | None) -> None:
        self.detector = detector
        self.events, query = visible_events(timeline, query_idx)
        self.state = initial_state(timeline)
        self.state.query, self.state.now = query["prompt"], query["ts"]
        self.store: FactStore = self.state.store
        self.slots: dict[str, Slot] = {}
        self.given: list[str] = []
        self.turn_index = -1
        self.reader = level(self.state.identity.authority)

    def run(self) -> State:
        """Apply every event."""
        if self.detector is not None:
            for fact in self.store:
                self.given.append(self._open_slot(fact).lowered)
            for key, value in self.state.environment.values.items():
                self._open_environment_slot(key, value)
            self.given += [slot.lowered for slot in self.slots.values() if slot.layer == "environment"]
        for position, (index, event) in enumerate(self.events):
            if event["type"] == "conversation_turn":
                self._say(position, index, event)
            else:
                for data in event["writes"]:
                    self._write(index, event["ts"], data)
        return self.state

    # --- structured events
    # ---------------------------------------------------------------------------------------

    def _write(self, index: int, ts: str, data: Mapping[str, Any]) -> None:
        layer = data["layer"]
        if layer == "environment":
            self._update_environment(ts, data)
        elif layer == "working_set":
            self.state.items.append(scratch_item(data["key"], str(data["value"]), ts, data.get("expires_at")))
        elif layer == "persistent_facts":
            self._write_fact(draft_from(data, ts, index))

    def _write_fact(self, draft: Draft) -> None:
        old = self.store.resolve(draft.supersedes) if draft.supersedes else self._rival(draft)
        if old is not None and not draft.supersedes:
            if refuse(draft, old):
                self.store.write(_pointing(draft, old))
                return
            draft = _pointing(draft, old)
        new = self.store.write(draft)
        if new is not None and self.detector is not None:
            self._replace_slot(self.store.facts.get(new.supersedes or ""), new).written = seconds(draft.ts)

    def _rival(self, draft: Draft) -> PersistentFact | None:
        """The valid fact a write without a pointer contradicts: the same key, or what a policy overrides."""
        if draft.scope != classify.GLOBAL:
            return None
        same = self.store.resolve(draft.key)
        if same is not None and same.is_valid and same.key == draft.key and same.scope == draft.scope:
            return same
        if self.detector is None or draft.source.level < Level.POLICY:
            return None
        return self._overridden(draft)

    def _overridden(self, draft: Draft) -> PersistentFact | None:
        """A fact on lower authority whose value breaks the limit that a policy sets on the same subject."""
        rule = Slot("", draft.key, str(draft.value), draft.source.level, 0)
        for slot in reversed(self.slots.values()):
            shared = slot.subject & rule.subject
            if slot.level < rule.level and shared >= rule.key_stems - _RULE_WORDS and shared:
                found = slot.conflicting(rule.values, loosely=False)
                if found is not None and slot.layer == "persistent_facts" and not slot.constraint:
                    return self.store.facts[slot.id]
        return None

    def _update_environment(self, ts: str, data: Mapping[str, Any]) -> None:
        key = data["key"]
        old = self.state.environment.values.get(key)
        if self.state.environment.update(key, data["value"], ts) and self.detector is not None:
            self._retire_contradicted(key, str(data["value"]), ts)
            self._open_environment_slot(key, str(data["value"]), former=old, written=seconds(ts))

    def _retire_contradicted(self, key: str, value: str, ts: str) -> None:
        """A fresh signal on the same thing under another key ("alert" after "deadline") makes the old one
        stale.
        """
        assert self.detector is not None
        others = [slot for slot in self.slots.values() if slot.layer == "environment" and slot.key != key]
        signal = Turn(-1, "environment", f"{_SIGNAL}: {value}", ts, Level.POLICY)
        match = self.detector.detect(signal, others) if others else None
        if match is not None and match.slot.key in self.state.environment.values:
            self.state.environment.retire(match.slot.key)

    # --- what is said
    # --------------------------------------------------------------------------------------------

    def _say(self, position: int, index: int, event: Event) -> None:
        self.turn_index += 1
        text, speaker, ts = event["text"], event["speaker"], event["ts"]
        order = self.turn_index
        self.state.turns.append(WorkingSetItem(f"turn_{order}", text, ts, speaker, order=order))
        if self.detector is None:
            return
        said = speech(text)
        if speaker == "user":
            turn = Turn(order, speaker, text, ts, self._voice(said))
            if not self._is_recorded(position, index, turn, said):
                self._judge(index, turn, said)
        self._gloss(text, said)

    def _voice(self, said: Speech) -> Level:
        """Whose authority a turn carries: the speaker in its tag, else the user's own or the one it
        quotes.
        """
        if said.tagged is not None:
            return said.tagged
        return self.reader if said.quoted is None else max(self.reader, said.quoted)

    def _is_recorded(self, position: int, index: int, turn: Turn, said: Speech) -> bool:
        """True where a fact or a structured write near in time says what the turn says; reports what it
        replaced.
        """
        body = said.lowered.rstrip(".! ")
        for text in self.given:
            if body in text:
                return True
        for event in self._nearby(position, turn.ts):
            for data in event["writes"]:
                if self._records(data, index, turn, said):
                    return True
        return False

    def _records(self, data: Mapping[str, Any], index: int, turn: Turn, said: Speech) -> bool:
        """Whether one write records a turn; a replacement is reported as announced by it."""
        written = stems(str(data["value"]))
        shared = said.stems & written
        if data["layer"] == "environment":
            before = self._environment_before(data) if shared else None
            if before is None or before == data["value"] or before in turn.text:
                return False
            self._report(index, turn, data["key"], data["key"], EXPLICIT, _ANNOUNCED)
            return True
        pointer = data.get("supersedes")
        if not pointer:
            return len(shared) >= _RECORDED * len(written)
        if not shared and not said.marked:
            return False
        old = self.store.resolve(pointer)
        if old is not None and (said.marked or old.text not in turn.text):
            self._report(index, turn, old.alias, old.key, EXPLICIT, _ANNOUNCED)
        return True

    def _nearby(self, position: int, ts: str) -> Iterator[Event]:
        """Structured events within reach of a turn, later ones first, nearest first."""
        at = seconds(ts)
        for step in (1, -1):
            neighbour = position + step
            while 0 <= neighbour < len(self.events):
                event = self.events[neighbour][1]
                if abs(seconds(event["ts"]) - at) > _NEAR:
                    break
                if event["type"] != "conversation_turn":
                    yield event
                neighbour += step

    def _environment_before(self, data: Mapping[str, Any]) -> str | None:
        """What an environment write replaces or has replaced."""
        current = self.state.environment.values.get(data["key"])
        if current != str(data["value"]):
            return current
        slot = self.slots.get(_environment_id(data["key"]))
        return slot.former[-1] if slot and slot.former else None

    def _judge(self, index: int, turn: Turn, said: Speech) -> None:
        assert self.detector is not None
        slots = self._slots_before(turn, said)
        match = self.detector.detect(turn, slots) if slots else None
        if match is None:
            return
        slot = match.slot
        if slot.layer == "environment":
            self._report(index, turn, slot.key, slot.key, match.kind, match.confidence, match.evidence)
            return
        if max(turn.level, min(self.reader, Level.EMPLOYEE)) < slot.level:
            return
        old = self.store.facts[slot.id]
        self._report(index, turn, old.alias, old.key, match.kind, match.confidence, match.evidence)
        self._supersede_by_turn(index, turn, old, said)

    def _slots_before(self, turn: Turn, said: Speech) -> list[Slot]:
        """The slots without those that a write near in time opened to record this very turn."""
        at = seconds(turn.ts)
        return [
            slot
            for slot in self.slots.values()
            if abs(slot.written - at) > _NEAR or not slot.is_restated(said.lowered, said.values)
        ]

    def _supersede_by_turn(self, index: int, turn: Turn, old: PersistentFact, said: Speech) -> None:
        source = Source("conversation", said.title or old.source.authority, None, turn.index, index)
        new = self.store.create(
            Draft(old.key, turn.text, source, turn.ts, id=f"T{turn.index}", scope=old.scope)
        )
        new.constraint_type, new.is_constraint = old.constraint_type, old.is_constraint
        self.store.supersede(old, new)
        self._replace_slot(old, new).written = seconds(turn.ts)

    def _report(
        self, index: int, turn: Turn, fact: str, key: str, kind: str, confidence: float, evidence: str = ""
    ) -> None:
        evidence = evidence or turn.text
        self.state.detections.append(Detection(turn.index, index, fact, key, kind, evidence, confidence))

    # --- slots
    # ---------------------------------------------------------------------------------------------------

    def _open_slot(self, fact: PersistentFact) -> Slot:
        slot = Slot(fact.id, fact.key, fact.text, fact.source.level, fact.order, fact.is_constraint)
        self.slots[fact.id] = slot
        for turn in self.state.turns[-2:]:
            if _speaks_of(speech(turn.value), slot):
                slot.gloss(turn.value)
        return slot

    def _open_environment_slot(
        self, key: str, value: str, *, former: str | None = None, written: float = GIVEN
    ) -> None:
        if key == _NOW:
            return
        slot = Slot(_environment_id(key), key, value, Level.GUEST, -1, layer="environment", written=written)
        old = self.slots.pop(slot.id, None)
        if former is not None:
            slot.former = [*(old.former if old else []), former]
        self.slots[slot.id] = slot

    def _replace_slot(self, old: PersistentFact | None, new: PersistentFact) -> Slot:
        before = self.slots.pop(old.id, None) if old is not None else None
        slot = self._open_slot(new)
        if before is not None:
            slot.subject = slot.subject | before.subject
            slot.former = [*before.former, before.text]
        return slot

    def _gloss(self, text: str, said: Speech) -> None:
        """Slots spoken of move to the end, where pronouns find them; the first such turn tells their
        words.
        """
        spoken = [slot for slot in self.slots.values() if slot.lowered in said.lowered]
        for slot in spoken:
            if not slot.glossed:
                slot.gloss(text)
            self.slots[slot.id] = self.slots.pop(slot.id)


_RULE_WORDS = stems("policy rule limit cap max maximum minimum guideline standard")


def _pointing(draft: Draft, old: PersistentFact) -> Draft:
    return Draft(
        draft.key,
        draft.value,
        draft.source,
        draft.ts,
        draft.id,
        draft.scope,
        draft.scope_id,
        old.id,
        draft.depends_on,
        draft.is_constraint,
        draft.constraint_type,
    )


def _environment_id(key: str) -> str:
    return f"environment:{key}"


def _speaks_of(said: Speech, slot: Slot) -> bool:
    """True where a turn says at least half of what a slot holds."""
    return slot.lowered in said.lowered or 2 * len(said.stems & slot.value_stems) >= max(
        1, len(slot.value_stems)
    )


def detect(timeline: Mapping[str, Any], *, detector: Detector | None = None) -> list[Detection]:
    """What the turns of a timeline supersede, by language; turns and events are counted from 0.

    Only turns, structured events and the initial state are read: no label, no ground truth.
    """
    queries = sum(event["type"] == "query" for event in timeline["events"])
    if not queries:
        timeline = {
            **timeline,
            "events": [*timeline["events"], {"type": "query", "ts": "9999", "prompt": ""}],
        }
    return replay(timeline, max(0, queries - 1), detector=detector or RULES).detections
