"""Room: how many updates a text of some length holds."""

from __future__ import annotations

from functools import cache

from evaluation.core.tokens import digit_tokens
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator.difficulty.wording import PUBLISHED
from evaluation.goldevidence.generator.ladder.design import most_updates
from evaluation.goldevidence.generator.ladder.settings import Ladder
from evaluation.goldevidence.generator.modes import COLORS, LARGEST_SET, STARS

#: Updates and headings may take this share of the shortest text: places hold only where padding lies between them.
SHARE = 0.5
HEADING = 8  # tokens of `\n### Segment 12`
#: The longest value of each mode.
_VALUES = {
    "kv": f"{max(COLORS, key=len)}-0000",
    "kv_commentary": f"{max(COLORS, key=len)}-0000",
    "counter": "100",
    "set": ",".join(["item0000"] * LARGEST_SET),
    "relational": f"{max(STARS, key=len)}-000",
}


@cache
def entry_tokens(mode: str) -> int:
    """The tokens of the longest line of a ledger.

    Args:
        mode: The state mode.
    """
    line, _, _ = PUBLISHED.update(Entry("U0A0A0A", 100, "SET", "tag.00", _VALUES[mode]))
    return digit_tokens(f"{line}\n")


def updates_that_fit(ladder: Ladder, mode: str, chapters: int) -> int:
    """How many updates the shortest text holds.

    Args:
        ladder: The settings.
        mode: The state mode.
        chapters: How many headings there are.
    """
    return max(0, int((SHARE * ladder.lengths[0] - HEADING * chapters) // entry_tokens(mode)))


def updates_asked_for(ladder: Ladder, keys: int, note_rate: float) -> int:
    """How many lines the ledger has at most, notes included.

    Args:
        ladder: The settings.
        keys: How many tags there are.
        note_rate: The share of notes among them; 0 where the mode has none.
    """
    updates = most_updates(ladder, keys)
    return updates + notes_beside(note_rate, updates)


def notes_beside(rate: float, updates: int) -> int:
    """How many NOTEs stand among so many updates.

    Args:
        rate: Their share of all lines of the ledger; at most nine in ten are taken.
        updates: How many updates there are.
    """
    return round(updates * rate / (1 - min(rate, 0.9))) if rate else 0
