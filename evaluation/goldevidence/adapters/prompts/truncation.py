"""Truncates texts that are longer than a model can read.

`recent` keeps the end of the text. `by_key` first keeps the lines that name a key of the question. It is a retriever
and does part of the task, so every result mentions it. With `none` the model is not called if the text is too long.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from evaluation.goldevidence.adapters.shown import Shown
from evaluation.goldevidence.data.ledger import LEDGER_HEADING

OLD_NAME = "key_aware"
BY_KEY = "by_key"
NONE = "none"
#: Added to a system's name and provenance: the model did not find the lines by itself.
RETRIEVER = "by-key retriever"
_KEY = re.compile(r"tag\.\d{2,}")


def _renamed(value: Any) -> Any:
    return BY_KEY if value == OLD_NAME else value


Truncation = Annotated[Literal["recent", "by_key", "none"], BeforeValidator(_renamed)]
TRUNCATION_HELP = (
    "How to cut a text that is too long: recent keeps its end; by_key (a retriever) keeps lines of the key asked "
    "about; none skips the model call, and the row gets the state cut_prompt."
)


def told_of(truncation: str) -> dict[str, str]:
    """Return a field that declares the truncation `by_key` as a retriever; empty for other truncations."""
    return {"retriever": RETRIEVER} if truncation == BY_KEY else {}


def fit(
    seen: Shown, question: str, *, room: int, count: Callable[[str], int], truncation: str
) -> tuple[Shown, int]:
    """Cut a text to at most `room` tokens. Returns the text and the number of lines left out.

    A book is first cut to its state ledger. If a text is still too long, its most recent lines are kept. With the
    truncation `none`, a text that does not fit becomes empty.
    """
    if count(seen.text) <= room:
        return seen, 0
    if truncation == NONE:
        return Shown(seen.kind, "", ()), len(seen.text.splitlines())
    text = seen.text
    if seen.kind == "book":
        text = text[max(text.find(LEDGER_HEADING), 0) :]
    if count(text) > room:
        lines = _sentences(text) if seen.kind == "book" and LEDGER_HEADING not in text else _items(text)
        text = "\n".join(_keep(lines, question if truncation == BY_KEY else "", room, count))
    entries = tuple(entry for entry in seen.entries if entry.uid in text)
    return Shown(seen.kind, text, entries), len(seen.text.splitlines()) - len(text.splitlines())


def _items(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("- ")]


def _sentences(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith(("#", "- "))]


def _keep(lines: Sequence[str], question: str, room: int, count: Callable[[str], int]) -> list[str]:
    keys = set(_KEY.findall(question))
    recent = sorted(range(len(lines)), key=lambda i: (keys.isdisjoint(_KEY.findall(lines[i])), -i))
    chosen: list[int] = []
    for index in recent:
        # Sizes are summed line by line, which never undercounts by much.
        room -= count(lines[index]) + 1
        if room < 0:
            break
        chosen.append(index)
    return [lines[index] for index in sorted(chosen)]
