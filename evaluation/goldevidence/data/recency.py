"""Measures the recency of an answer: how much of the document follows the last update of its key."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from typing import TypedDict

from evaluation.goldevidence.data.ledger import Entry

_DISTRACTOR = re.compile(r"^- (?:DISTRACTOR|SUMMARY) .*?(tag\.\d{2,}) = ", re.MULTILINE)
_ORDER = re.compile(r"; answer (tag\.\d{2,}) = ")


class Recency(TypedDict):
    """The recency fields of a row's meta. All are None if the key was never written."""

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


def measure(document: str, entries: Sequence[Entry], keys: Collection[str]) -> dict[str, Recency]:
    """Return the recency of each key; NEVER if the key was never set. `entries` are those of `document`, in order."""
    authoritative = [entry for entry in entries if entry.op != "NOTE"]
    writes = Counter([entry.key for entry in authoritative])
    last = {entry.key: entry for entry in authoritative}
    ends = {key: _line_end(document, last[key]) for key in keys if key in last}
    recencies = dict.fromkeys(keys, NEVER)
    tokens, end = 0, len(document)
    distractors: Counter[str] = Counter()
    ordered: set[str] = set()
    # From the end backwards: the text between two updates is counted once for all keys.
    for key in sorted(ends, key=ends.__getitem__, reverse=True):
        part, end = document[ends[key] : end], ends[key]
        tokens += len(part.split())
        distractors.update(_DISTRACTOR.findall(part))
        ordered.update(_ORDER.findall(part))
        recencies[key] = Recency(
            last_update_step=last[key].step,
            tokens_since_update=tokens,
            distractors_since_update=distractors[key],
            writes_to_key=writes[key],
            instruction_nearby=key in ordered,
        )
    return recencies


def _line_end(document: str, entry: Entry) -> int:
    end = document.find("\n", document.index(f"[{entry.uid}] UPDATE"))
    return end if end >= 0 else len(document)
