"""Dumps: responses that repeat the lines of their timeline instead of answering.

Contexts consist of lines of the timeline (facts, writes, turns, notes), but a site does not know which of them a
system was shown. A grading record therefore has hashes of the first words of each line of its timeline.
"""

from __future__ import annotations

import re
import struct
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from zlib import crc32

from evaluation.statebench.data.printing import as_text
from evaluation.statebench.records import Timeline, writes_of

#: Number of leading words that identify a line.
HEAD = 4
#: A dump repeats `LEAST_LINES`, and over half of the lines, or of `MOST_LINES`: contexts show long timelines in part.
LEAST_LINES, MOST_LINES = 4, 16
#: The answer that a dump is graded as, and the reason given.
NOTHING_SAID = "It is unclear."
DUMP = "the response repeats most lines of the timeline, so it counts as unclear"
_WORD = re.compile(r"[^\W_]+")


def line_heads(timeline: Timeline) -> str:
    """Hashes of the first words of each line of a timeline, as base64 of sorted little-endian 32-bit integers."""
    hashes = sorted({_hash(words[:HEAD]) for line in _lines(timeline) if len(words := _words(line)) > 1})
    return b64encode(struct.pack(f"<{len(hashes)}I", *hashes)).decode()


def is_dump(text: str, heads: str) -> bool:
    """True if a response repeats at least LEAST_LINES and more than half of a timeline's lines.

    In a timeline of more than MOST_LINES lines, more than MOST_LINES / 2 suffice.
    `heads` is the result of `line_heads`. If `heads` is empty, no response is a dump.
    """
    words = _words(text) if heads else []
    if len(words) < HEAD * LEAST_LINES:
        return False
    known = _read(heads)
    said = {
        _hash(words[at : at + size]) for size in range(2, HEAD + 1) for at in range(len(words) - size + 1)
    }
    repeated = len(known & said)
    return repeated >= LEAST_LINES and repeated > min(len(known), MOST_LINES) / 2


def _lines(timeline: Timeline) -> Iterator[str]:
    state = timeline["initial_state"]
    yield from (f"{key}: {as_text(value)}" for key, value in state["environment"].items())
    yield from (item["content"] for item in state["working_set"])
    yield from _written(state["persistent_facts"])
    for event in timeline["events"]:
        yield from [event["text"]] if event["type"] == "conversation_turn" else _written(writes_of(event))


def _written(writes: Iterable[Mapping[str, object]]) -> Iterator[str]:
    return (f"{write['key']}: {as_text(write['value'])}" for write in writes)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _hash(words: list[str]) -> int:
    return crc32(" ".join(words).encode())


@lru_cache(maxsize=64)  # queries of one timeline come in a row
def _read(heads: str) -> frozenset[int]:
    packed = b64decode(heads)
    return frozenset(struct.unpack(f"<{len(packed) // 4}I", packed))
