"""`llama_cpp`: a GGUF model reads the book (or the log, or the candidates) and answers in grammar-bound JSON.

Rows that show the same text go together: its prompt prefix is evaluated once and the answers are written in
parallel sequences. In `select` mode the candidates' ids are scored instead, and the value follows from the
likeliest line by rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from evaluation.adapters.base import Answer, Row, ShouldStop, Usage
from evaluation.adapters.llama.language_model import Ask, LanguageModel, ModelSettings
from evaluation.adapters.replies import object_in, unanswered_output
from evaluation.adapters.settings import read_settings
from evaluation.core.row_states import RowState
from evaluation.goldevidence.adapters.answer_forms import answer_form, citation_form, value_of
from evaluation.goldevidence.adapters.prompts import (
    SYSTEM,
    Prompt,
    Truncation,
    answer_prompt,
    fit,
    template_hash,
)
from evaluation.goldevidence.adapters.rules import answer_from_line
from evaluation.goldevidence.adapters.shown import Shown, batches_of_shown, shown


@dataclass(frozen=True, slots=True)
class LlamaSettings(ModelSettings):
    """`mode`: `answer` writes the value and the citation, `select` scores the ids and answers by rule."""

    mode: Literal["answer", "select"] = "answer"
    max_value_chars: int = 200
    truncation: Truncation = "key_aware"
    force_skeleton: bool = True  # false is a plain way to compare with: see tests/benchmarks/llama.py

    def check(self) -> dict[str, list[str]]:
        """Problems by field."""
        problems = super(LlamaSettings, self).check()
        if self.max_value_chars < 1:
            problems["max_value_chars"] = ["must be at least 1"]
        return problems


class LlamaAdapter:
    """One GGUF model under test."""

    def __init__(self, settings: LlamaSettings) -> None:
        self.settings = settings
        self.model = LanguageModel(settings)
        self.truncated_rows = 0

    def predict(self, row: Row, *, protocol: str) -> Row:
        """The answer to one row."""
        return dict(next(self.predict_batch([row], protocol=protocol)).output)

    def batches(self, rows: Sequence[Row]) -> Iterator[list[Row]]:
        """Rows that share the beginning of their prompt, at most `parallel` at a time."""
        yield from batches_of_shown(rows, self.settings.parallel)

    def predict_batch(self, rows: Sequence[Row], *, protocol: str) -> Iterator[Answer]:
        """The answers of one batch, in its order."""
        yield from self.answer_all([(row, shown(row, protocol)) for row in rows])

    def answer(self, row: Row, seen: Shown) -> Answer:
        """The answer to one row about a text of the caller's choice."""
        return next(self.answer_all([(row, seen)]))

    def answer_all(self, pairs: Sequence[tuple[Row, Shown]]) -> Iterator[Answer]:
        """The answers to rows, each about the text that it is paired with."""
        if self.settings.mode == "select":
            yield from (self._select(row, seen) for row, seen in pairs)
            return
        for reply in self.model.ask([self.ask_for(row, seen) for row, seen in pairs]):
            found = object_in(reply)
            if isinstance(found, RowState):
                yield Answer(unanswered_output(found), reply.usage)
            else:
                support = found.get("support_ids", [])
                yield Answer({"value": value_of(found), "support_ids": support}, reply.usage)

    def ask_for(self, row: Row, seen: Shown) -> Ask:
        """The question of a row about what it shows, cut to fit the context."""
        prompt = self._prompt(row, seen)
        return Ask(row["id"], prompt.system, prompt.user, self._form(row, prompt.shown.ids))

    def stop_when(self, should_stop: ShouldStop) -> None:
        """Ask `should_stop` while the model computes."""
        self.model.stop_when(should_stop)

    def provenance(self) -> dict[str, Any]:
        """The model, its settings and builds, and how many prompts had to be cut."""
        own = {"prompt_template_sha256": template_hash(), "truncated_rows": self.truncated_rows}
        return self.model.provenance() | own

    def close(self) -> None:
        """Free the model."""
        self.model.close()

    def _select(self, row: Row, seen: Shown) -> Answer:
        prompt = self._prompt(row, seen)
        ids = prompt.shown.ids
        if not ids:
            return Answer({"value": None, "support_ids": []}, Usage())
        scores, usage = self.model.score(Ask(row["id"], prompt.system, prompt.user, citation_form(ids)))
        chosen = ids[max(range(len(ids)), key=scores.__getitem__)]
        line = next(entry for entry in prompt.shown.entries if entry.uid == chosen)
        output = answer_from_line(row, line)
        return Answer(output if _cites(row) else {**output, "support_ids": []}, usage)

    def _prompt(self, row: Row, seen: Shown) -> Prompt:
        question = row["question"]
        sandwich = bool((row.get("meta") or {}).get("query_sandwich"))
        bare = answer_prompt(Shown(seen.kind, "", ()), question, sandwich=sandwich)
        form = self._form(row, seen.ids[:1])
        room = self.model.room_for(SYSTEM, bare.user, form)
        kept, left_out = fit(
            seen, question, room=room, count=self.model.count, truncation=self.settings.truncation
        )
        self.truncated_rows += bool(left_out)
        return replace(answer_prompt(kept, question, sandwich=sandwich), truncated=left_out)

    def _form(self, row: Row, ids: Sequence[str]) -> Any:
        return answer_form(
            ids,
            cite=_cites(row),
            max_chars=self.settings.max_value_chars,
            skeleton=self.settings.force_skeleton,
        )


def _cites(row: Row) -> bool:
    return bool((row.get("meta") or {}).get("requires_citation", True))


def create_adapter(settings: LlamaSettings | None = None) -> LlamaAdapter:
    """The adapter, with settings from the environment where none are given."""
    return LlamaAdapter(settings or read_settings(LlamaSettings, {}))
