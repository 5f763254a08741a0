"""`openai_compatible`: any server that speaks the OpenAI API answers each query from the context a strategy builds.

With `rolling_summary` and `fact_extraction` the server's model also writes the summary or list of facts (*notes*).
Timelines run in parallel, the queries of a timeline in sequence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Annotated

from pydantic import Field

from evaluation.adapters.base import Answer
from evaluation.adapters.openai_compatible import ServerAdapter, Small
from evaluation.adapters.replies import Reply, prose_in, response_output, unanswered_output
from evaluation.adapters.servers.server import guess_tokens
from evaluation.adapters.servers.settings import ConnectionSettings
from evaluation.adapters.settings import read_settings
from evaluation.core.row_states import RowState
from evaluation.core.settings import OneOf
from evaluation.statebench.adapters.contexts import Contexts, Plan, ShownSettings, read_made
from evaluation.statebench.adapters.prompts import CONDENSER, Prompts, StatePromptSettings
from evaluation.statebench.adapters.timeline_rows import KIND
from evaluation.statebench.adapters.typed_form import typed_constraint, typed_output
from evaluation.statebench.context.assemble import DEFAULT_BUDGET
from evaluation.statebench.data.tokens import TOKENIZERS
from evaluation.statebench.records import TimelineQuestion
from evaluation.statebench.strategies import get_strategy
from evaluation.statebench.strategies.condensed import condensing

PROBE_NOTES, PROBE_QUESTION = "The meeting is on Monday.", "Is the meeting on Monday?"


class StateServerSettings(ShownSettings, StatePromptSettings, ConnectionSettings):
    budget: int = Field(DEFAULT_BUDGET, gt=0, description="Maximum tokens of a context.")
    tokenizer: Annotated[str, OneOf(TOKENIZERS)] = Field(
        "pretokens", description="Tokenizer of the budget; the server's own is unknown."
    )


class StateServerAdapter(ServerAdapter[TimelineQuestion]):
    def __init__(self, settings: StateServerSettings) -> None:
        self.settings = settings
        self.prompts = Prompts(settings.prompt_choice)
        self._constraint = typed_constraint() if self.prompts.typed else {}
        super().__init__(settings, self.prompts)
        self._plan = Plan(
            strategy=settings.strategy,
            budget=settings.budget,
            tokenizer=TOKENIZERS[settings.tokenizer],
            measure=guess_tokens,
            ask=self.server.ask,
            notes_room=self._notes_room,
            constraint_share=settings.constraint_share,
            made=read_made(settings.contexts, settings.budget),
        )

    def small_question(self) -> Small:
        return self.prompts.system, self.prompts.answer(PROBE_NOTES, PROBE_QUESTION), self._constraint

    def parsed(self, reply: Reply) -> str | RowState:
        return prose_in(reply)

    def groups(self, rows: Sequence[TimelineQuestion]) -> Iterable[Sequence[TimelineQuestion]]:
        return KIND.groups(rows)

    def left_of(self, group: Sequence[TimelineQuestion], done: Collection[str]) -> Sequence[TimelineQuestion]:
        left = super().left_of(group, done)
        # Notes are charged to the query that needed them first, so a group with notes is repeated as a whole.
        keeps_notes = self._plan.made is None and get_strategy(self.settings.strategy).instruction
        return group if left and keeps_notes else left

    def answers(self, rows: Sequence[TimelineQuestion], protocol: str) -> Iterator[tuple[str, Answer]]:
        contexts = Contexts(rows[0]["timeline"], self._plan)
        for row in rows:
            yield row["id"], self._answer(row, contexts)

    def suite_provenance(self) -> dict[str, object]:
        return {"contexts": self._plan.contexts}

    def _answer(self, row: TimelineQuestion, contexts: Contexts) -> Answer:
        words = self.prompts.system + self.prompts.answer("", row["question"])
        text, cut = contexts.text(row["query_idx"], self.room_beside(words))
        self.count_cut(cut)
        if contexts.trouble is not None:
            return Answer(unanswered_output(contexts.trouble), contexts.charge())
        user = self.prompts.answer(text, row["question"])
        reply = self.server.ask(self.prompts.system, user, row["id"], self._constraint)
        output = typed_output(reply) if self.prompts.typed else response_output(reply)
        return Answer(output, contexts.charge() + reply.usage)

    def _notes_room(self, instruction: str) -> int:
        return self.room_beside(CONDENSER + condensing(instruction, "-", "")) - self.settings.max_tokens


def create_adapter(settings: StateServerSettings | None = None) -> StateServerAdapter:
    return StateServerAdapter(settings or read_settings(StateServerSettings, {}))
