"""The slots of a state while a timeline is replayed. They are kept up only when somebody asks for them."""

from __future__ import annotations

from typing import Any

from evaluation.statebench.detection.slot import GIVEN, Slot
from evaluation.statebench.detection.turn_features import TurnFeatures
from evaluation.statebench.facts.authority import Level
from evaluation.statebench.facts.layers import PersistentFact

ENVIRONMENT = "environment"
CONVERSATION = "conversation"
_MOST = 0.6  # share of a value's words
_RECENT = 2  # how many turns before a write may have announced what is written

Note = tuple[Any, ...]  # a method that works it off, unbound, and its arguments


class Slots:
    """Slots in the order in which they were spoken of last.

    `fact`, `signal` and `turn` note what happened; the notes are worked off by `current`.
    """

    def __init__(self) -> None:
        self._slots: dict[str, Slot] = {}
        self._turns: list[TurnFeatures] = []
        self._notes: list[Note] = []

    def fact(self, fact: PersistentFact, *, replaces: str | None = None, written: float = GIVEN) -> None:
        """A fact was created, perhaps in place of another."""
        self._notes.append((Slots._fact, fact, replaces, written))

    def signal(self, key: str, value: str, *, former: str | None = None, written: float = GIVEN) -> None:
        """An environment value is there, perhaps in place of a former one."""
        self._notes.append((Slots._signal, key, value, former, written))

    def process(self, features: TurnFeatures) -> None:
        """Take in a turn."""
        self._notes.append((Slots._turn, features))

    def current(self) -> dict[str, Slot]:
        """The slots by id, the one spoken of last at the end."""
        for step, *noted in self._notes:
            step(self, *noted)
        self._notes.clear()
        return self._slots

    def _fact(self, fact: PersistentFact, replaces: str | None, written: float) -> None:
        before = self._slots.pop(replaces, None) if replaces else None
        layer, level = "persistent_facts", fact.source.level
        slot = Slot(fact.id, fact.key, fact.text, level, fact.order, fact.is_constraint, layer, written)
        self._slots[fact.id] = slot
        if fact.source.type != CONVERSATION:  # such a fact is the turn itself
            for said in reversed(self._turns[-_RECENT:]):
                if _speaks_of(said, slot):
                    slot.gloss(said.text)
                    break
        if before is not None:
            slot.subject = slot.subject | before.subject
            slot.former = (*before.former, before.text)

    def _signal(self, key: str, value: str, former: str | None, written: float) -> None:
        slot = Slot(f"{ENVIRONMENT}:{key}", key, value, Level.GUEST, -1, layer=ENVIRONMENT, written=written)
        old = self._slots.pop(slot.id, None)
        if former is not None:
            slot.former = (*(old.former if old else ()), former)
        self._slots[slot.id] = slot

    def _turn(self, said: TurnFeatures) -> None:
        """Slots spoken of move to the end, where pronouns find them, and learn how they are spoken of."""
        self._turns.append(said)
        spoken = [slot for slot in self._slots.values() if slot.lowered in said.lowered]
        for slot in spoken:
            if not slot.glossed:
                slot.gloss(said.text)
            self._slots[slot.id] = self._slots.pop(slot.id)


def _speaks_of(said: TurnFeatures, slot: Slot) -> bool:
    """True where a turn says what a slot holds, or most of it."""
    shared = len(said.stems & slot.value_stems)
    return slot.lowered in said.lowered or (shared > 0 and shared >= _MOST * len(slot.value_stems))
