"""The slots of a state while a timeline is replayed. They are kept up only when somebody asks for them."""

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
MOST = 0.6  # share of a value's words by which it is said
_RECENT = 2  # how many turns before a write may have announced what is written
_AT_HAND = (
    32  # slots filled by what was said that any turn may speak of; older ones only where it shares a word
)
_PER_WORD = 3  # of those that share a word, the newest

Note = tuple[Callable[..., None], tuple[Any, ...]]  # a method that works it off, unbound, and its arguments


class Slots:
    """Slots in the order in which they were spoken of last.

    `fact`, `signal` and `turn` note what happened; the notes are worked off by `current`. A long conversation fills
    many slots: a turn is compared with those at hand and those that share a word with it, so that its cost does not
    grow with what was said before.
    """

    def __init__(self) -> None:
        self._slots: dict[str, Slot] = {}
        self._spoken: dict[str, Slot] = {}  # of these, the ones that statements filled
        self._written: dict[str, Slot] = {}  # all others
        # Spoken ones by the stems of their keys and values, of each the newest.
        self._by_word: dict[str, deque[Slot]] = {}
        self._gone: OverlapIndex[Slot, tuple[Clause, Parts]] = OverlapIndex(
            _needed, _offered
        )  # slots that were refilled
        # All slots, and those that were refilled since, by the words that repeat what they hold.
        self._verbatim: OverlapIndex[Slot, TurnFeatures] = OverlapIndex(_said, _runs)
        self._turns: list[TurnFeatures] = []
        self._notes: list[Note] = []
        self._waiting = 0  # of these, the statements
        self._working = False  # whether the notes are being worked off
        self._clock = 0  # counts what was spoken of

    def fact(self, fact: PersistentFact, *, replaces: str | None = None, written: float = GIVEN) -> None:
        """Note that a fact was created, perhaps in place of another.

        Args:
            fact: The new fact.
            replaces: The store id of the fact that it takes the place of.
            written: When it was written, in seconds; GIVEN from the start.
        """
        self._notes.append((Slots._fact, (fact, replaces, written)))

    def signal(self, key: str, value: str, *, former: str | None = None, written: float = GIVEN) -> None:
        """Note that an environment value is there, perhaps in place of a former one.

        Args:
            key: Its key.
            value: The value.
            former: The value that the key had before.
            written: When it was written, in seconds; GIVEN from the start.
        """
        self._notes.append((Slots._signal, (key, value, former, written)))

    def process(self, features: TurnFeatures) -> None:
        """Take in a turn."""
        self._notes.append((Slots._turn, (features,)))

    def current(self) -> dict[str, Slot]:
        """The slots by id, the one spoken of last at the end."""
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
        """Whether statements fill slots, or will when the notes are worked off."""
        return bool(self._spoken) or self._waiting > 0

    def later(self, work: Callable[[], None]) -> None:
        """Note work that is done, in its turn, when somebody asks for the slots."""
        self._waiting += 1
        self._notes.append((Slots._do, (work,)))

    def _do(self, work: Callable[[], None]) -> None:
        work()

    def near(self, stems: Iterable[str]) -> list[Slot]:
        """The slots that words may speak of, the one spoken of last at the end.

        Args:
            stems: The stems of the words.
        """
        self.current()
        slots = self._in_any_order(stems)
        return [*slots] if len(self._spoken) <= _AT_HAND else sorted(slots, key=_touched)

    def _in_any_order(self, stems: Iterable[str]) -> Iterable[Slot]:
        """The same, unsorted."""
        if len(self._spoken) <= _AT_HAND:
            return self._slots.values()
        by_word, spoken = self._by_word, self._spoken
        wanted = set(islice(reversed(spoken.values()), _AT_HAND))
        wanted.update(*[by_word[stem] for stem in stems if stem in by_word])
        return [*self._written.values(), *[slot for slot in wanted if slot.id in spoken]]

    def spoken(self, stems: Iterable[str]) -> list[Slot]:
        """The slots that statements filled and that share a stem with some words."""
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
        """The slots that were refilled whose former value a clause may say again: they share a stem with it.

        Args:
            clause: What is said.
            read: Stems, runs and values that are read in it beside its own: of the statement that it makes.
        """
        self.current()
        for slot in self._gone.find((clause, read)):
            if not clause.stems.isdisjoint(slot.value_stems):
                yield slot

    def drop(self, id: str) -> None:
        """Forget a slot whose fact a record took the place of."""
        if (slot := self.forget(id)) is not None:
            self._gone.add(slot)

    def forget(self, id: str) -> Slot | None:
        """Forget a slot and what it held, as if it had never been.

        Args:
            id: The id of the slot.

        Returns:
            The slot; None where there is none.
        """
        slot = self.current().pop(id, None)
        if slot is not None:
            self._forget(slot)
        return slot

    def _add(self, slot: Slot) -> None:
        """Take in a new slot."""
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
        if fact.source.type != CONVERSATION:  # such a fact is the turn itself
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
        """Take in a slot that a statement fills.

        Args:
            slot: The slot.
            clause: The words of the statement, by which people speak of it.
        """
        self.current()
        slot.is_spoken = True
        slot.gloss(clause)
        self._add(slot)
        self._index_spoken(slot)

    def _index_spoken(self, slot: Slot) -> None:
        """Enter a slot under its words, once there are more of its kind than any turn is compared with."""
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
        """Slots spoken of move to the end, where pronouns find them, and learn how they are spoken of."""
        self._turns.append(turn)
        lowered = turn.lowered
        spoken = [
            slot for slot in self._near(turn) if slot.lowered in lowered and says(lowered, slot.lowered)
        ]
        if len(spoken) > 1:  # a record is what is meant, not what repeats it
            spoken.sort(key=lambda slot: (not slot.is_spoken, slot.touched))
        for slot in spoken:
            if not slot.glossed:
                slot.gloss(turn.text)
            self._put_last(self._slots.pop(slot.id))

    def _near(self, turn: TurnFeatures) -> Iterable[Slot]:
        """The slots that a turn may repeat, in any order."""
        slots = self._slots
        if len(slots) <= FEW:
            return slots.values()
        found = {slot for slot in self._verbatim.find(turn) if slots.get(slot.id) is slot}
        if len(self._spoken) > _AT_HAND and any(slot.is_spoken for slot in found):
            found.intersection_update(self._in_any_order(turn.stems))
        return found


def _said(slot: Slot) -> list[Need]:
    """What words have to hold that repeat what a slot holds."""
    said = key_runs(slot.lowered)
    return [(said, len(said))]


def _runs(turn: TurnFeatures) -> Parts:
    return runs(turn.lowered)


def _needed(slot: Slot) -> list[Need]:
    """What of a former value a clause has to hold that says it again: most words, the very words, or all values."""
    said, typed = key_runs(slot.lowered), frozenset([value.form for value in slot.wording.typed])
    most = (slot.value_stems, least_of(MOST, len(slot.value_stems)))
    return [most, (said, max(1, len(said))), (typed, max(1, len(typed)))]


def _offered(said: tuple[Clause, Parts]) -> Parts:
    clause, read = said
    return clause.stems.union(runs(clause.lowered), [value.form for value in clause.values], read)


def _speaks_of(turn: TurnFeatures, slot: Slot) -> bool:
    """True where a turn says what a slot holds, or most of it."""
    shared = len(turn.stems & slot.value_stems)
    return slot.lowered in turn.lowered or (shared > 0 and shared >= MOST * len(slot.value_stems))
