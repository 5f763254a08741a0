"""Strategies with a language model that rewrites a summary or a list of facts after each part of the conversation.

The number of calls is bounded, and notes are cached by the turns they cover, so that the queries of a timeline share
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evaluation.statebench.context.assemble import Context, shorten
from evaluation.statebench.data.tokens import Tokenizer
from evaluation.statebench.records import Timeline
from evaluation.statebench.strategies.transcript import Line, close, transcript

#: (prompt, name of the call, which names its random stream and its errors) -> completion.
Complete = Callable[[str, str], str]

SUMMARIZE = "Rewrite the notes as one short summary, a sentence per line. State only what holds now."
EXTRACT = (
    "Rewrite the notes as a list of facts, one per line. Replace a fact that has changed; keep the others."
)

PIECE_TURNS = 4  # minimum turns per piece
MAX_CALLS = 16  # per query; longer conversations are read in larger pieces


def condensing(instruction: str, notes: str, turns: str) -> str:
    """Write the prompt that asks a model to update its notes with new turns.

    The instruction comes last, where small models follow it best. Empty notes are not mentioned, because models would
    copy a placeholder.
    """
    before = f"Notes so far:\n{notes}\n\n" if notes else ""
    return f"{before}New turns:\n{turns}\n\n{instruction}"


@dataclass(frozen=True, slots=True)
class Condenser:
    """A model that condenses text. `room` is the maximum length of a part of the conversation, in tokens of `count`."""

    complete: Complete
    room: int
    count: Tokenizer


class Notes:
    """A model's notes on one timeline. They are updated only for turns that no earlier query has covered."""

    def __init__(self, timeline: Timeline, instruction: str, condenser: Condenser) -> None:
        self._timeline, self._instruction, self._condenser = timeline, instruction, condenser
        turns = sum(event["type"] == "conversation_turn" for event in timeline["events"])
        self._step = max(PIECE_TURNS, -(-turns // MAX_CALLS))
        self._kept: dict[tuple[str, ...], str] = {}

    def context(self, query_idx: int, budget: int, count: Tokenizer) -> Context:
        """Return the context of a query: the newest lines of the notes that fit the budget."""
        lines = list(enumerate(self._after(transcript(self._timeline, query_idx)).splitlines()))
        return close(self._timeline, reversed(lines), budget, count)

    def _after(self, turns: list[Line]) -> str:
        lines = tuple(line for _, line in turns)
        notes = ""
        for end in _ends(len(lines), self._step):
            if (covered := lines[:end]) not in self._kept:
                piece = lines[(end - 1) // self._step * self._step : end]
                self._kept[covered] = self._rewritten(notes, "\n".join(piece), end)
            notes = self._kept[covered]
        return notes

    def _rewritten(self, notes: str, piece: str, end: int) -> str:
        fitting = shorten(piece, self._condenser.room, self._condenser.count)
        asked = condensing(self._instruction, notes, fitting)
        return self._condenser.complete(asked, f"{self._timeline['id']}/notes{end}").strip()


def _ends(turns: int, step: int) -> Iterator[int]:
    yield from range(step, turns, step)
    if turns:
        yield turns
