"""`openai_compatible`: any server that speaks the OpenAI API (llama-server, vLLM, Ollama, a hosted one).

A server may ignore the schema, so replies are read leniently: the last JSON object with a value is the answer. Thinking
text, and cited ids that were not shown, are ignored. If a reply has no such object, is cut off or echoes the prompt,
its row has no answer and gets the corresponding state.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import Field

from evaluation.adapters.base import Answer, Usage
from evaluation.adapters.openai_compatible import ServerAdapter, Small
from evaluation.adapters.replies import Reply, object_in, unanswered_output
from evaluation.adapters.servers.server import guess_tokens
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
from evaluation.goldevidence.adapters.shown import Shown, by_shown_text, is_sandwich, shown
from evaluation.goldevidence.data.answers import cited_ids, named
from evaluation.goldevidence.records import EpisodeOutput, EpisodeRow

PROBE_LINE = "- [U000001] step=1 SET tag.00 = amber-0001"
PROBE_QUESTION = "What is the current value of tag.00? Cite the line."


class ServerSettings(EpisodePromptSettings, ConnectionSettings):
    spoken: ClassVar[Mapping[tuple[str, Any], str]] = {("truncation", BY_KEY): RETRIEVER}

    constrain: Literal["json_schema", "json_object", "grammar", "none"] = Field(
        "json_schema", description="How the request states the form of the answer."
    )
    max_value_chars: int = Field(200, gt=0, description="Maximum number of characters of a value.")
    truncation: Truncation = Field("recent", description=TRUNCATION_HELP)

    def check(self) -> dict[str, list[str]]:
        """Return messages about incompatible settings, by field; empty if there are none."""
        problems = super().check()
        if self.endpoint == "ollama" and self.constrain == "grammar":
            problems["constrain"] = ["cannot be grammar with endpoint=ollama: use json_schema"]
        return problems


class EpisodeServerAdapter(ServerAdapter[EpisodeRow]):
    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.prompts = Prompts(settings.prompt_choice)
        super().__init__(settings, self.prompts)

    def small_question(self) -> Small:
        small = Shown("candidates", PROBE_LINE, ())
        prompt = self.prompts.answer(small, PROBE_QUESTION)
        return prompt.system, prompt.user, self._constraint(small.ids, 1)

    def parsed(self, reply: Reply) -> Mapping[str, object] | RowState:
        return object_in(reply)

    def groups(self, rows: Sequence[EpisodeRow]) -> list[list[EpisodeRow]]:
        return [[row] for group in by_shown_text(rows) for row in group]

    def answers(self, rows: Sequence[EpisodeRow], protocol: str) -> Iterator[tuple[str, Answer]]:
        return ((row["id"], self._ask(protocol, row)) for row in rows)

    def suite_provenance(self) -> dict[str, str]:
        return told_of(self.settings.truncation)

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
        seen, left_out = fit(
            everything,
            row["question"],
            room=self.room_beside(words.system + words.user),
            count=guess_tokens,
            truncation=self.settings.truncation,
        )
        self.count_cut(bool(left_out) and self.settings.truncation != NONE)
        return replace(self._worded(row, seen, bool(seen.ids)), truncated=left_out)

    def _worded(self, row: EpisodeRow, seen: Shown, citable: bool) -> Prompt:
        most = cited_at_most(row) if citable else 0
        return self.prompts.answer(seen, row["question"], most=most, sandwich=is_sandwich(row))

    def _constraint(self, ids: Sequence[str], most: int) -> dict[str, object]:
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

    def _schema(self, ids: Sequence[str], most: int) -> dict[str, object]:
        return one_citation_schema(ids) if self.prompts.legacy else answer_schema(ids, most=most)

    def _grammar(self, ids: Sequence[str], most: int) -> str:
        longest = self.settings.max_value_chars
        if self.prompts.legacy:
            return one_citation_grammar(ids, longest)
        return answer_grammar(ids, longest, most=most)


def _lenient(answer: JsonObject, ids: Sequence[str], most: int) -> EpisodeOutput:
    cited = [uid for each in cited_ids(answer) for uid in named(each, ids)]
    return {
        "value": _storable(value_of(answer)),
        "support_ids": list(dict.fromkeys(uid for uid in cited if uid in ids))[:most],
    }


def _storable(value: Any) -> Any:
    """Return the value; a number that JSON cannot hold (not finite, or beyond 64 bits) becomes a text."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return str(value) if isinstance(value, int) and abs(value) >= 1 << 63 else value


def create_adapter(settings: ServerSettings | None = None) -> EpisodeServerAdapter:
    return EpisodeServerAdapter(settings or read_settings(ServerSettings, {}))
