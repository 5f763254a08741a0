"""`shown_uids` of a prediction: the ids of the lines that its answerer saw, in the order shown.

It is no part of the answer. The oracle knows the gold line, and so measures how often the system's own retrieval
showed it; a prediction that does not say what was shown is not counted there. Null is the same as leaving it out, an
empty list says that nothing was shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence, Sized
from typing import Any, NamedTuple

SHOWN = "shown_uids"
_TEXT = frozenset({str})


class ShownFault(NamedTuple):
    """Why `shown_uids` cannot be used."""

    code: str
    message: str


def form_fault(uids: Any) -> ShownFault | None:
    """What is wrong with the form of `shown_uids`, whatever its row holds.

    Args:
        uids: The field as the line has it.

    Returns:
        The first fault; None where it is null, or a list of texts of which none stands twice.
    """
    if uids is None:
        return None
    if not isinstance(uids, list) or not _are_texts(uids):
        return ShownFault("wrong_type", f"'{SHOWN}' must be a list of texts")
    if len(set(uids)) < len(uids):
        twice = next(uid for uid, count in Counter(uids).items() if count > 1)
        return ShownFault("duplicate_shown_uid", f"'{SHOWN}' names {_short(twice)!r} more than once")
    return None


def _are_texts(uids: list[Any]) -> bool:
    """Whether all are texts; nearly all are of that very type, which is seen at once."""
    return {*map(type, uids)} <= _TEXT or all(isinstance(uid, str) for uid in uids)


def row_fault(uids: Sequence[str], lines: Container[str]) -> ShownFault | None:
    """What is wrong with `shown_uids` as an account of one row. The message says nothing but which id is meant.

    Args:
        uids: A list without a fault of its form.
        lines: The ids of the lines that the row holds.

    Returns:
        The first fault; None where the row holds every one of the lines.
    """
    if isinstance(lines, Sized) and len(uids) > len(lines):
        message = f"'{SHOWN}' names {len(uids):,} lines, and the row holds {len(lines):,}"
        return ShownFault("too_many_shown_uids", message)
    for uid in uids:
        if uid not in lines:
            message = f"'{SHOWN}' names {_short(uid)!r}, which the row does not hold"
            return ShownFault("unknown_shown_uid", message)
    return None


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:39]}…"
