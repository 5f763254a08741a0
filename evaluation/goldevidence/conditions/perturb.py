"""Perturbs candidate lines: changes their order, drops the gold line, or hides which lines may change the state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evaluation.core.errors import UnknownNameError
from evaluation.core.rng import Stream
from evaluation.goldevidence.data.ledger import Entry

#: Order -> place of the gold line, from 1.
GOLD_AT = {f"gold_at_{place}": place for place in range(1, 17)}
#: Orders of the published figures. They never put the gold line third of four: versions made now use each place.
PUBLISHED_ORDERS = ("gold_first", "gold_middle", "gold_last", "shuffle")
ORDERS = (*PUBLISHED_ORDERS, *GOLD_AT)
RESTS = ("ascending", "descending", "shuffled")  # how the lines beside the gold line are sorted by step
UNMARKED = "?"  # the operation of a line whose marker is missing

IN_PASSING = "NOTE: mentioned in passing, not confirmed"  # the remark of an UPDATE that talks of a note

NOTE_AS_UPDATE, UPDATE_AS_NOTE, MARKER_MISSING = "note_as_update", "update_as_note", "marker_missing"


def arrange(
    entries: Sequence[Entry], gold: str | None, order: str, stream: Stream, rest: str = "ascending"
) -> list[Entry]:
    """Put the gold line first, in the middle (rounded down), last or at a fixed position, or shuffle all entries.

    Without a gold line, positional orders arrange only the other lines. A position beyond the last line means the last.
    `entries` must be sorted by step. `rest`, one of RESTS, orders the other lines, except under `shuffle`. Raises
    UnknownNameError for an order that is not in ORDERS.
    """
    arranged = list(entries)
    if order == "shuffle":
        stream.shuffle(arranged)
        return arranged
    if order not in ORDERS:
        raise UnknownNameError("order", order, ORDERS)
    others = [entry for entry in arranged if entry.uid != gold]
    if rest == "descending":
        others.reverse()
    elif rest == "shuffled":
        stream.shuffle(others)
    places = {"gold_first": 0, "gold_middle": len(others) // 2, "gold_last": len(others)}
    place = places[order] if order in places else GOLD_AT[order] - 1
    return [*others[:place], *(entry for entry in arranged if entry.uid == gold), *others[place:]]


def drop(entries: Sequence[Entry], gold: str | None, probability: float, stream: Stream) -> list[Entry]:
    """Drop the gold line with the given probability; with probability 0 no random number is drawn."""
    if probability > 0 and stream.chance(probability):
        return [entry for entry in entries if entry.uid != gold]
    return list(entries)


class Disguised(NamedTuple):
    """A candidate as shown: its marker (UPDATE or NOTE) may be missing, or a remark may contradict the marker."""

    entry: Entry
    remark: str | None = None
    kind: str | None = None  # NOTE_AS_UPDATE | UPDATE_AS_NOTE | MARKER_MISSING


def spoof(entries: Sequence[Entry], rate: float, stream: Stream) -> list[Disguised]:
    """Disguise each line with probability `rate`, keeping the order; at rate 0 no random number is drawn.

    One in three disguised lines loses its marker, the others get a contradicting remark. The marker alone carries
    authority: a NOTE that quotes an UPDATE stays a NOTE, and a line without a marker establishes nothing. If the latest
    line about the key, NOTEs aside, has no marker, the right answer is null (see `ledger.unclear`). Key, step and value
    do not change.
    """
    return [
        _disguise(entry, stream) if rate > 0 and stream.chance(rate) else Disguised(entry)
        for entry in entries
    ]


def _disguise(entry: Entry, stream: Stream) -> Disguised:
    if stream.below(3) == 0:
        return Disguised(entry._replace(op=UNMARKED), None, MARKER_MISSING)
    if entry.authoritative:
        return Disguised(entry, IN_PASSING, UPDATE_AS_NOTE)
    return Disguised(entry, quoted(entry), NOTE_AS_UPDATE)


def quoted(entry: Entry) -> str:
    """Format an entry as an update line that a NOTE can quote."""
    return f"UPDATE step={entry.step} SET {entry.key} = {entry.value}"
