"""Contexts shown to a model: built by a strategy or read from a file, within a budget and the model's own limit."""

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
from evaluation.core.records import JsonObject
from evaluation.core.row_states import RowState
from evaluation.core.settings import OneOf
from evaluation.statebench.adapters.prompts import CONDENSER
from evaluation.statebench.context.assemble import CONSTRAINT_SHARE, Context
from evaluation.statebench.data.contexts import CONTEXTS, TEXT, contexts_of
from evaluation.statebench.data.tokens import Tokenizer, first_lines
from evaluation.statebench.records import Timeline, row_id
from evaluation.statebench.strategies import STRATEGIES, build_context, build_contexts, get_strategy
from evaluation.statebench.strategies.condensed import Condenser, Notes

#: (system, user, name of the call) -> the model's reply.
AskModel = Callable[[str, str, str], Reply]


class ShownSettings(AdapterSettings):
    local: ClassVar[frozenset[str]] = frozenset({"contexts"})
    strategy: Annotated[str, OneOf(STRATEGIES)] = Field(
        "state_based", description="Strategy that builds the context."
    )
    constraint_share: float = Field(
        CONSTRAINT_SHARE,
        ge=0,
        le=1,
        description="Share of the facts' budget reserved for constraints, for strategies that keep a state.",
    )
    contexts: str = Field(
        "", description="File of contexts (`state context --json`), shown instead of the strategy's contexts."
    )


@dataclass(frozen=True, slots=True)
class Made:
    """Contexts read from a file, by row id. `name` identifies the memory that built them, with the file's hash."""

    name: str
    texts: Mapping[str, str]


def read_made(path: str, budget: int) -> Made | None:
    """Read a file of contexts. Returns None if the path is empty.

    Each JSON line has `timeline_id`, `query_idx`, optionally `memory`, and either `text` or `contexts` by budget. Of
    several contexts the largest within `budget` tokens is taken, or the smallest if all are larger. Raises
    SettingsError if the file is missing, a line is not a context, or a query has two.
    """
    if not path:
        return None
    texts: dict[str, str] = {}
    makers: set[str] = set()
    try:
        for number, row in jsonl.read_numbered(path):
            name, text = row_id(str(row.get("timeline_id")), row.get("query_idx", -1)), _text(row, budget)
            if not isinstance(text, str) or name in texts:
                why = "second context of the same query" if name in texts else "has no text"
                raise RowError(why, path=path, line=number)
            texts[name] = text
            makers.add(str(row.get("memory") or "contexts"))
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except (RowError, OSError) as error:
        raise SettingsError({"contexts": [f"cannot be read: {error}"]}) from error
    return Made(f"{' + '.join(sorted(makers))}@{digest[:12]}", texts)


def _text(row: JsonObject, budget: int) -> object:
    if CONTEXTS not in row:
        return row.get(TEXT)
    texts = contexts_of(row)
    return texts[max((each for each in texts if each <= budget), default=min(texts))]


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings and functions that build the contexts of timelines.

    `budget` is in tokens of `tokenizer`; `measure` counts the model's own tokens. `notes_room(instruction)` is the
    greatest length of conversation, in the model's tokens, that can be condensed to notes in one call.
    """

    strategy: str
    budget: int
    tokenizer: Tokenizer
    measure: Tokenizer
    ask: AskModel
    notes_room: Callable[[str], int]
    constraint_share: float = CONSTRAINT_SHARE
    made: Made | None = None  # replaces the strategy's contexts

    @property
    def contexts(self) -> str:
        """Name of the contexts in results, such as `state_based/5` or that of a contexts file with its hash."""
        return self.made.name if self.made is not None else get_strategy(self.strategy).contexts


class Contexts:
    """Builds the contexts of one timeline. If the model cannot write notes, `trouble` is set and later queries fail."""

    def __init__(self, timeline: Timeline, plan: Plan) -> None:
        self._timeline, self._plan = timeline, plan
        self._instruction = get_strategy(plan.strategy).instruction
        self._spent = Usage()
        self.trouble: RowState | None = None

    def text(self, query_idx: int, room: int) -> tuple[str, bool]:
        """The context of a query (from 0), and True if it was cut to `room` tokens of the model."""
        plan = self._plan
        if plan.made is not None:
            return self._made(plan.made, query_idx, room)
        text = self._context(query_idx).text
        if plan.measure(text) <= room:
            return text, False
        # The strategy decides what to leave out; one without a budget loses its last lines.
        return first_lines(self._tight(query_idx, max(room, 0)).text, room, plan.measure), True

    def charge(self) -> Usage:
        """Return the cost of the notes since the last call, and reset it."""
        spent, self._spent = self._spent, Usage()
        return spent

    def _made(self, made: Made, query_idx: int, room: int) -> tuple[str, bool]:
        name = row_id(self._timeline["id"], query_idx)
        if name not in made.texts:
            raise AdapterError(f"{made.name} has no context for the query {name}")
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
        if not self._instruction:
            return None
        room = max(self._plan.notes_room(self._instruction), 0)
        return Notes(self._timeline, self._instruction, Condenser(self._complete, room, self._plan.measure))

    def _complete(self, prompt: str, name: str) -> str:
        reply = self._plan.ask(CONDENSER, prompt, name)
        self._spent += reply.usage
        text = without_thinking(reply.text)
        if reply.trouble is not None and not (reply.trouble is RowState.CUT_OFF and text):
            self.trouble = reply.trouble  # notes cut off at their limit are still usable
        return text
