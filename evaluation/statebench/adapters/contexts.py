"""What a model is shown of a timeline: the context of a strategy, within a budget and the model's own limit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from evaluation.adapters.base import Usage
from evaluation.adapters.replies import Reply
from evaluation.adapters.thinking import without_thinking
from evaluation.core.row_states import RowState
from evaluation.statebench.adapters.prompts import CONDENSER
from evaluation.statebench.context.assemble import Context
from evaluation.statebench.data.tokens import Tokenizer
from evaluation.statebench.records import Timeline
from evaluation.statebench.strategies import build_context, build_contexts, get_strategy
from evaluation.statebench.strategies.condensed import Condenser, Notes

#: (system, user, name of the call) -> the model's reply.
AskModel = Callable[[str, str, str], Reply]


@dataclass(frozen=True, slots=True)
class Plan:
    """How contexts are built. `budget` is in tokens of `tokenizer`; `measure` counts the model's own.

    `notes_room` is what a piece of a conversation may take that the model condenses, in tokens of `measure`.
    """

    strategy: str
    budget: int
    tokenizer: Tokenizer
    measure: Tokenizer
    ask: AskModel
    notes_room: Callable[[str], int]  # by the instruction


class Contexts:
    """The contexts of one timeline. Its queries share one replay, or one set of notes.

    `spent` is what the model's calls for notes have cost so far; whoever answers takes it with `charge`.
    `trouble` says why notes could not be taken, once that happened: what is asked of them from then on has no answer.
    """

    def __init__(self, timeline: Timeline, plan: Plan) -> None:
        self._timeline, self._plan = timeline, plan
        self._instruction = get_strategy(plan.strategy).instruction
        self._spent = Usage()
        self.trouble: RowState | None = None

    def text(self, query_idx: int, room: int) -> tuple[str, bool]:
        """The context of a query, cut where it has to be.

        The strategy itself decides what to leave out. One that keeps no budget loses its last lines.

        Args:
            query_idx: Which query of the timeline, from 0.
            room: The model's tokens at most.

        Returns:
            The text, and whether it had to be cut for the room.
        """
        plan = self._plan
        text = self._context(query_idx).text
        if plan.measure(text) <= room:
            return text, False
        return _first_lines(self._tight(query_idx, max(room, 0)).text, room, plan.measure), True

    def charge(self) -> Usage:
        """What the notes have cost since the last time it was asked."""
        spent, self._spent = self._spent, Usage()
        return spent

    def _context(self, query_idx: int) -> Context:
        if self._notes is not None:
            return self._notes.context(query_idx, self._plan.budget, self._plan.tokenizer)
        return self._built[query_idx]

    def _tight(self, query_idx: int, room: int) -> Context:
        if self._notes is not None:
            return self._notes.context(query_idx, room, self._plan.measure)
        return build_context(
            self._timeline, query_idx, strategy=self._plan.strategy, budget=room, tokenizer=self._plan.measure
        )

    @cached_property
    def _built(self) -> list[Context]:
        plan = self._plan
        return build_contexts(
            self._timeline, strategy=plan.strategy, budget=plan.budget, tokenizer=plan.tokenizer
        )

    @cached_property
    def _notes(self) -> Notes | None:
        """None for a strategy that asks no model."""
        if not self._instruction:
            return None
        room = max(self._plan.notes_room(self._instruction), 0)
        return Notes(self._timeline, self._instruction, Condenser(self._complete, room, self._plan.measure))

    def _complete(self, prompt: str, name: str) -> str:
        reply = self._plan.ask(CONDENSER, prompt, name)
        self._spent += reply.usage
        text = without_thinking(reply.text)
        if reply.trouble is not None and not (reply.trouble is RowState.CUT_OFF and text):
            self.trouble = reply.trouble  # notes that fill their room end there, and are notes all the same
        return text


def _first_lines(text: str, room: int, measure: Tokenizer) -> str:
    lines = text.splitlines()
    while lines and measure("\n".join(lines)) > room:
        lines.pop()
    return "\n".join(lines)
