"""`openai_compatible`: any server that speaks the OpenAI API (llama-server, vLLM, Ollama, a hosted one).

A server may ignore the answer's schema, so the answer is read leniently: the last object with a value counts, thinking
and ids that were not shown are left out. What holds no such object, was cut off, or answers a part of the prompt is no
answer: its row gets the state that says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

from evaluation.adapters.base import Answer, Row, ShouldStop
from evaluation.adapters.replies import object_in, unanswered_output
from evaluation.adapters.servers.server import ConnectionSettings, Server, guess_tokens
from evaluation.adapters.settings import read_settings
from evaluation.core.row_states import RowState
from evaluation.goldevidence.adapters import prompts
from evaluation.goldevidence.adapters.answer_forms import answer_grammar, answer_schema, value_of
from evaluation.goldevidence.adapters.outputs import support_limit
from evaluation.goldevidence.adapters.prompts import Prompt, answer_prompt, fit
from evaluation.goldevidence.adapters.shown import by_shown_text, shown


@dataclass(frozen=True, slots=True)
class ServerSettings(ConnectionSettings):
    """`constrain`: what the server is told of the answer's form."""

    constrain: Literal["json_schema", "json_object", "grammar", "none"] = "json_schema"
    max_value_chars: int = 200
    truncation: prompts.Truncation = "key_aware"

    def check(self) -> dict[str, list[str]]:
        """Problems by field."""
        problems = super(ServerSettings, self).check()
        if self.max_value_chars < 1:
            problems["max_value_chars"] = ["must be positive"]
        return problems


class ServerAdapter:
    """A model behind an HTTP API."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.server = Server(settings)
        self.truncated_rows = 0

    def predict(self, row: Row, *, protocol: str) -> Row:
        """The answer to one row."""
        return dict(self._ask(protocol, row).output)

    def batches(self, rows: Sequence[Row]) -> Iterator[list[Row]]:
        """Rows in an order that a server's prefix cache likes, a few requests per connection at a time."""
        ordered = [row for group in by_shown_text(rows) for row in group]
        size = 4 * self.settings.concurrency
        for start in range(0, len(ordered), size):
            yield ordered[start : start + size]

    def predict_batch(self, rows: Sequence[Row], *, protocol: str) -> Iterator[Answer]:
        """The answers in order, `concurrency` requests at a time."""
        yield from self.server.map(partial(self._ask, protocol), rows)

    def stop_when(self, should_stop: ShouldStop) -> None:
        """Ask `should_stop` while requests are under way."""
        self.server.stop_when(should_stop)

    def provenance(self) -> dict[str, Any]:
        """Settings and prompt hash; what the server itself runs is not known here."""
        return {
            "settings": asdict(self.settings),
            "prompt_template_sha256": prompts.template_hash(),
            "truncated_rows": self.truncated_rows,
            "server": self.server.provenance(),
        }

    def close(self) -> None:
        """Close the connections."""
        self.server.close()

    def _ask(self, protocol: str, row: Row) -> Answer:
        prompt = self._prompt(row, protocol)
        cite = bool((row.get("meta") or {}).get("requires_citation", True))
        ids = prompt.shown.ids if cite else []
        reply = self.server.ask(prompt.system, prompt.user, row["id"], self._constraint(ids))
        found = object_in(reply)
        if isinstance(found, RowState):
            return Answer(unanswered_output(found), reply.usage)
        return Answer(_lenient(found, ids, support_limit(row)), reply.usage)

    def _prompt(self, row: Row, protocol: str) -> Prompt:
        sandwich = bool((row.get("meta") or {}).get("query_sandwich"))
        words = prompts.SYSTEM + 2 * row["question"]
        room = self.settings.context - self.settings.max_tokens - guess_tokens(words)
        seen, left_out = fit(
            shown(row, protocol),
            row["question"],
            room=room,
            count=guess_tokens,
            truncation=self.settings.truncation,
        )
        self.truncated_rows += bool(left_out)
        return answer_prompt(seen, row["question"], sandwich=sandwich)

    def _constraint(self, ids: Sequence[str]) -> dict[str, Any]:
        match self.settings.constrain:
            case "json_schema":
                schema = {"name": "answer", "strict": True, "schema": answer_schema(ids)}
                return {"response_format": {"type": "json_schema", "json_schema": schema}}
            case "json_object":
                return {"response_format": {"type": "json_object"}}
            case "grammar":
                return {"grammar": answer_grammar(ids, self.settings.max_value_chars)}
            case "none":
                return {}


def _lenient(answer: dict[str, Any], ids: Sequence[str], most: int) -> Row:
    """The answer in the contract's form, with at most so many citations, whatever a model without constraints wrote."""
    support = answer.get("support_ids") or answer.get("support_id") or []
    support = [support] if isinstance(support, str) else support
    shown_ids = [uid for uid in support if uid in ids] if isinstance(support, list) else []
    return {
        "value": value_of(answer),
        "support_ids": list(dict.fromkeys(shown_ids))[:most],
    }


def create_adapter(settings: ServerSettings | None = None) -> ServerAdapter:
    """The adapter, with settings from the environment where none are given."""
    return ServerAdapter(settings or read_settings(ServerSettings, {}))
