"""What is left out of a text that is longer than a model can read.

`recent` keeps the end of the text, whatever is asked. `by_key` keeps the lines that name a key of the question before
any other: a retriever, which answers a part of the question for the model, and is named so wherever a result is shown.
`none` cuts nothing: who asks about a text that does not fit, gets no answer and the state `cut_prompt`.
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
#: How the name of a system and its provenance say that the model did not read the text by itself.
RETRIEVER = "by-key retriever"
_KEY = re.compile(r"tag\.\d{2,}")


def _renamed(value: Any) -> Any:
    return BY_KEY if value == OLD_NAME else value


Truncation = Annotated[Literal["recent", "by_key", "none"], BeforeValidator(_renamed)]
TRUNCATION_HELP = (
    "What stays of a text that is too long: its end, or (by_key, a retriever) the lines of the key asked; none: the "
    "model is not asked, and the row is cut_prompt."
)


def told_of(truncation: str) -> dict[str, str]:
    """What a run's provenance says of a truncation: that a retriever worked, where one did."""
    return {"retriever": RETRIEVER} if truncation == BY_KEY else {}


def fit(
    seen: Shown, question: str, *, room: int, count: Callable[[str], int], truncation: str
) -> tuple[Shown, int]:
    """A text cut to the room that there is.

    A book that is too long is cut to its state ledger first. Then lines are kept from the most recent backwards.

    Args:
        seen: The text, with the entries in it.
        question: The question about it.
        room: Tokens at most.
        count: Tokens of a text.
        truncation: `recent`, `by_key` or `none`.

    Returns:
        What is left of `seen`, and how many lines were left out. Of a text that does not fit `none` leaves nothing.
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
    """The chapters of a book without a ledger, which are its record; without headings, rules and glossary."""
    return [line for line in text.splitlines() if line and not line.startswith(("#", "- "))]


def _keep(lines: Sequence[str], question: str, room: int, count: Callable[[str], int]) -> list[str]:
    """The lines that fit, in their order. Sizes are summed line by line, which never undercounts by much."""
    keys = set(_KEY.findall(question))
    recent = sorted(range(len(lines)), key=lambda i: (keys.isdisjoint(_KEY.findall(lines[i])), -i))
    chosen: list[int] = []
    for index in recent:
        room -= count(lines[index]) + 1
        if room < 0:
            break
        chosen.append(index)
    return [lines[index] for index in sorted(chosen)]
