"""Dumps: responses that repeat the lines of their timeline instead of answering.

A site does not know which context a file was made with. So a record keeps, as hashes, how each line of its timeline
begins: facts, writes, turns and notes, from which every context is made.
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

#: Words by which a line is known: its first ones.
HEAD = 4
#: Lines that a dump repeats at least, and the most that half is taken of: a long timeline is shown in part.
LEAST_LINES, MOST_LINES = 4, 16
_WORD = re.compile(r"[^\W_]+")


def line_heads(timeline: Timeline) -> str:
    """How the lines of a timeline begin: base64 of sorted 32-bit hashes, little-endian."""
    hashes = sorted({_hash(words[:HEAD]) for line in _lines(timeline) if len(words := _words(line)) > 1})
    return b64encode(struct.pack(f"<{len(hashes)}I", *hashes)).decode()


def is_dump(text: str, heads: str) -> bool:
    """True where a text repeats more than half of a timeline's lines.

    Args:
        text: Of a response.
        heads: From `line_heads`; empty where a record keeps none.
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


@lru_cache(maxsize=64)  # the queries of a timeline follow each other
def _read(heads: str) -> frozenset[int]:
    packed = b64decode(heads)
    return frozenset(struct.unpack(f"<{len(packed) // 4}I", packed))
