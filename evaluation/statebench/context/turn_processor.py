"""What turns do to a state: whether a write records them, what they supersede, what a signal makes stale."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.statebench.context.opening import Event, seconds
from evaluation.statebench.context.state import State
from evaluation.statebench.detection.detector import Detection, Detector, Turn
from evaluation.statebench.detection.rules import EXPLICIT, Match
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.detection.slots import CONVERSATION, ENVIRONMENT, Slots
from evaluation.statebench.detection.turn_features import TurnFeatures
from evaluation.statebench.facts.authority import Level, level
from evaluation.statebench.facts.drafts import Draft
from evaluation.statebench.facts.layers import PersistentFact, Source
from evaluation.statebench.facts.scopes import GLOBAL, scope_from
from evaluation.statebench.language.words import stems

_NEAR = 120.0  # seconds between a turn and the write that records it
_RECORDED = 0.6  # share of a written value's words that a turn repeats when it is what was recorded
_ANNOUNCED = 0.9  # confidence of a turn that announces a structured supersession
_CLOCK = "now"
_SIGNAL = "Update"  # what comes from outside is news by its nature
_RULE_WORDS = stems("policy rule limit cap max maximum minimum guideline standard")


class TurnProcessor:
    """Hears the turns of a replay and applies what the detector finds in them.

    Turns speak of what holds globally: facts of other scopes are no slots.
    """

    def __init__(self, state: State, events: Sequence[tuple[int, Event]], detector: Detector) -> None:
        self.state, self.detector = state, detector
        self.slots = Slots()
        self._written = [event for _, event in events if event["type"] != "conversation_turn"]
        self._times = [seconds(event["ts"]) for event in self._written]
        self._reader = level(state.identity.authority)
        self._former: dict[str, str] = {}  # environment key -> the value before the present one
        given = []
        for fact in state.store.facts.values():
            if fact.scope == GLOBAL:
                given.append(fact.text)
                if fact.is_valid:
                    self.slots.fact(fact)
        for key, value in state.environment.values.items():
            if key != _CLOCK:
                self.slots.signal(key, value)
                given.append(value)
        self._given = "\n".join(given).lower()

    def process(self, index: int, event: Event, features: TurnFeatures, written: int) -> None:
        """Take in a turn; so many structured events came before it."""
        if event["speaker"] == "user" and not self._is_recorded(index, event["ts"], features, written):
            self._judge(index, event["ts"], features)
        self.slots.process(features)

    def signal(self, key: str, value: str, ts: str, *, former: str | None) -> None:
        """Take in an environment value. One on the same thing under another key makes the old one stale."""
        if key == _CLOCK:
            return
        others = [
            slot for slot in self.slots.current().values() if slot.layer == ENVIRONMENT and slot.key != key
        ]
        news = Turn(-1, ENVIRONMENT, f"{_SIGNAL}: {value}", ts, Level.POLICY)
        match = self.detector.detect(news, others) if others else None
        if match is not None and match.slot.key in self.state.environment.values:
            self.state.environment.retire(match.slot.key)
        if former is not None:
            self._former[key] = former
        self.slots.signal(key, value, former=former, written=seconds(ts))

    def broken_by(self, draft: Draft) -> Slot | None:
        """A fact on lower authority whose value breaks the limit that a policy sets on the same subject."""
        rule = Slot("", draft.key, str(draft.value), draft.source.level, 0)
        for slot in reversed(self.slots.current().values()):
            shared = slot.subject & rule.subject
            if not shared or not shared >= rule.key_stems - _RULE_WORDS or slot.level >= rule.level:
                continue
            breaks = slot.conflicting(rule.values, loosely=False) is not None
            if breaks and slot.layer != ENVIRONMENT and not slot.constraint:
                return slot
        return None

    def _voice(self, said: TurnFeatures) -> Level:
        """Whose authority a turn carries: its speaker's by the tag, else the user's or the one it quotes."""
        if said.tagged is not None:
            return said.tagged
        return self._reader if said.quoted is None else max(self._reader, said.quoted)

    # --- turns that a write records -------------------------------------------------------------------

    def _is_recorded(self, index: int, ts: str, said: TurnFeatures, written: int) -> bool:
        """True where a fact given or a write near in time says what the turn says."""
        if said.body in self._given:
            return True
        if self._written:
            for event in self._nearby(ts, written):
                for data in event["writes"]:
                    if self._records(data, index, said):
                        return True
        return False

    def _records(self, data: Mapping[str, Any], index: int, said: TurnFeatures) -> bool:
        """Whether one write records a turn; a replacement is reported as announced by it."""
        written = stems(str(data["value"]))
        shared = said.stems & written
        if data["layer"] == ENVIRONMENT:
            if not _is_global(data):
                return False
            before = self._signal_before(data["key"], str(data["value"])) if shared else None
            if before is None or before in said.text:
                return False
            self._report(index, data["key"], data["key"], EXPLICIT, _ANNOUNCED, said.text)
            return True
        pointer = data.get("supersedes")
        if not pointer:
            return len(shared) >= _RECORDED * len(written)
        if not shared and not said.marked:
            return False
        if _is_global(data):
            old = self.state.store.resolve(pointer)
            if old is not None and (said.marked or old.text not in said.text):
                self._report(index, old.alias, old.key, EXPLICIT, _ANNOUNCED, said.text)
        return True

    def _signal_before(self, key: str, value: str) -> str | None:
        """What a signal replaces or has replaced, None where it is the first under its key."""
        current = self.state.environment.values.get(key)
        return current if current != value else self._former.get(key)

    def _nearby(self, ts: str, written: int) -> Sequence[Event]:
        """Structured events within reach of a turn, later ones first, nearest first."""
        times, at = self._times, seconds(ts)
        first = bisect_left(times, at - _NEAR)
        end = bisect_right(times, at + _NEAR, first)
        if end - first < 2:
            return self._written[first:end]
        return [*self._written[written:end], *reversed(self._written[first:written])]

    # --- turns that change the state ------------------------------------------------------------------

    def _judge(self, index: int, ts: str, said: TurnFeatures) -> None:
        slots = self._slots_before(ts, said) if self.detector.hears(said.text) else []
        if not slots:
            return
        turn = Turn(self._last_turn, "user", said.text, ts, self._voice(said))
        match = self.detector.detect(turn, slots)
        if match is None:
            return
        if match.slot.layer == ENVIRONMENT:  # never changed by what is said
            self._found(index, match, match.slot.key)
        elif max(turn.level, min(self._reader, Level.EMPLOYEE)) >= match.slot.level:
            old = self.state.store.facts[match.slot.id]
            self._found(index, match, old.alias)
            self._supersede(index, turn, old, said)

    def _slots_before(self, ts: str, said: TurnFeatures) -> list[Slot]:
        """The slots without those that a write near in time opened to record this very turn."""
        at = seconds(ts)
        return [
            slot
            for slot in self.slots.current().values()
            if abs(slot.written - at) > _NEAR or not slot.is_restated(said.lowered, said.values)
        ]

    def _supersede(self, index: int, turn: Turn, old: PersistentFact, said: TurnFeatures) -> None:
        """Put the turn's words in the place of a fact, on the authority they carry."""
        title = said.titles[0] if said.titles else old.source.authority
        source = Source(CONVERSATION, title, None, turn.index, index)
        draft = Draft(old.key, turn.text, source, turn.ts, id=f"T{turn.index}", scope=old.scope)
        new = self.state.store.create(draft)
        new.constraint_type, new.is_constraint = old.constraint_type, old.is_constraint
        self.state.store.supersede(old, new)
        self.slots.fact(new, replaces=old.id, written=seconds(turn.ts))

    def _found(self, index: int, match: Match, fact: str) -> None:
        self._report(index, fact, match.slot.key, match.kind, match.confidence, match.evidence)

    def _report(self, index: int, fact: str, key: str, kind: str, confidence: float, evidence: str) -> None:
        found = Detection(self._last_turn, index, fact, key, kind, evidence, confidence)
        self.state.detections.append(found)

    @property
    def _last_turn(self) -> int:
        """The number of the turn that is being heard."""
        return len(self.state.turns) - 1


def _is_global(data: Mapping[str, Any]) -> bool:
    return scope_from(data.get("scope")) == GLOBAL
