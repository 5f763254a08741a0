"""`llama_cpp`: a GGUF model reads the book, the log or the candidate lines, and answers in grammar-constrained JSON.

Rows whose prompts begin alike are batched together, so that a shared prefix is evaluated once. The selecting modes
score lines instead of generating text; a rule then reads the value off the likeliest line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from evaluation.adapters.base import Answer, ShouldStop, Told, Usage
from evaluation.adapters.forms import Form
from evaluation.adapters.llama.language_model import Ask, ModelSettings
from evaluation.adapters.llama_cpp import LlamaAdapter
from evaluation.adapters.replies import object_in, unanswered_output
from evaluation.adapters.settings import read_settings
from evaluation.core.row_states import RowState
from evaluation.core.settings import refused
from evaluation.goldevidence.adapters.answer_forms import answer_form, one_citation_form, value_of
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
from evaluation.goldevidence.adapters.rules import answer_from_line, cited_at_most
from evaluation.goldevidence.adapters.selection import Selection
from evaluation.goldevidence.adapters.shown import Shown, batches_of_shown, is_sandwich, shown
from evaluation.goldevidence.records import EpisodeRow

LABEL_ROOM = 4  # most tokens that a label adds to its line
ANSWER_MARK = "\nAnswer: "  # between thoughts and answer of a model without marks of its own


class LlamaSettings(EpisodePromptSettings, ModelSettings):
    spoken: ClassVar[Mapping[tuple[str, Any], str]] = {("truncation", BY_KEY): RETRIEVER}

    mode: Literal["answer", "reason", "select", "select_logprob"] = Field(
        "answer",
        description="`answer` writes value and citation; `reason` also thinks first. `select` scores one letter per "
        "line, `select_logprob` the text of each line; the value then follows from the best line by rule.",
    )
    reasoning_tokens: int = Field(512, ge=1, description="Maximum number of thinking tokens (mode=reason).")
    calibrate: bool = Field(
        True, description="Subtract the model's prior preference among letters (mode=select)."
    )
    max_value_chars: int = Field(200, ge=1, description="Maximum number of characters of a value.")
    truncation: Truncation = Field("recent", description=TRUNCATION_HELP)
    force_skeleton: bool = Field(True, description="Insert fixed parts of answers, do not sample them.")

    @model_validator(mode="after")
    def _has_texts_for_its_mode(self) -> Self:
        if self.prompt_choice.prompt_set.legacy and self.mode in ("reason", "select_logprob"):
            raise refused(f"cannot be {self.mode} with prompt={self.prompt}", field="mode")
        return self


class EpisodeLlamaAdapter(LlamaAdapter[EpisodeRow]):
    def __init__(self, settings: LlamaSettings) -> None:
        self.settings = settings
        self.prompts = Prompts(settings.prompt_choice)
        super().__init__(settings, self.prompts)
        self._selection = Selection(
            self.model, self.prompts, calibrate=settings.calibrate, may_be_none=bool(self.prompts.none)
        )

    def batches(self, rows: Sequence[EpisodeRow]) -> Iterator[list[EpisodeRow]]:
        """Yield batches of at most `parallel` rows that share the beginning of their prompt."""
        yield from batches_of_shown(rows, self.settings.parallel)

    def predict_batch(self, rows: Sequence[EpisodeRow], *, protocol: str) -> Iterator[Answer]:
        yield from self.answer_all([(row, shown(row, protocol)) for row in rows])

    def answer(self, row: EpisodeRow, seen: Shown) -> Answer:
        """Answer a row about the text `seen`, which may differ from the row's own text."""
        return next(self.answer_all([(row, seen)]))

    def answer_all(self, pairs: Sequence[tuple[EpisodeRow, Shown]]) -> Iterator[Answer]:
        if self.settings.mode in ("select", "select_logprob"):
            yield from (self._select(row, seen) for row, seen in pairs)
            return
        prompts = [(row, self._prompt(row, seen)) for row, seen in pairs]
        asks = [self._ask(row, prompt) for row, prompt in prompts if not self._is_too_long(prompt)]
        replies = iter(self.model.ask(asks))
        for _, prompt in prompts:
            if self._is_too_long(prompt):
                yield _not_asked(prompt)
                continue
            reply = next(replies)
            answer = object_in(reply)
            if isinstance(answer, RowState):
                yield Answer(unanswered_output(answer) | prompt.shown.told, reply.usage)
            else:
                support = answer.get("support_ids", [])
                output = {"value": value_of(answer), "support_ids": support}
                yield Answer(output | prompt.shown.told, reply.usage)

    def ask_for(self, row: EpisodeRow, seen: Shown) -> Ask:
        """Return the prompt of a row about a text, cut to fit the context, with the form of its answer."""
        return self._ask(row, self._prompt(row, seen))

    def _ask(self, row: EpisodeRow, prompt: Prompt) -> Ask:
        form = self._form(row, prompt.shown.ids)
        return Ask(row["id"], prompt.system, prompt.user, form, thinks=self._reasons)

    @property
    def _reasons(self) -> bool:
        return self.settings.mode == "reason"

    def suite_provenance(self) -> dict[str, str]:
        return told_of(self.settings.truncation)

    def _select(self, row: EpisodeRow, seen: Shown) -> Answer:
        prompt = self._prompt(row, seen)
        if self._is_too_long(prompt):
            return _not_asked(prompt)
        by_letter = self.settings.mode == "select" and not self.prompts.legacy
        self._selection.check(row["id"], seen, by_letter=by_letter)
        kept = prompt.shown
        if not kept.ids:  # no line fits the context: the model had no choice to make
            nothing = (
                unanswered_output(RowState.CUT_PROMPT) if seen.ids else {"value": None, "support_ids": []}
            )
            return Answer({**nothing, **kept.told}, Usage())
        scores, usage = self._scored(row["id"], kept, row["question"], sandwich=is_sandwich(row))
        likeliest = max(range(len(scores)), key=scores.__getitem__)
        line = None  # none of them
        if likeliest < len(kept.ids):
            line = next(entry for entry in kept.entries if entry.uid == kept.ids[likeliest])
        output = {**answer_from_line(row, line), **kept.told}
        return Answer(output if cited_at_most(row) else {**output, "support_ids": []}, usage)

    def _scored(self, name: str, seen: Shown, question: str, *, sandwich: bool) -> tuple[list[float], Usage]:
        if self.settings.mode == "select_logprob":
            return self._selection.by_text(name, seen, question, sandwich=sandwich)
        if self.prompts.legacy:
            return self._selection.by_id(name, seen, question, sandwich=sandwich)
        return self._selection.by_label(name, seen, question, sandwich=sandwich)

    def _prompt(self, row: EpisodeRow, seen: Shown) -> Prompt:
        bare = self._worded(row, Shown(seen.kind, "", ()), bool(seen.ids))
        form = self._form(row, seen.ids[:1])
        room = self.model.room_for(bare.system, bare.user, form, thinks=self._reasons)
        if self.settings.mode == "select" and not self.prompts.legacy:
            room -= LABEL_ROOM * len(seen.ids)
        if self._selection.may_be_none:
            room -= LABEL_ROOM + self.model.count(self.prompts.none)
        kept, left_out = fit(
            seen, row["question"], room=room, count=self.model.count, truncation=self.settings.truncation
        )
        self.truncated_rows += bool(left_out) and self.settings.truncation != NONE
        return replace(self._worded(row, kept, bool(kept.ids)), truncated=left_out)

    def _is_too_long(self, prompt: Prompt) -> bool:
        return prompt.truncated > 0 and self.settings.truncation == NONE

    def _worded(self, row: EpisodeRow, seen: Shown, citable: bool) -> Prompt:
        return self.prompts.answer(
            seen,
            row["question"],
            most=cited_at_most(row) if citable else 0,
            sandwich=is_sandwich(row),
            reason=self._reasons and self.model.own_thinking is None,
        )

    def _form(self, row: EpisodeRow, ids: Sequence[str]) -> Form:
        most, chars, skeleton = (
            cited_at_most(row),
            self.settings.max_value_chars,
            self.settings.force_skeleton,
        )
        if self.prompts.legacy:
            return one_citation_form(ids, cite=most > 0, max_chars=chars, skeleton=skeleton)
        form = answer_form(ids, most=most, max_chars=chars, skeleton=skeleton)
        if not self._reasons:
            return form
        return (self.model.thinking(self.settings.reasoning_tokens, ANSWER_MARK), *form)


def _not_asked(prompt: Prompt) -> Answer:
    return Answer(unanswered_output(RowState.CUT_PROMPT) | prompt.shown.told, Usage())


def create_adapter(settings: LlamaSettings | None = None) -> EpisodeLlamaAdapter:
    return EpisodeLlamaAdapter(settings or read_settings(LlamaSettings, {}))


class WithModel:
    """Mixin that forwards the optional adapter methods to the model `_llama`. Without a model they do nothing."""

    _llama: EpisodeLlamaAdapter | None

    def tell_reading(self, told: Told) -> None:
        if self._llama is not None:
            self._llama.tell_reading(told)

    def stop_when(self, should_stop: ShouldStop) -> None:
        if self._llama is not None:
            self._llama.stop_when(should_stop)

    def provenance(self) -> dict[str, object]:
        return {} if self._llama is None else self._llama.provenance()

    def close(self) -> None:
        if self._llama is not None:
            self._llama.close()
