"""`openai_compatible`: any server that speaks the OpenAI API is shown the context that a strategy builds for a query,
and answers in its own words.

`rolling_summary` and `fact_extraction` have the server's model keep the notes. Timelines are asked side by side,
the queries of one in turn.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from evaluation.adapters.base import Answer, Output, ShouldStop
from evaluation.adapters.replies import Reply, prose_in, response_output, unanswered_output
from evaluation.adapters.servers.probe import Report, probe
from evaluation.adapters.servers.server import Server, guess_tokens
from evaluation.adapters.servers.settings import ConnectionSettings
from evaluation.adapters.settings import read_settings
from evaluation.core.row_states import RowState
from evaluation.core.settings import OneOf
from evaluation.statebench.adapters.contexts import Contexts, Plan
from evaluation.statebench.adapters.prompts import CONDENSER, Prompts, StatePromptSettings
from evaluation.statebench.adapters.timeline_rows import KIND
from evaluation.statebench.context.assemble import DEFAULT_BUDGET
from evaluation.statebench.data.tokens import TOKENIZERS
from evaluation.statebench.records import TimelineQuestion
from evaluation.statebench.strategies import STRATEGIES, get_strategy
from evaluation.statebench.strategies.condensed import condensing

PROBE_NOTES, PROBE_QUESTION = "The meeting is on Monday.", "Is the meeting on Monday?"


class StateServerSettings(StatePromptSettings, ConnectionSettings):
    """A server, and what it is shown."""

    strategy: Annotated[str, OneOf(STRATEGIES)] = Field("state_based", description="What builds the context.")
    budget: int = Field(DEFAULT_BUDGET, gt=0, description="Most tokens of a context.")
    tokenizer: Annotated[str, OneOf(TOKENIZERS)] = Field(
        "pretokens", description="What counts them, as the server's own is not known."
    )


class StateServerAdapter:
    """A model behind an HTTP API."""

    def __init__(self, settings: StateServerSettings) -> None:
        self.settings = settings
        self.server = Server(settings)
        self.prompts = Prompts(settings.prompt_choice)
        self.truncated_rows = 0
        self._probed: Report | None = None
        self._lock = threading.Lock()
        self._plan = Plan(
            strategy=settings.strategy,
            budget=settings.budget,
            tokenizer=TOKENIZERS[settings.tokenizer],
            measure=guess_tokens,
            ask=self.server.ask,
            notes_room=self._notes_room,
        )

    def predict(self, row: TimelineQuestion, *, protocol: str) -> Output:
        """The answer to one query."""
        [(_, answer)] = self._answers([row])
        return dict(answer.output)

    def begin(self) -> None:
        """Look at the server and ask it a small question, once."""
        if self.settings.probe and self._probed is None:
            asked = self.prompts.answer(PROBE_NOTES, PROBE_QUESTION)
            self._probed = probe(self.server, self.prompts.system, asked, {}, _state)

    def batches(self, rows: Sequence[TimelineQuestion]) -> Iterator[list[TimelineQuestion]]:
        """Whole timelines, a few requests per connection: what a calibration asks."""
        batch: list[TimelineQuestion] = []
        for group in KIND.groups(rows):
            batch += group
            if len(batch) >= 4 * self.settings.at_first:
                yield batch
                batch = []
        if batch:
            yield batch

    def stream(
        self, rows: Sequence[TimelineQuestion], *, protocol: str, done: Collection[str]
    ) -> Iterator[tuple[str, Answer]]:
        """The answers as they come, several timelines at a time.

        Notes are charged to the query that needed them first, so a timeline that was answered in part is asked as a
        whole where the model keeps them.
        """
        keeps_notes = bool(get_strategy(self.settings.strategy).instruction)
        timelines = []
        for group in KIND.groups(rows):
            left = [row for row in group if row["id"] not in done]
            if left:
                timelines.append(group if keeps_notes else left)
        yield from self.server.results(self._answers, timelines)

    @property
    def doubts(self) -> Mapping[str, str]:
        """By row, why its prompt seems to have been read in part."""
        return self.server.doubts

    def wind_down(self) -> None:
        """Send no more; what is under way is still answered."""
        self.server.wind_down()

    def stop_when(self, should_stop: ShouldStop) -> None:
        """Ask `should_stop` while requests are under way."""
        self.server.stop_when(should_stop)

    def provenance(self) -> dict[str, Any]:
        """Settings and prompt hash; what the server itself runs is not known here."""
        return {
            "settings": self.settings.model_dump(),
            "contexts": STRATEGIES[self.settings.strategy].contexts,
            **self.prompts.provenance(),
            "truncated_rows": self.truncated_rows,
            "server": self.server.provenance() | self._found(),
        }

    def close(self) -> None:
        """Close the connections."""
        self.server.close()

    def _found(self) -> dict[str, Any]:
        return {"probe": self._probed.as_dict(self.settings.model)} if self._probed else {}

    def _answers(self, rows: Sequence[TimelineQuestion]) -> Iterator[tuple[str, Answer]]:
        """The answers to queries of one timeline, each as it comes."""
        contexts = Contexts(rows[0]["timeline"], self._plan)
        for row in rows:
            yield row["id"], self._answer(row, contexts)

    def _answer(self, row: TimelineQuestion, contexts: Contexts) -> Answer:
        words = self.prompts.system + self.prompts.answer("", row["question"])
        text, cut = contexts.text(row["query_idx"], self._room(words))
        with self._lock:
            self.truncated_rows += cut
        if contexts.trouble is not None:
            return Answer(unanswered_output(contexts.trouble), contexts.charge())
        reply = self.server.ask(self.prompts.system, self.prompts.answer(text, row["question"]), row["id"])
        return Answer(response_output(reply), contexts.charge() + reply.usage)

    def _room(self, words: str) -> int:
        return self.settings.context - self.settings.max_tokens - guess_tokens(words)

    def _notes_room(self, instruction: str) -> int:
        return self._room(CONDENSER + condensing(instruction, "-", "")) - self.settings.max_tokens


def _state(reply: Reply) -> RowState:
    """What a row would be with such a reply."""
    answer = prose_in(reply)
    return answer if isinstance(answer, RowState) else RowState.ANSWERED


def create_adapter(settings: StateServerSettings | None = None) -> StateServerAdapter:
    """The adapter, with settings from the environment where none are given."""
    return StateServerAdapter(settings or read_settings(StateServerSettings, {}))
