"""`llama_cpp`: a GGUF model answers each query in free text from the context a strategy builds.

With `rolling_summary` and `fact_extraction` the model also writes the summary or list of facts (*notes*). All queries
share the instruction, so its prefix is evaluated once. Answers are generated in parallel sequences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from evaluation.adapters.base import Answer, Usage
from evaluation.adapters.forms import Form, Prose
from evaluation.adapters.llama.language_model import Ask, ModelSettings
from evaluation.adapters.llama_cpp import LlamaAdapter
from evaluation.adapters.replies import Reply, response_output, unanswered_output
from evaluation.adapters.settings import read_settings
from evaluation.core.row_states import RowState
from evaluation.core.settings import OneOf, refused
from evaluation.statebench.adapters.contexts import Contexts, Plan, ShownSettings, read_made
from evaluation.statebench.adapters.prompts import CONDENSER, STOPS, Prompts, StatePromptSettings
from evaluation.statebench.adapters.typed_form import typed_form, typed_output
from evaluation.statebench.context.assemble import DEFAULT_BUDGET
from evaluation.statebench.data.tokens import TOKENIZERS
from evaluation.statebench.records import Timeline, TimelineQuestion
from evaluation.statebench.strategies.condensed import condensing

OWN = "model"  # the model's own tokenizer


class StateLlamaSettings(ShownSettings, StatePromptSettings, ModelSettings):
    budget: int = Field(DEFAULT_BUDGET, ge=1, description="Maximum tokens of a context.")
    tokenizer: Annotated[str, OneOf((OWN, *TOKENIZERS))] = Field(OWN, description="Tokenizer of the budget.")
    max_tokens: int = Field(160, ge=1, description="Maximum tokens of an answer and of notes.")

    @model_validator(mode="after")
    def _leaves_room(self) -> Self:
        if 3 * self.max_tokens > self.context:  # old notes, new notes, and some conversation
            raise refused("must be at most a third of the context", field="max_tokens")
        return self


class StateLlamaAdapter(LlamaAdapter[TimelineQuestion]):
    def __init__(self, settings: StateLlamaSettings) -> None:
        self.settings = settings
        self.prompts = Prompts(settings.prompt_choice)
        super().__init__(settings, self.prompts)
        self._notes_form: Form = (Prose(settings.max_tokens, STOPS),)
        self._form = typed_form(settings.max_tokens) if self.prompts.typed else self._notes_form
        self._timeline = ""
        self._contexts: Contexts | None = None
        self._plan = Plan(
            strategy=settings.strategy,
            budget=settings.budget,
            tokenizer=self.model.count if settings.tokenizer == OWN else TOKENIZERS[settings.tokenizer],
            measure=self.model.count,
            ask=self._ask,
            notes_room=self._notes_room,
            constraint_share=settings.constraint_share,
            made=read_made(settings.contexts, settings.budget),
        )

    def batches(self, rows: Sequence[TimelineQuestion]) -> Iterator[list[TimelineQuestion]]:
        for start in range(0, len(rows), self.settings.parallel):
            yield list(rows[start : start + self.settings.parallel])

    def predict_batch(self, rows: Sequence[TimelineQuestion], *, protocol: str) -> Iterator[Answer]:
        """Answer a batch of queries in order. The cost of notes is charged to the first query that needs them."""
        prepared = [self._prepared(row) for row in rows]
        replies = iter(self.model.ask([ask for ask, _ in prepared if isinstance(ask, Ask)]))
        for ask, charge in prepared:
            if isinstance(ask, RowState):
                yield Answer(unanswered_output(ask), charge)
            else:
                reply = next(replies)
                output = typed_output(reply) if self.prompts.typed else response_output(reply)
                yield Answer(output, charge + reply.usage)

    def suite_provenance(self) -> dict[str, object]:
        return {"contexts": self._plan.contexts}

    def _prepared(self, row: TimelineQuestion) -> tuple[Ask | RowState, Usage]:
        """The request for a row (or the state of a row that gets no request), and the cost of its notes."""
        contexts = self._contexts_for(row["timeline"])
        room = self.model.room_for(self.prompts.system, self.prompts.answer("", row["question"]), self._form)
        text, cut = contexts.text(row["query_idx"], room)
        self.truncated_rows += cut
        if contexts.trouble is not None:
            return contexts.trouble, contexts.charge()
        user = self.prompts.answer(text, row["question"])
        ask = Ask(row["id"], self.prompts.system, user, self._form)
        return ask, contexts.charge()

    def _contexts_for(self, timeline: Timeline) -> Contexts:
        # The queries of a timeline come together, so keeping one timeline's contexts is enough.
        if self._contexts is None or self._timeline != timeline["id"]:
            self._timeline, self._contexts = timeline["id"], Contexts(timeline, self._plan)
        return self._contexts

    def _ask(self, system: str, user: str, name: str) -> Reply:
        return self.model.ask([Ask(name, system, user, self._notes_form)])[0]

    def _notes_room(self, instruction: str) -> int:
        bare = condensing(instruction, "-", "")
        return self.model.room_for(CONDENSER, bare, self._notes_form) - self.settings.max_tokens


def create_adapter(settings: StateLlamaSettings | None = None) -> StateLlamaAdapter:
    return StateLlamaAdapter(settings or read_settings(StateLlamaSettings, {}))
