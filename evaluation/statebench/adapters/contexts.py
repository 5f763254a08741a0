"""What a model is shown of a timeline: the context of a strategy, or one that a memory system made before, within a
budget and the model's own limit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from evaluation.adapters.base import Usage
from evaluation.adapters.replies import Reply
from evaluation.adapters.settings import AdapterSettings
from evaluation.adapters.thinking import without_thinking
from evaluation.core import jsonl
from evaluation.core.errors import AdapterError, RowError, SettingsError
from evaluation.core.row_states import RowState
from evaluation.core.settings import OneOf
from evaluation.statebench.adapters.prompts import CONDENSER
from evaluation.statebench.context.assemble import CONSTRAINT_SHARE, Context
from evaluation.statebench.data.tokens import Tokenizer, first_lines
from evaluation.statebench.records import Timeline, row_id
from evaluation.statebench.strategies import STRATEGIES, build_context, build_contexts, get_strategy
from evaluation.statebench.strategies.condensed import Condenser, Notes

#: (system, user, name of the call) -> the model's reply.
AskModel = Callable[[str, str, str], Reply]


class ShownSettings(AdapterSettings):
    """What a model is shown."""

    local: ClassVar[frozenset[str]] = frozenset({"contexts"})
    strategy: Annotated[str, OneOf(STRATEGIES)] = Field("state_based", description="What builds the context.")
    constraint_share: float = Field(
        CONSTRAINT_SHARE,
        ge=0,
        le=1,
        description="Share of the facts' budget that goes to constraints first, where the strategy keeps a state.",
    )
    contexts: str = Field(
        "", description="A file of contexts (`state context --json`) that are shown instead of a strategy's."
    )


@dataclass(frozen=True, slots=True)
class Made:
    """Contexts that were made before: query (`row_id`) -> text. `name` says by what, and which file it was."""

    name: str
    texts: Mapping[str, str]


def read_made(path: str) -> Made | None:
    """Read a file of contexts.

    Args:
        path: JSON lines with `timeline_id`, `query_idx` and `text`; empty for none. `memory` names what made them.

    Raises:
        SettingsError: There is no such file, a line is none, or a query has two contexts.
    """
    if not path:
        return None
    texts: dict[str, str] = {}
    makers: set[str] = set()
    try:
        for number, row in jsonl.read_numbered(path):
            name, text = row_id(str(row.get("timeline_id")), row.get("query_idx", -1)), row.get("text")
            if not isinstance(text, str) or name in texts:
                why = "gives a query its second context" if name in texts else "has no text"
                raise RowError(why, path=path, line=number)
            texts[name] = text
            makers.add(str(row.get("memory") or "contexts"))
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except (RowError, OSError) as error:
        raise SettingsError({"contexts": [f"cannot be read: {error}"]}) from error
    return Made(f"{' + '.join(sorted(makers))}@{digest[:12]}", texts)


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
    constraint_share: float = CONSTRAINT_SHARE
    made: Made | None = None  # shown instead of what the strategy builds

    @property
    def contexts(self) -> str:
        """The name that results carry: `state_based/5`, or what made the contexts with the hash of their file."""
        return self.made.name if self.made is not None else get_strategy(self.strategy).contexts


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
        if plan.made is not None:
            return self._made(plan.made, query_idx, room)
        text = self._context(query_idx).text
        if plan.measure(text) <= room:
            return text, False
        return first_lines(self._tight(query_idx, max(room, 0)).text, room, plan.measure), True

    def charge(self) -> Usage:
        """What the notes have cost since the last time it was asked."""
        spent, self._spent = self._spent, Usage()
        return spent

    def _made(self, made: Made, query_idx: int, room: int) -> tuple[str, bool]:
        name = row_id(self._timeline["id"], query_idx)
        if name not in made.texts:
            raise AdapterError(f"the contexts of {made.name} have none for {name}")
        whole = made.texts[name]
        text = first_lines(whole, self._plan.budget, self._plan.tokenizer)
        text = first_lines(text, room, self._plan.measure)
        return text, text != whole

    def _context(self, query_idx: int) -> Context:
        if self._notes is not None:
            return self._notes.context(query_idx, self._plan.budget, self._plan.tokenizer)
        return self._built[query_idx]

    def _tight(self, query_idx: int, room: int) -> Context:
        if self._notes is not None:
            return self._notes.context(query_idx, room, self._plan.measure)
        return build_context(
            self._timeline,
            query_idx,
            strategy=self._plan.strategy,
            budget=room,
            tokenizer=self._plan.measure,
            constraint_share=self._plan.constraint_share,
        )

    @cached_property
    def _built(self) -> list[Context]:
        plan = self._plan
        return build_contexts(
            self._timeline,
            strategy=plan.strategy,
            budget=plan.budget,
            tokenizer=plan.tokenizer,
            constraint_share=plan.constraint_share,
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
