"""The slots that a clause may speak of, seen together: what every comparison with one of them shares."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.statebench.detection.clause import Clause
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.language.memo import lazily
from evaluation.statebench.language.values import Value


class Candidates:
    """A clause beside all slots. What is read off them is read when a rule first asks for it."""

    def __init__(self, clause: Clause, slots: Sequence[Slot], *, brings_news: bool = False) -> None:
        """
        Args:
            clause: The clause.
            slots: The slots, the one spoken of last at the end.
            brings_news: Whether some clause of the turn changes something.
        """
        self.clause, self.slots, self.brings_news = clause, slots, brings_news

    @lazily
    def are_unnamed(self) -> bool:
        """True where the clause names none of them."""
        naming = self.clause.naming
        return all(naming.isdisjoint(slot.subject) for slot in self.slots)

    @lazily
    def restated(self) -> list[Slot]:
        """Those of which the clause says again what they hold."""
        lowered, values = self.clause.lowered, self.clause.values
        return [slot for slot in self.slots if slot.is_restated(lowered, values)]

    @lazily
    def _alike(self) -> list[Slot]:
        """Those that hold a value of a kind that the clause has."""
        kinds = {value.kind for value in self.clause.values}
        return [slot for slot in self.slots if not kinds.isdisjoint(slot.wording.kinds)]

    def has_no_like(self, slot: Slot) -> bool:
        """True where no other slot holds a value of a kind that the clause has.

        Args:
            slot: One of them.
        """
        return not self._alike or self._alike == [slot]

    @lazily
    def _held(self) -> list[tuple[Value, Slot | None]]:
        """The values of the clause that at most one slot holds, with that slot."""
        held: list[tuple[Value, Slot | None]] = []
        for value in self.clause.values:
            form = value.form
            holders = [slot for slot in self.slots if form in slot.wording.said and slot.holds(value)]
            if len(holders) < 2:
                held.append((value, holders[0] if holders else None))
        return held

    @lazily
    def _news(self) -> tuple[Value, ...]:
        """The values that no slot holds."""
        return tuple([value for value, holder in self._held if holder is None])

    @lazily
    def _holders(self) -> frozenset[Slot | None]:
        """The slots of these."""
        return frozenset([holder for _, holder in self._held])

    def news_to(self, slot: Slot) -> tuple[Value, ...]:
        """The values of the clause that are news to a slot: what another slot holds is none.

        Args:
            slot: One of them.
        """
        if slot not in self._holders:
            return self._news
        return tuple([value for value, holder in self._held if holder is None or holder is slot])
