"""An episode as lanes, one per key: the asked key, then keys easily mistaken for it, then all other keys."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from evaluation.core.plugin.replay import (
    ASKED,
    OTHER,
    RIVAL,
    WRITES,
    Lane,
    Mark,
    MarkKind,
    Replay,
    indexed,
    spans_of,
)
from evaluation.goldevidence.data.families import is_of_family
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.replay.reading import SENTENCE, Read, read

KINDS = (
    MarkKind("update", "update", "SET: from this step on the key has this value.", "write"),
    MarkKind("clear", "clear", "CLEAR: from this step on the key has no value.", "clear"),
    MarkKind("note", "note", "NOTE: a line with an id that changes nothing.", "hollow"),
    MarkKind("unmarked", "no marker", "A line whose marker is missing: it establishes nothing.", "hollow"),
    MarkKind("claim", "distractor", "A rumour, an echo or a recap: it has no authority.", "claim"),
    MarkKind(
        "order", "instruction", "A line that asks for a particular answer, whatever the ledger says.", "order"
    ),
    MarkKind("aside", "mention", "Mentions the key without a value.", "faint"),
    MarkKind(SENTENCE, "sentence", "A sentence with an id that names the key.", "hollow"),
)
#: Keys shown beside the asked one: with four lanes each mark is still visible on a phone.
RIVALS = 3
IN_OTHER_WORDS = (
    "The text is not in the published grammar, so only the sentences that name a key are marked here, in "
    "order; a key may also have another name."
)
FROM_GOLD = (
    "The text is not in the published grammar: the effects of its sentences come from the ledger of its gold."
)


OF_FAMILY = (
    "Lines that retract others, or grant rights, are not drawn, so the values of keys are not drawn either."
)


def replay(row: EpisodeRow) -> Replay | None:
    """Timeline of the episode or candidates that a row shows, with marked gold lines. None if the row has no text."""
    text = read(row)
    if text is None:
        return None
    asked = _asked(row, text)
    lanes = [_lane(key, text.marks[key], role) for key, role in _in_order(text, asked)]
    if deep := is_of_family(row["meta"]):  # a later line may retract a value, or void its update
        lanes = [Lane(lane.name, lane.role, lane.marks) for lane in lanes]
    by_uid = indexed(lanes)
    places = [mark.at for lane in lanes for mark in lane.marks]
    return Replay(
        lanes=lanes,
        kinds=_kinds(lanes),
        axis="step" if text.by_step else "line",
        first=min(places, default=0),
        last=max(places, default=0),
        text_title=text.title,
        lines=text.lines,
        note=OF_FAMILY if deep else IN_OTHER_WORDS if not text.by_step else FROM_GOLD if text.hidden else "",
        gold=frozenset(by_uid[uid][1].line for uid in _support(row) if uid in by_uid),
        stale=frozenset(
            mark.line for lane in lanes if lane.role == ASKED and not deep for mark in lane.writes[:-1]
        ),
        has_state=text.by_step and not deep,
        ordered=row.get("candidates") is not None,
        by_uid=by_uid,
    )


def _lane(key: str, marks: Sequence[Mark], role: str) -> Lane:
    lane = Lane(key, role, marks)
    return Lane(key, role, sorted(marks, key=lambda mark: (mark.at, mark.line)), spans_of(lane.writes))


def _kinds(lanes: Sequence[Lane]) -> tuple[MarkKind, ...]:
    there = {mark.kind for lane in lanes for mark in lane.marks}
    return tuple(kind for kind in KINDS if kind.name in there)


def _support(row: EpisodeRow) -> Collection[str]:
    gold = row.get("gold")
    return gold.get("support_ids") or () if gold else ()


def _asked(row: EpisodeRow, text: Read) -> list[str]:
    """The keys that the question asks about. If its answer is a list (`reports`), the keys of the gold lines."""
    meta = row["meta"]
    if meta.get("derived_op") == "reports":
        uids = set(_support(row))
        return [key for key, marks in text.marks.items() if any(mark.uid in uids for mark in marks)]
    key = meta.get("key")
    return [key] if key is not None and key in text.marks else []


def _in_order(text: Read, asked: Sequence[str]) -> list[tuple[str, str]]:
    rivals = _rivals(text, asked)
    others = sorted(text.marks.keys() - {*asked, *rivals})
    roles = [(asked, ASKED), (rivals, RIVAL), (others, OTHER)]
    return [(key, role) for keys, role in roles for key in keys]


def _rivals(text: Read, asked: Sequence[str]) -> list[str]:
    """Up to RIVALS keys that are easily mistaken for the asked keys, by equal values or by writes at close steps."""
    if not asked:
        return []
    marks = [mark for key in asked for mark in text.marks[key]]
    values = {mark.value for mark in marks if mark.value is not None}
    last = max((mark.at for mark in marks if mark.kind in WRITES), default=0)

    def closeness(key: str) -> tuple[int, int, str]:
        written = [mark for mark in text.marks[key] if mark.kind in WRITES]
        shared = sum(mark.value in values for mark in written)
        return -shared, min((abs(mark.at - last) for mark in written), default=1 << 60), key

    return sorted(text.marks.keys() - set(asked), key=closeness)[:RIVALS]
