"""What was found in a turn, kept for when the same words come again beside slots that read the same.

A timeline is read many times: for every budget, strategy and query that is asked of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.statebench.detection.detector import Turn
from evaluation.statebench.detection.rules import Match
from evaluation.statebench.detection.slot import Slot
from evaluation.statebench.language.values import Value

_MOST = 16_384  # outcomes that are kept; with `_MANY` slots each they take some 20 MB
_MANY = 128  # slots; beside more of them nothing is kept

Key = tuple[object, ...]
_Rest = tuple[str, float, str, str, Value | None]  # a match without its slot


class Outcomes:
    """Outcomes by turn and slots. No slot is held on to: a match is made anew for those at hand."""

    def __init__(self) -> None:
        self._kept: dict[Key, tuple[tuple[int, _Rest], ...]] = {}

    def key(self, turn: Turn, slots: Sequence[Slot]) -> Key:
        """What the outcome depends on; empty where it is not kept.

        Args:
            turn: What somebody said; below 0 it is a signal.
            slots: The slots that it is compared with.
        """
        if len(slots) > _MANY:
            return ()
        return (turn.text, turn.index < 0, *[slot.mark for slot in slots])

    def read(self, key: Key, slots: Sequence[Slot]) -> Sequence[Match] | None:
        """What was found before.

        Args:
            key: The key.
            slots: The slots that the turn is compared with now.

        Returns:
            The matches; None where nothing is known.
        """
        kept = self._kept.get(key)
        return None if kept is None else [Match(slots[at], *rest) for at, rest in kept]

    def keep(self, key: Key, slots: Sequence[Slot], found: Sequence[Match]) -> None:
        """Keep what was found.

        Args:
            key: The key.
            slots: The slots that the turn was compared with.
            found: The matches.
        """
        if not key:
            return
        if len(self._kept) >= _MOST:
            self._kept.clear()
        at = {slot: number for number, slot in enumerate(slots)} if found else {}
        self._kept[key] = tuple([(at[one.slot], _rest(one)) for one in found])


def _rest(match: Match) -> _Rest:
    return match.kind, match.confidence, match.evidence, match.value, match.filler
