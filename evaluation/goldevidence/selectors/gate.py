"""The authority filter: a hard gate in front of selection.

Gate and content scoring stay apart: a line without authority never reaches a selector, whatever it says, and
a selector never weighs authority against recency where the gate is on.
"""

from __future__ import annotations

from collections.abc import Iterable

from evaluation.goldevidence.data.ledger import Entry


def authority_filter(entries: Iterable[Entry]) -> list[Entry]:
    """The lines that may change state. None left means that authority is unclear: abstain."""
    return [entry for entry in entries if entry.authoritative]
