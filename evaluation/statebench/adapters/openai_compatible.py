"""`openai_compatible`: any server that speaks the OpenAI API is shown the context that a strategy builds for a query,
and answers in its own words.

`rolling_summary` and `fact_extraction` have the server's model keep the notes. Timelines are asked side by side,
the queries of one in turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from evaluation.adapters.base import Answer, Row, ShouldStop
from evaluation.adapters.replies import response_output, unanswered_output
from evaluation.adapters.servers.server import ConnectionSettings, Server, guess_tokens
from evaluation.adapters.settings import one_of, read_settings
from evaluation.statebench.adapters.contexts import Contexts, Plan
from evaluation.statebench.adapters.prompts import CONDENSER, SYSTEM, answer_prompt, template_hash
from evaluation.statebench.adapters.timeline_rows import KIND
from evaluation.statebench.context.assemble import DEFAULT_BUDGET
from evaluation.statebench.data.tokens import TOKENIZERS
from evaluation.statebench.strategies import STRATEGIES
from evaluation.statebench.strategies.condensed import condensing


@dataclass(frozen=True, slots=True)
class StateServerSettings(ConnectionSettings):
    """`strategy` builds a context of at most `budget` tokens of `tokenizer`, as the server's own is not known."""

    strategy: str = field(default="state_based", metadata=one_of(STRATEGIES))
    budget: int = DEFAULT_BUDGET
    tokenizer: str = field(default="pretokens", metadata=one_of(TOKENIZERS))

    def check(self) -> dict[str, list[str]]:
        """Problems by field."""
        problems = super(StateServerSettings, self).check()
        if self.budget < 1:
            problems["budget"] = ["must be positive"]
        return problems


class StateServerAdapter:
    """A model behind an HTTP API."""

    def __init__(self, settings: StateServerSettings) -> None:
        self.settings = settings
        self.server = Server(settings)
        self.truncated_rows = 0
        self._plan = Plan(
            strategy=settings.strategy,
            budget=settings.budget,
            tokenizer=TOKENIZERS[settings.tokenizer],
            measure=guess_tokens,
            ask=self.server.ask,
            notes_room=self._notes_room,
        )

    def predict(self, row: Row, *, protocol: str) -> Row:
        """The answer to one query."""
        return dict(self._answers([row])[0].output)

    def batches(self, rows: Sequence[Row]) -> Iterator[list[Row]]:
        """Whole timelines, a few requests per connection at a time."""
        batch: list[Row] = []
        for group in KIND.groups(rows):
            batch += group
            if len(batch) >= 4 * self.settings.concurrency:
                yield batch
                batch = []
        if batch:
            yield batch

    def predict_batch(self, rows: Sequence[Row], *, protocol: str) -> Iterator[Answer]:
        """The answers in order, `concurrency` timelines at a time."""
        for answers in self.server.map(self._answers, list(KIND.groups(rows))):
            yield from answers

    def stop_when(self, should_stop: ShouldStop) -> None:
        """Ask `should_stop` while requests are under way."""
        self.server.stop_when(should_stop)

    def provenance(self) -> dict[str, Any]:
        """Settings and prompt hash; what the server itself runs is not known here."""
        return {
            "settings": asdict(self.settings),
            "contexts": STRATEGIES[self.settings.strategy].contexts,
            "prompt_template_sha256": template_hash(),
            "truncated_rows": self.truncated_rows,
            "server": self.server.provenance(),
        }

    def close(self) -> None:
        """Close the connections."""
        self.server.close()

    def _answers(self, rows: Sequence[Row]) -> list[Answer]:
        """The answers to queries of one timeline. Notes are charged to the query that needed them first."""
        contexts = Contexts(rows[0]["timeline"], self._plan)
        return [self._answer(row, contexts) for row in rows]

    def _answer(self, row: Row, contexts: Contexts) -> Answer:
        text, cut = contexts.text(row["query_idx"], self._room(SYSTEM + answer_prompt("", row["question"])))
        self.truncated_rows += cut
        if contexts.trouble is not None:
            return Answer(unanswered_output(contexts.trouble), contexts.charge())
        reply = self.server.ask(SYSTEM, answer_prompt(text, row["question"]), row["id"])
        return Answer(response_output(reply), contexts.charge() + reply.usage)

    def _room(self, words: str) -> int:
        return self.settings.context - self.settings.max_tokens - guess_tokens(words)

    def _notes_room(self, instruction: str) -> int:
        return self._room(CONDENSER + condensing(instruction, "-", "")) - self.settings.max_tokens


def create_adapter(settings: StateServerSettings | None = None) -> StateServerAdapter:
    """The adapter, with settings from the environment where none are given."""
    return StateServerAdapter(settings or read_settings(StateServerSettings, {}))
