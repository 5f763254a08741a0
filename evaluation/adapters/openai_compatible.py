"""`openai_compatible`: any server that speaks the OpenAI API (llama-server, vLLM, Ollama, a hosted one).

A suite gives the prompts, the parser of a reply, and which of its rows are asked one after the other.
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
#: Of a small question: system prompt, the user's turn, and what the server is told of the answer's form.
Small = tuple[str, str, dict[str, Any]]


class ServerAdapter(ABC, Generic[R]):
    """A model behind an HTTP API."""

    def __init__(self, settings: ConnectionSettings, prompts: SetPrompts) -> None:
        self._connection, self._sent = settings, prompts
        self.server = Server(settings)
        self.truncated_rows = 0
        self._probed: Report | None = None
        self._lock = threading.Lock()

    @abstractmethod
    def small_question(self) -> Small:
        """A question that tells whether the server answers as rows need it."""

    @abstractmethod
    def parsed(self, reply: Reply) -> object:
        """The answer in a reply; a RowState where it holds none."""

    @abstractmethod
    def groups(self, rows: Sequence[R]) -> Iterable[Sequence[R]]:
        """The rows in an order that a server's prefix cache likes; those of a group are asked one after the other."""

    @abstractmethod
    def answers(self, rows: Sequence[R], protocol: str) -> Iterator[tuple[str, Answer]]:
        """The answers to rows of one group, each as it comes.

        Args:
            rows: Of the group that are still to be asked, in its order.
            protocol: Which texts of a row the server sees.
        """

    def left_of(self, group: Sequence[R], done: Collection[str]) -> Sequence[R]:
        """The rows of a group that are asked where some are answered already.

        Args:
            group: All of its rows.
            done: The ids of answered rows, of other groups too.
        """
        return [row for row in group if row["id"] not in done]

    def told(self) -> Mapping[str, object]:
        """What the suite adds to the provenance."""
        return {}

    def predict(self, row: R, *, protocol: str) -> Output:
        """The answer to one row."""
        [(_, answer)] = self.answers([row], protocol)
        return dict(answer.output)

    def begin(self) -> None:
        """Look at the server and ask it a small question, once."""
        if self._connection.probe and self._probed is None:
            self._probed = probe(self.server, *self.small_question(), self._state)

    def batches(self, rows: Sequence[R]) -> Iterator[list[R]]:
        """Whole groups, a few rows per connection: what a calibration asks."""
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
        """The answers as they come, several groups at a time."""
        left = [rest for group in self.groups(rows) if (rest := self.left_of(group, done))]
        yield from self.server.results(lambda group: self.answers(group, protocol), left)

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

    def provenance(self) -> dict[str, object]:
        """Settings and prompt hash; what the server itself runs is not known here."""
        found = {"probe": self._probed.as_dict(self._connection.model)} if self._probed else {}
        return {
            "settings": self._connection.model_dump(),
            **self._sent.provenance(),
            **self.told(),
            "truncated_rows": self.truncated_rows,
            "server": self.server.provenance() | found,
        }

    def close(self) -> None:
        """Close the connections."""
        self.server.close()

    def room_beside(self, words: str) -> int:
        """The tokens, about, that are left of the context beside these words and the answer."""
        return self._connection.context - self._connection.max_tokens - guess_tokens(words)

    def count_cut(self, cut: bool) -> None:
        """Count a row whose text had to be cut. Rows are asked in several threads."""
        with self._lock:
            self.truncated_rows += cut

    def _state(self, reply: Reply) -> RowState:
        """What a row would be with such a reply."""
        answer = self.parsed(reply)
        return answer if isinstance(answer, RowState) else RowState.ANSWERED
