"""Keeps the slots of a state during a replay. They are updated only when they are read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from operator import attrgetter
from typing import Any

from evaluation.statebench.detection.clause import Clause
from evaluation.statebench.detection.slot import GIVEN, Slot
from evaluation.statebench.detection.turn_features import TurnFeatures
from evaluation.statebench.facts.authority import Level
from evaluation.statebench.facts.layers import PersistentFact
from evaluation.statebench.language.overlap import FEW, Need, OverlapIndex, Parts, least_of
from evaluation.statebench.language.words import key_runs, runs, says

ENVIRONMENT = "environment"
CONVERSATION = "conversation"
_touched = attrgetter("touched")
MOST = 0.6  # share of a value's words that counts as a mention
_RECENT = 2  # turns before a write that may have announced it
_AT_HAND = 32  # newest spoken slots, compared with every turn; older ones only if they share a word with it
_PER_WORD = 3  # newest slots kept per word

Note = tuple[Callable[..., None], tuple[Any, ...]]  # unbound method, arguments


class Slots:
    """All slots of a state, in order of their last mention.

    `fact`, `signal` and `process` only queue records; `current` applies the queue when slots are read. A turn is
    compared only with recent slots and with slots that share a word with the turn. So the cost of a turn does not
    grow with the length of the conversation.
    """

    def __init__(self) -> None:
        self._slots: dict[str, Slot] = {}
        self._spoken: dict[str, Slot] = {}  # filled by statements
        self._written: dict[str, Slot] = {}  # all others
        # Stem of key or value -> newest spoken slots.
        self._by_word: dict[str, deque[Slot]] = {}
        # Replaced slots.
        self._gone: OverlapIndex[Slot, tuple[Clause, Parts]] = OverlapIndex(_needed, _offered)
        # Present and replaced slots by the words that repeat their values.
        self._verbatim: OverlapIndex[Slot, TurnFeatures] = OverlapIndex(
            _said, lambda turn: runs(turn.lowered)
        )
        self._turns: list[TurnFeatures] = []
        self._notes: list[Note] = []
        self._waiting = 0  # number of statements among the notes
        self._working = False  # guards against reentry while notes are applied
        self._clock = 0  # counts mentions

    def fact(self, fact: PersistentFact, *, replaces: str | None = None, written: float = GIVEN) -> None:
        """Queue a fact. `replaces`: id of the replaced slot. `written`: Unix time, or GIVEN in the initial state."""
        self._notes.append((Slots._fact, (fact, replaces, written)))

    def signal(self, key: str, value: str, *, former: str | None = None, written: float = GIVEN) -> None:
        """Queue an environment value. `former`: previous value. `written`: Unix time, or GIVEN in the initial state."""
        self._notes.append((Slots._signal, (key, value, former, written)))

    def process(self, features: TurnFeatures) -> None:
        self._notes.append((Slots._turn, (features,)))

    def current(self) -> dict[str, Slot]:
        """Apply the queued records and return the slots by id, the last mentioned at the end."""
        if self._notes and not self._working:
            self._working = True
            for step, noted in self._notes:
                step(self, *noted)
            self._notes.clear()
            self._waiting = 0
            self._working = False
        return self._slots

    @property
    def hold_speech(self) -> bool:
        """True if the value of any slot comes from a statement in a turn. Queued statements count, too."""
        return bool(self._spoken) or self._waiting > 0

    def later(self, work: Callable[[], None]) -> None:
        self._waiting += 1
        self._notes.append((lambda _: work(), ()))

    def near(self, stems: Iterable[str]) -> list[Slot]:
        """Return the slots that words with these stems may mean, the last mentioned at the end."""
        self.current()
        slots = self._in_any_order(stems)
        return [*slots] if len(self._spoken) <= _AT_HAND else sorted(slots, key=_touched)

    def _in_any_order(self, stems: Iterable[str]) -> Iterable[Slot]:
        if len(self._spoken) <= _AT_HAND:
            return self._slots.values()
        by_word, spoken = self._by_word, self._spoken
        wanted = set(islice(reversed(spoken.values()), _AT_HAND))
        wanted.update(*[by_word[stem] for stem in stems if stem in by_word])
        return [*self._written.values(), *[slot for slot in wanted if slot.id in spoken]]

    def spoken(self, stems: Iterable[str]) -> list[Slot]:
        self.current()
        if not self._spoken:
            return []
        if len(self._spoken) <= _AT_HAND:
            wanted = frozenset(stems)
            return [
                slot
                for slot in self._spoken.values()
                if not (wanted.isdisjoint(slot.subject) and wanted.isdisjoint(slot.value_stems))
            ]
        found = dict.fromkeys(slot for stem in stems if stem in self._by_word for slot in self._by_word[stem])
        return [slot for slot in found if slot.id in self._spoken]

    def gone(self, clause: Clause, read: Parts = frozenset()) -> Iterator[Slot]:
        """Yield replaced slots whose former value a clause may repeat. `read`: further words to search by."""
        self.current()
        for slot in self._gone.find((clause, read)):
            if not clause.stems.isdisjoint(slot.value_stems):
                yield slot

    def drop(self, id: str) -> None:
        """Remove a slot that a record replaced. Its value is kept as a former value."""
        if (slot := self.forget(id)) is not None:
            self._gone.add(slot)

    def forget(self, id: str) -> Slot | None:
        """Remove a slot and its former values. Returns the slot, or None if the id is unknown."""
        slot = self.current().pop(id, None)
        if slot is not None:
            self._forget(slot)
        return slot

    def _add(self, slot: Slot) -> None:
        self._verbatim.add(slot)
        self._put_last(slot)

    def _put_last(self, slot: Slot) -> None:
        self._clock += 1
        slot.touched = self._clock
        self._slots[slot.id] = slot
        if slot.is_spoken:
            self._spoken.pop(slot.id, None)
            self._spoken[slot.id] = slot
        else:
            self._written[slot.id] = slot

    def _fact(self, fact: PersistentFact, replaces: str | None, written: float) -> None:
        before = self._slots.pop(replaces, None) if replaces else None
        layer, level = "persistent_facts", fact.source.level
        slot = Slot(fact.id, fact.key, fact.text, level, fact.order, fact.is_constraint, layer, written)
        slot.is_spoken = fact.source.type == CONVERSATION
        self._add(slot)
        if fact.source.type != CONVERSATION:  # a spoken fact needs no announcing turn
            for turn in reversed(self._turns[-_RECENT:]):
                if _speaks_of(turn, slot):
                    slot.gloss(turn.text)
                    break
        if before is not None:
            self._forget(before)
            self._gone.add(before)
            slot.call(before.subject)
            slot.take_over(before.former, before.text)
        if slot.is_spoken:
            self._index_spoken(slot)

    def _forget(self, slot: Slot) -> None:
        self._spoken.pop(slot.id, None)
        self._written.pop(slot.id, None)
        self._verbatim.leave_out(slot)

    def state(self, slot: Slot, clause: str) -> None:
        """Add a slot whose value a turn states. The words of `clause` then count as references to the slot."""
        self.current()
        slot.is_spoken = True
        slot.gloss(clause)
        self._add(slot)
        self._index_spoken(slot)

    def _index_spoken(self, slot: Slot) -> None:
        if len(self._spoken) == _AT_HAND + 1:
            for other in self._spoken.values():
                self._index(other)
        elif len(self._spoken) > _AT_HAND:
            self._index(slot)

    def _index(self, slot: Slot) -> None:
        for stem in slot.subject | slot.value_stems:
            self._by_word.setdefault(stem, deque(maxlen=_PER_WORD)).append(slot)

    def _signal(self, key: str, value: str, former: str | None, written: float) -> None:
        slot = Slot(f"{ENVIRONMENT}:{key}", key, value, Level.GUEST, -1, layer=ENVIRONMENT, written=written)
        old = self._slots.pop(slot.id, None)
        if former is not None:
            slot.take_over(old.former if old else None, former)
        if old is not None:
            self._gone.add(old)
            self._verbatim.leave_out(old)
        self._add(slot)

    def _turn(self, turn: TurnFeatures) -> None:
        """Make the slots that a turn mentions the latest ones, so that pronouns in later turns refer to them."""
        self._turns.append(turn)
        lowered = turn.lowered
        spoken = [
            slot for slot in self._near(turn) if slot.lowered in lowered and says(lowered, slot.lowered)
        ]
        if len(spoken) > 1:  # pronouns should find a record before statements that repeat it
            spoken.sort(key=lambda slot: (not slot.is_spoken, slot.touched))
        for slot in spoken:
            if not slot.glossed:
                slot.gloss(turn.text)
            self._put_last(self._slots.pop(slot.id))

    def _near(self, turn: TurnFeatures) -> Iterable[Slot]:
        slots = self._slots
        if len(slots) <= FEW:
            return slots.values()
        found = {slot for slot in self._verbatim.find(turn) if slots.get(slot.id) is slot}
        if len(self._spoken) > _AT_HAND and any(slot.is_spoken for slot in found):
            found.intersection_update(self._in_any_order(turn.stems))
        return found


def _said(slot: Slot) -> list[Need]:
    said = key_runs(slot.lowered)
    return [(said, len(said))]


def _needed(slot: Slot) -> list[Need]:
    """Return sets of parts (words, character runs, values). A clause that repeats the slot has enough of one set."""
    said, typed = key_runs(slot.lowered), frozenset([value.form for value in slot.wording.typed])
    most = (slot.value_stems, least_of(MOST, len(slot.value_stems)))
    return [most, (said, max(1, len(said))), (typed, max(1, len(typed)))]


def _offered(said: tuple[Clause, Parts]) -> Parts:
    clause, read = said
    return clause.stems.union(runs(clause.lowered), [value.form for value in clause.values], read)


def _speaks_of(turn: TurnFeatures, slot: Slot) -> bool:
    shared = len(turn.stems & slot.value_stems)
    return slot.lowered in turn.lowered or (shared > 0 and shared >= MOST * len(slot.value_stems))
