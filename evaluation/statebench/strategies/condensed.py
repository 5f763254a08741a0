"""A rolling summary and extracted facts by a language model: it reads the conversation piece by piece and
rewrites its notes after each. Without a model, `extractive` does the same by rule.

The number of calls is bounded, and notes are kept by the turns they cover, so that the queries of a timeline
share them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evaluation.statebench.context.assemble import Context, shorten
from evaluation.statebench.data.tokens import Tokenizer
from evaluation.statebench.records import Timeline
from evaluation.statebench.strategies.transcript import Line, close, fit, transcript

#: What to ask, and what the call is called (a random stream and errors are named by it) -> the completion.
Complete = Callable[[str, str], str]

SUMMARIZE = "Rewrite the notes as one short summary, a sentence per line. State only what holds now."
EXTRACT = (
    "Rewrite the notes as a list of facts, one per line. Replace a fact that has changed; keep the others."
)

PIECE_TURNS = 4  # turns read at a time
MAX_CALLS = 16  # for one query; a longer conversation is read in larger pieces


def condensing(instruction: str, notes: str, turns: str) -> str:
    """What the model is asked after a piece of the conversation.

    The instruction stands at the end, where small models heed it most, and nothing stands for notes that are not
    there yet: they would copy it.

    Args:
        instruction: What to do with the turns.
        notes: The notes so far; empty for none.
        turns: The piece of the conversation.
    """
    before = f"Notes so far:\n{notes}\n\n" if notes else ""
    return f"{before}New turns:\n{turns}\n\n{instruction}"


@dataclass(frozen=True, slots=True)
class Condenser:
    """How a model condenses: `room` is what a piece of the conversation may take, in tokens of `count`."""

    complete: Complete
    room: int
    count: Tokenizer


class Notes:
    """The notes of one timeline. They are rewritten only for turns that no earlier query has covered."""

    def __init__(self, timeline: Timeline, instruction: str, condenser: Condenser) -> None:
        self._timeline, self._instruction, self._condenser = timeline, instruction, condenser
        turns = sum(event["type"] == "conversation_turn" for event in timeline["events"])
        self._step = max(PIECE_TURNS, -(-turns // MAX_CALLS))
        self._kept: dict[tuple[str, ...], str] = {}

    def context(self, query_idx: int, budget: int, count: Tokenizer) -> Context:
        """What a query is shown of the notes, the newest lines first into the budget.

        Args:
            query_idx: Which query of the timeline, from 0.
            budget: Tokens at most.
            count: Tokens of a text.

        Returns:
            The context, never over its budget.
        """
        lines = list(enumerate(self._after(transcript(self._timeline, query_idx)).splitlines()))
        return close(self._timeline, fit(reversed(lines), budget, count, self._timeline), budget, count)

    def _after(self, turns: list[Line]) -> str:
        """The notes after these turns."""
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
    """Where pieces end: after every `step` turns, and after the last."""
    yield from range(step, turns, step)
    if turns:
        yield turns
