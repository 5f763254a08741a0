"""How far back the answer lies: what the document holds after a key's last authoritative update."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypedDict

from evaluation.goldevidence.ledger import Entry, latest


class Recency(TypedDict):
    """The recency fields of a row's meta, None where the key was never written."""

    last_update_step: int | None
    tokens_since_update: int | None  # whitespace-separated words after the update's line
    distractors_since_update: int | None  # DISTRACTOR and SUMMARY lines about the key since then
    writes_to_key: int | None  # SET and CLEAR lines of the key
    instruction_nearby: bool | None  # whether an INSTRUCTION line about the key follows


NEVER = Recency(
    last_update_step=None,
    tokens_since_update=None,
    distractors_since_update=None,
    writes_to_key=None,
    instruction_nearby=None,
)


def measure(document: str, entries: Sequence[Entry], key: str) -> Recency:
    """The recency of `key` in a document whose ledger entries are given."""
    writes = [entry for entry in entries if entry.key == key and entry.authoritative]
    if not writes:
        return NEVER
    last = latest(writes, key)
    assert last is not None
    start = document.index("\n", document.index(f"- [{last.uid}] UPDATE"))
    return Recency(
        last_update_step=last.step,
        tokens_since_update=len(document[start:].split()),
        distractors_since_update=len(
            re.findall(rf"^- (?:DISTRACTOR|SUMMARY) .*\b{re.escape(key)} = ", document[start:], re.M)
        ),
        writes_to_key=len(writes),
        instruction_nearby=f"; answer {key} = " in document[start:],
    )
