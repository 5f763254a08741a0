"""`openai_compatible`: any server with the OpenAI API (llama-server, vLLM, Ollama, a hosted one).

A suite provides the prompts, the parser of a reply, and the groups of rows to ask in sequence.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from evaluation.adapters.base import Answer, Output, ShouldStop
from evaluation.adapters.prompt_sets import SetPrompts
from evaluation.adapters.replies import Reply
from evaluation.adapters.servers.probe import Report, probe
from evaluation.adapters.servers.server import Server, guess_tokens
from evaluation.adapters.servers.settings import ConnectionSettings
from evaluation.core.records import Row
from evaluation.core.row_states import RowState

R = TypeVar("R", bound=Row)
#: A small question: system prompt, user turn, and fields that constrain the form of the answer.
Small = tuple[str, str, dict[str, Any]]


class ServerAdapter(ABC, Generic[R]):
    def __init__(self, settings: ConnectionSettings, prompts: SetPrompts) -> None:
        self._connection, self._sent = settings, prompts
        self.server = Server(settings)
        self.truncated_rows = 0
        self._probed: Report | None = None
        self._lock = threading.Lock()

    @abstractmethod
    def small_question(self) -> Small:
        """A question that tests whether the server answers in the form that rows need."""

    @abstractmethod
    def parsed(self, reply: Reply) -> object:
        """The answer in a reply. If the reply contains none, the row state that says why."""

    @abstractmethod
    def groups(self, rows: Sequence[R]) -> Iterable[Sequence[R]]:
        """Group the rows for a server's prefix cache. The rows of one group are asked one after another."""

    @abstractmethod
    def answers(self, rows: Sequence[R], protocol: str) -> Iterator[tuple[str, Answer]]:
        """Yield (id, answer) for each row of one group, as answers arrive."""

    def left_of(self, group: Sequence[R], done: Collection[str]) -> Sequence[R]:
        """The rows of a group that have not been answered. `done`: ids of all answered rows."""
        return [row for row in group if row["id"] not in done]

    def suite_provenance(self) -> Mapping[str, object]:
        return {}

    def predict(self, row: R, *, protocol: str) -> Output:
        [(_, answer)] = self.answers([row], protocol)
        return dict(answer.output)

    def begin(self) -> None:
        """Check the server and ask it a small question, once."""
        if self._connection.probe and self._probed is None:
            self._probed = probe(self.server, *self.small_question(), self._state)

    def batches(self, rows: Sequence[R]) -> Iterator[list[R]]:
        """Yield batches of whole groups, about four rows per connection, for an estimate of the run's duration."""
        batch: list[R] = []
        for group in self.groups(rows):
            batch += group
            if len(batch) >= 4 * self._connection.at_first:
                yield batch
                batch = []
        if batch:
            yield batch

    def stream(
        self, rows: Sequence[R], *, protocol: str, done: Collection[str]
    ) -> Iterator[tuple[str, Answer]]:
        left = [rest for group in self.groups(rows) if (rest := self.left_of(group, done))]
        yield from self.server.results(lambda group: self.answers(group, protocol), left)

    @property
    def doubts(self) -> Mapping[str, str]:
        """Row id -> reason to doubt the answer. The server seems to have read only a part of the prompt."""
        return self.server.doubts

    def wind_down(self) -> None:
        self.server.wind_down()

    def stop_when(self, should_stop: ShouldStop) -> None:
        self.server.stop_when(should_stop)

    def provenance(self) -> dict[str, object]:
        """The settings, the hash of the prompt, and the report of the server check."""
        found = {"probe": self._probed.as_dict(self._connection.model)} if self._probed else {}
        return {
            "settings": self._connection.model_dump(),
            **self._sent.provenance(),
            **self.suite_provenance(),
            "truncated_rows": self.truncated_rows,
            "server": self.server.provenance() | found,
        }

    def close(self) -> None:
        self.server.close()

    def room_beside(self, words: str) -> int:
        """Approximate number of context tokens that these words and the longest answer leave free."""
        return self._connection.context - self._connection.max_tokens - guess_tokens(words)

    def count_cut(self, cut: bool) -> None:
        """Count the row if its text was `cut`. Thread-safe."""
        with self._lock:
            self.truncated_rows += cut

    def _state(self, reply: Reply) -> RowState:
        answer = self.parsed(reply)
        return answer if isinstance(answer, RowState) else RowState.ANSWERED
