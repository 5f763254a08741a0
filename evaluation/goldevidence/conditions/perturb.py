"""What a condition does to candidates: their order, a dropped gold line, disguised authority."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evaluation.core.errors import UnknownNameError
from evaluation.core.rng import Stream
from evaluation.goldevidence.data.ledger import Entry

ORDERS = ("gold_first", "gold_middle", "gold_last", "shuffle")
UNMARKED = "?"  # the operation of a line whose marker is missing

NOTE_AS_UPDATE, UPDATE_AS_NOTE, MARKER_MISSING = "note_as_update", "update_as_note", "marker_missing"


def arrange(entries: Sequence[Entry], gold: str | None, order: str, stream: Stream) -> list[Entry]:
    """The entries with the gold line first, in the middle of the rest (rounded down), last, or shuffled.

    Without the gold line among them the positional orders leave the entries as they are.
    """
    arranged = list(entries)
    if order == "shuffle":
        stream.shuffle(arranged)
        return arranged
    if order not in ORDERS:
        raise UnknownNameError("order", order, ORDERS)
    rest = [entry for entry in arranged if entry.uid != gold]
    place = {"gold_first": 0, "gold_middle": len(rest) // 2, "gold_last": len(rest)}[order]
    return [*rest[:place], *(entry for entry in arranged if entry.uid == gold), *rest[place:]]


def drop(entries: Sequence[Entry], gold: str | None, probability: float, stream: Stream) -> list[Entry]:
    """The entries without the gold line at that probability."""
    if probability > 0 and stream.chance(probability):
        return [entry for entry in entries if entry.uid != gold]
    return list(entries)


class Disguised(NamedTuple):
    """A candidate as shown: its marker may be missing, a remark may contradict it."""

    entry: Entry
    remark: str | None = None
    kind: str | None = None  # NOTE_AS_UPDATE | UPDATE_AS_NOTE | MARKER_MISSING


def spoof(entries: Sequence[Entry], rate: float, stream: Stream) -> list[Disguised]:
    """Disguise each line at that rate: one in three loses its marker, the others contradict it by a remark.

    Authority is in the marker and nowhere else. A NOTE that quotes an UPDATE stays a NOTE, an UPDATE that
    talks of a note stays an UPDATE, and a line without a marker establishes nothing. Where that is the
    latest line about the key but for NOTEs, authority is unclear and the right answer is null (see
    `ledger.unclear`). Key, step and value stay as they are.
    """
    return [
        _disguise(entry, stream) if rate > 0 and stream.chance(rate) else Disguised(entry)
        for entry in entries
    ]


def _disguise(entry: Entry, stream: Stream) -> Disguised:
    if stream.below(3) == 0:
        return Disguised(entry._replace(op=UNMARKED), None, MARKER_MISSING)
    if entry.authoritative:
        return Disguised(entry, "NOTE: mentioned in passing, not confirmed", UPDATE_AS_NOTE)
    quoted = f"UPDATE step={entry.step} SET {entry.key} = {entry.value}"
    return Disguised(entry, quoted, NOTE_AS_UPDATE)
