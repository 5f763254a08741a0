"""`openai_compatible`: any server that speaks the OpenAI API (llama-server, vLLM, Ollama, a hosted one).

A server may ignore the answer's schema, so the answer is read leniently: the last object with a value counts, thinking
and ids that were not shown are left out. What holds no such object, was cut off, or answers a part of the prompt is no
answer: its row gets the state that says so.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import Field

from evaluation.adapters.base import Answer, Output, ShouldStop, Usage
from evaluation.adapters.replies import Reply, object_in, unanswered_output
from evaluation.adapters.servers.probe import Report, probe
from evaluation.adapters.servers.server import Server, guess_tokens
from evaluation.adapters.servers.settings import ConnectionSettings
from evaluation.adapters.settings import read_settings
from evaluation.core.records import JsonObject
from evaluation.core.row_states import RowState
from evaluation.goldevidence.adapters.answer_forms import (
    answer_grammar,
    answer_schema,
    one_citation_grammar,
    one_citation_schema,
    value_of,
)
from evaluation.goldevidence.adapters.outputs import support_limit
from evaluation.goldevidence.adapters.prompts import EpisodePromptSettings, Prompt, Prompts
from evaluation.goldevidence.adapters.prompts.truncation import (
    BY_KEY,
    NONE,
    RETRIEVER,
    TRUNCATION_HELP,
    Truncation,
    fit,
    told_of,
)
from evaluation.goldevidence.adapters.rules import cited_at_most
from evaluation.goldevidence.adapters.shown import Shown, by_shown_text, shown
from evaluation.goldevidence.data.answers import cited_ids, named
from evaluation.goldevidence.records import EpisodeOutput, EpisodeRow

PROBE_LINE = "- [U000001] step=1 SET tag.00 = amber-0001"
PROBE_QUESTION = "What is the current value of tag.00? Cite the line."


class ServerSettings(EpisodePromptSettings, ConnectionSettings):
    """A server, and the form of its answers."""

    spoken: ClassVar[Mapping[tuple[str, Any], str]] = {("truncation", BY_KEY): RETRIEVER}

    constrain: Literal["json_schema", "json_object", "grammar", "none"] = Field(
        "json_schema", description="What the server is told of the answer's form."
    )
    max_value_chars: int = Field(200, gt=0, description="Letters of a value.")
    truncation: Truncation = Field("recent", description=TRUNCATION_HELP)

    def check(self) -> dict[str, list[str]]:
        """What is wrong with settings that go together.

        Returns:
            Messages by field; none where all is well.
        """
        problems = super().check()
        if self.endpoint == "ollama" and self.constrain == "grammar":
            problems["constrain"] = ["cannot be grammar with endpoint=ollama: use json_schema"]
        return problems


class ServerAdapter:
    """A model behind an HTTP API."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.server = Server(settings)
        self.prompts = Prompts(settings.prompt_choice)
        self.truncated_rows = 0
        self._probed: Report | None = None
        self._lock = threading.Lock()

    def predict(self, row: EpisodeRow, *, protocol: str) -> Output:
        """The answer to one row."""
        return dict(self._ask(protocol, row).output)

    def begin(self) -> None:
        """Look at the server and ask it a small question, once."""
        if self.settings.probe and self._probed is None:
            small = Shown("candidates", PROBE_LINE, ())
            prompt = self.prompts.answer(small, PROBE_QUESTION)
            constraint = self._constraint(small.ids, 1)
            self._probed = probe(self.server, prompt.system, prompt.user, constraint, _state)

    def batches(self, rows: Sequence[EpisodeRow]) -> Iterator[list[EpisodeRow]]:
        """Rows in an order that a server's prefix cache likes, a few per connection: what a calibration asks."""
        ordered = _ordered(rows)
        size = 4 * self.settings.at_first
        for start in range(0, len(ordered), size):
            yield ordered[start : start + size]

    def stream(
        self, rows: Sequence[EpisodeRow], *, protocol: str, done: Collection[str]
    ) -> Iterator[tuple[str, Answer]]:
        """The answers as they come, several requests at a time."""
        left = [row for row in _ordered(rows) if row["id"] not in done]

        def work(row: EpisodeRow) -> Iterator[tuple[str, Answer]]:
            yield row["id"], self._ask(protocol, row)

        yield from self.server.results(work, left)

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
            **self.prompts.provenance(),
            **told_of(self.settings.truncation),
            "truncated_rows": self.truncated_rows,
            "server": self.server.provenance() | self._found(),
        }

    def close(self) -> None:
        """Close the connections."""
        self.server.close()

    def _found(self) -> dict[str, Any]:
        return {"probe": self._probed.as_dict(self.settings.model)} if self._probed else {}

    def _ask(self, protocol: str, row: EpisodeRow) -> Answer:
        prompt = self._prompt(row, protocol)
        if prompt.truncated and self.settings.truncation == NONE:
            return Answer(unanswered_output(RowState.CUT_PROMPT) | prompt.shown.told, Usage())
        most = cited_at_most(row)
        ids = prompt.shown.ids if most else []
        reply = self.server.ask(prompt.system, prompt.user, row["id"], self._constraint(ids, most))
        answer = object_in(reply)
        if isinstance(answer, RowState):
            return Answer(unanswered_output(answer) | prompt.shown.told, reply.usage)
        output = {**_lenient(answer, ids, support_limit(row)), **prompt.shown.told}
        return Answer(output, reply.usage)

    def _prompt(self, row: EpisodeRow, protocol: str) -> Prompt:
        everything = shown(row, protocol)
        words = self._worded(row, Shown(everything.kind, "", ()), bool(everything.ids))
        room = self.settings.context - self.settings.max_tokens - guess_tokens(words.system + words.user)
        seen, left_out = fit(
            everything,
            row["question"],
            room=room,
            count=guess_tokens,
            truncation=self.settings.truncation,
        )
        with self._lock:
            self.truncated_rows += bool(left_out) and self.settings.truncation != NONE
        return replace(self._worded(row, seen, bool(seen.ids)), truncated=left_out)

    def _worded(self, row: EpisodeRow, seen: Shown, citable: bool) -> Prompt:
        sandwich = bool((row.get("meta") or {}).get("query_sandwich"))
        most = cited_at_most(row) if citable else 0
        return self.prompts.answer(seen, row["question"], most=most, sandwich=sandwich)

    def _constraint(self, ids: Sequence[str], most: int) -> dict[str, Any]:
        match self.settings.constrain:
            case "json_schema":
                schema = {"name": "answer", "strict": True, "schema": self._schema(ids, most)}
                return {"response_format": {"type": "json_schema", "json_schema": schema}}
            case "json_object":
                return {"response_format": {"type": "json_object"}}
            case "grammar":
                return {"grammar": self._grammar(ids, most)}
            case "none":
                return {}

    def _schema(self, ids: Sequence[str], most: int) -> dict[str, Any]:
        return one_citation_schema(ids) if self.prompts.legacy else answer_schema(ids, most=most)

    def _grammar(self, ids: Sequence[str], most: int) -> str:
        longest = self.settings.max_value_chars
        if self.prompts.legacy:
            return one_citation_grammar(ids, longest)
        return answer_grammar(ids, longest, most=most)


def _ordered(rows: Sequence[EpisodeRow]) -> list[EpisodeRow]:
    return [row for group in by_shown_text(rows) for row in group]


def _lenient(answer: JsonObject, ids: Sequence[str], most: int) -> EpisodeOutput:
    """The answer in the contract's form, with at most so many citations, whatever a model without constraints wrote."""
    cited = [uid for each in cited_ids(answer) for uid in named(each, ids)]
    return {
        "value": _storable(value_of(answer)),
        "support_ids": list(dict.fromkeys(uid for uid in cited if uid in ids))[:most],
    }


def _state(reply: Reply) -> RowState:
    """What a row would be with such a reply."""
    answer = object_in(reply)
    return answer if isinstance(answer, RowState) else RowState.ANSWERED


def _storable(value: Any) -> Any:
    """The value; a number that no JSON file holds (NaN, or beyond 64 bits) as its text, and never as null."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return str(value) if isinstance(value, int) and abs(value) >= 1 << 63 else value


def create_adapter(settings: ServerSettings | None = None) -> ServerAdapter:
    """The adapter, with settings from the environment where none are given."""
    return ServerAdapter(settings or read_settings(ServerSettings, {}))
