"""`llama_cpp`: a GGUF model reads the book (or the log, or the candidates) and answers in grammar-bound JSON.

Rows that show the same text go together: its prompt prefix is evaluated once and the answers are written in
parallel sequences. In `select` mode the candidates' ids are scored instead, and the value follows from the
likeliest line by rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from evaluation.adapters.base import Answer, Output, ShouldStop, Usage
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
from evaluation.goldevidence.records import EpisodeRow


class LlamaSettings(ModelSettings):
    """A model, and how it answers."""

    mode: Literal["answer", "select"] = Field(
        "answer",
        description="`answer` writes value and citation; `select` scores the ids and answers by rule.",
    )
    max_value_chars: int = Field(200, ge=1, description="Letters of a value.")
    truncation: Truncation = Field("key_aware", description="What is left out of a text that is too long.")
    force_skeleton: bool = Field(True, description="Parts of an answer that are certain are not sampled.")


class LlamaAdapter:
    """One GGUF model under test."""

    def __init__(self, settings: LlamaSettings) -> None:
        self.settings = settings
        self.model = LanguageModel(settings)
        self.truncated_rows = 0

    def predict(self, row: EpisodeRow, *, protocol: str) -> Output:
        """The answer to one row."""
        return dict(next(self.predict_batch([row], protocol=protocol)).output)

    def batches(self, rows: Sequence[EpisodeRow]) -> Iterator[list[EpisodeRow]]:
        """Rows that share the beginning of their prompt, at most `parallel` at a time."""
        yield from batches_of_shown(rows, self.settings.parallel)

    def predict_batch(self, rows: Sequence[EpisodeRow], *, protocol: str) -> Iterator[Answer]:
        """The answers of one batch, in its order."""
        yield from self.answer_all([(row, shown(row, protocol)) for row in rows])

    def answer(self, row: EpisodeRow, seen: Shown) -> Answer:
        """The answer to one row about a text of the caller's choice.

        Args:
            row: The question.
            seen: The text, with the entries in it.

        Returns:
            The output and what it cost.
        """
        return next(self.answer_all([(row, seen)]))

    def answer_all(self, pairs: Sequence[tuple[EpisodeRow, Shown]]) -> Iterator[Answer]:
        """The answers to rows, each about the text that it is paired with."""
        if self.settings.mode == "select":
            yield from (self._select(row, seen) for row, seen in pairs)
            return
        prompts = [(row, self._prompt(row, seen)) for row, seen in pairs]
        replies = self.model.ask([self._ask(row, prompt) for row, prompt in prompts])
        for (_, prompt), reply in zip(prompts, replies, strict=True):
            answer = object_in(reply)
            if isinstance(answer, RowState):
                yield Answer(unanswered_output(answer) | prompt.shown.told, reply.usage)
            else:
                support = answer.get("support_ids", [])
                output = {"value": value_of(answer), "support_ids": support}
                yield Answer(output | prompt.shown.told, reply.usage)

    def ask_for(self, row: EpisodeRow, seen: Shown) -> Ask:
        """The question of a row about what it shows, cut to fit the context.

        Args:
            row: The question.
            seen: The text, with the entries in it.

        Returns:
            What the model is asked, in the form that the answer has to have.
        """
        return self._ask(row, self._prompt(row, seen))

    def _ask(self, row: EpisodeRow, prompt: Prompt) -> Ask:
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

    def _select(self, row: EpisodeRow, seen: Shown) -> Answer:
        prompt = self._prompt(row, seen)
        ids = prompt.shown.ids
        if not ids:
            return Answer({"value": None, "support_ids": [], **prompt.shown.told}, Usage())
        scores, usage = self.model.score(Ask(row["id"], prompt.system, prompt.user, citation_form(ids)))
        chosen = ids[max(range(len(ids)), key=scores.__getitem__)]
        line = next(entry for entry in prompt.shown.entries if entry.uid == chosen)
        output = {**answer_from_line(row, line), **prompt.shown.told}
        return Answer(output if _cites(row) else {**output, "support_ids": []}, usage)

    def _prompt(self, row: EpisodeRow, seen: Shown) -> Prompt:
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

    def _form(self, row: EpisodeRow, ids: Sequence[str]) -> Any:
        return answer_form(
            ids,
            cite=_cites(row),
            max_chars=self.settings.max_value_chars,
            skeleton=self.settings.force_skeleton,
        )


def _cites(row: EpisodeRow) -> bool:
    return bool((row.get("meta") or {}).get("requires_citation", True))


def create_adapter(settings: LlamaSettings | None = None) -> LlamaAdapter:
    """The adapter, with settings from the environment where none are given."""
    return LlamaAdapter(settings or read_settings(LlamaSettings, {}))
