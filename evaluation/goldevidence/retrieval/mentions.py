"""The lines of a text that say `tag = value`, of whatever kind they are: updates, notes, echoes, orders."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from evaluation.core.files.remembered import remembered
from evaluation.goldevidence.data.ledger import Entry

#: Texts of which all mentions are kept: of a million tokens they take 5 MB.
TEXTS_AT_HAND = 8
#: The same of what is said most often, which takes a line a tag: a ladder has 400 texts, whose rows stand in no order.
SUMMARIES_AT_HAND = 512
_MENTION = re.compile(r"(tag\.\d{2,}) = ([A-Za-z0-9,_-]+)")
_UID = re.compile(r"- \[(U[0-9A-F]{6})\]")


@remembered(TEXTS_AT_HAND)
def mentions(text: str) -> Sequence[Entry]:
    """Every mention in the order of the text, as a SET whose step is its place; without an id where the line has none.

    Args:
        text: A log or a book.
    """
    found = []
    for step, match in enumerate(_MENTION.finditer(text)):
        uid = _UID.match(text, text.rfind("\n", 0, match.start()) + 1)
        found.append(Entry(uid[1] if uid else "", step, "SET", match[1], match[2]))
    return found


@remembered(SUMMARIES_AT_HAND)
def most_mentioned(text: str) -> Mapping[str, Entry]:
    """Of each tag the value that a text gives it most often, by the first line with an id that says so, if any does.

    Args:
        text: A log or a book.
    """
    values: defaultdict[str, Counter[str | None]] = defaultdict(Counter)
    lines: dict[tuple[str, str | None], Entry] = {}
    for entry in mentions(text):
        values[entry.key][entry.value] += 1
        if not lines.setdefault((entry.key, entry.value), entry).uid:
            lines[entry.key, entry.value] = entry
    return {key: lines[key, counted.most_common(1)[0][0]] for key, counted in values.items()}
