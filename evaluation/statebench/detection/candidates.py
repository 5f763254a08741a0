"""Finds the slots that a clause may be about, and the clause's values that are new to a slot."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.statebench.detection.clause import Clause
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.language.memo import lazily
from evaluation.statebench.language.values import Value


class Candidates:
    def __init__(self, clause: Clause, slots: Sequence[Slot], *, brings_news: bool = False) -> None:
        """`slots` are in order of last mention. `brings_news` is True if any clause of the turn announces a change."""
        self.clause, self.slots, self.brings_news = clause, slots, brings_news

    @lazily
    def are_unnamed(self) -> bool:
        naming = self.clause.naming
        return all(naming.isdisjoint(slot.subject) for slot in self.slots)

    @lazily
    def restated(self) -> list[Slot]:
        lowered, values = self.clause.lowered, self.clause.values
        return [slot for slot in self.slots if slot.is_restated(lowered, values)]

    @lazily
    def _alike(self) -> list[Slot]:
        kinds = {value.kind for value in self.clause.values}
        return [slot for slot in self.slots if not kinds.isdisjoint(slot.wording.kinds)]

    def has_no_like(self, slot: Slot) -> bool:
        """True if no slot except `slot` has a value whose kind, such as money, occurs in the clause."""
        return not self._alike or self._alike == [slot]

    @lazily
    def _held(self) -> list[tuple[Value, Slot | None]]:
        held: list[tuple[Value, Slot | None]] = []
        for value in self.clause.values:
            form = value.form
            holders = [slot for slot in self.slots if form in slot.wording.said and slot.holds(value)]
            if len(holders) < 2:
                held.append((value, holders[0] if holders else None))
        return held

    @lazily
    def _news(self) -> tuple[Value, ...]:
        return tuple([value for value, holder in self._held if holder is None])

    @lazily
    def _holders(self) -> frozenset[Slot | None]:
        return frozenset([holder for _, holder in self._held])

    def news_to(self, slot: Slot) -> tuple[Value, ...]:
        """Return the values of the clause that belong to no other slot. `slot` itself may have them already."""
        if slot not in self._holders:
            return self._news
        return tuple([value for value, holder in self._held if holder is None or holder is slot])
