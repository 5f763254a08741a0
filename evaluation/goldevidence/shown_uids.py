"""Checks the field `shown_uids` of a prediction: the ids of the lines that the system saw, in the order shown.

From the gold line and this list the oracle measures how often a system's own retrieval found the gold line. Predictions
without the list are not counted. Null means that the list is absent; an empty list states that no line was shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence, Sized
from typing import Any, NamedTuple

SHOWN = "shown_uids"
_TEXT = frozenset({str})


class ShownFault(NamedTuple):
    code: str
    message: str


def form_fault(uids: Any) -> ShownFault | None:
    """Return the first fault in the form of `uids`; None if it is null, or a list of distinct texts."""
    if uids is None:
        return None
    if not isinstance(uids, list) or not _are_texts(uids):
        return ShownFault("wrong_type", f"'{SHOWN}' must be a list of texts")
    if len(set(uids)) < len(uids):
        twice = next(uid for uid, count in Counter(uids).items() if count > 1)
        return ShownFault("duplicate_shown_uid", f"'{SHOWN}' names {_short(twice)!r} more than once")
    return None


def _are_texts(uids: list[Any]) -> bool:
    return {*map(type, uids)} <= _TEXT or all(isinstance(uid, str) for uid in uids)


def row_fault(uids: Sequence[str], lines: Container[str]) -> ShownFault | None:
    """Return a fault for more ids than lines, or for the first id not in the row (it names only that id); else None."""
    if isinstance(lines, Sized) and len(uids) > len(lines):
        message = f"'{SHOWN}' names {len(uids):,} lines, but the row has {len(lines):,}"
        return ShownFault("too_many_shown_uids", message)
    for uid in uids:
        if uid not in lines:
            message = f"'{SHOWN}' names {_short(uid)!r}, which is not a line of the row"
            return ShownFault("unknown_shown_uid", message)
    return None


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
