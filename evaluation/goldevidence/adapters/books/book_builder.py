"""`book_builder`: builds a book from the log, perhaps with a stronger model, then answers from the book alone.

heuristic      takes the latest UPDATE line of each key, by rule
llm_fullscan   a model copies the state changes out of the log, chunk by chunk
llm_perkey     a model picks the current line of each key among that key's lines
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from evaluation.adapters.base import Output, ShouldStop, Told, Usage
from evaluation.adapters.llama.language_model import LanguageModel
from evaluation.adapters.settings import read_settings
from evaluation.core.settings import refused
from evaluation.goldevidence.adapters.books.artifacts import book_of
from evaluation.goldevidence.adapters.books.extraction import extract_lines, latest_of_keys, pieces
from evaluation.goldevidence.adapters.llama_cpp import EpisodeLlamaAdapter, LlamaSettings
from evaluation.goldevidence.adapters.prompts import Prompts
from evaluation.goldevidence.adapters.rules import answer, state_of
from evaluation.goldevidence.adapters.shown import shown
from evaluation.goldevidence.data.ledger import Entry, parse_log
from evaluation.goldevidence.records import EpisodeRow


class BookBuilderSettings(LlamaSettings):
    """Settings of the builder. `model` answers from the book; if it is empty, a rule answers."""

    build_mode: Literal["heuristic", "llm_fullscan", "llm_perkey"] = Field(
        "heuristic", description="How the book is built."
    )
    builder_model: str = Field("", description="Model file that builds the book; empty: `model`.")
    piece_lines: int = Field(40, ge=1, description="Number of log lines in a chunk.")

    @model_validator(mode="after")
    def _has_its_builder(self) -> Self:
        if self.build_mode != "heuristic" and not (self.model or self.builder_model):
            raise refused(f"is required for {self.build_mode} unless `model` is set", field="builder_model")
        return self


class BookBuilderAdapter:
    """Builds a book from a log and answers from the book. An episode's first question bears the cost of building."""

    def __init__(self, settings: BookBuilderSettings) -> None:
        self.settings = settings
        self.usage = Usage()
        self._building = Usage()
        self._reader = EpisodeLlamaAdapter(settings) if settings.model else None
        self._builder = self._load_builder()
        self._prompts = Prompts(settings.prompt_choice)

    def build_artifact(self, document: str, episode_id: str, protocol: str) -> str:
        """Build the book of an episode from the latest line of each key found in the log."""
        entries = self._entries(document, episode_id)
        current = sorted(state_of(entries).values(), key=lambda entry: entry.step)
        return book_of(current, episode_id)

    def predict(self, row: EpisodeRow, *, protocol: str) -> Output:
        self.usage, self._building = self._building, Usage()
        if self._reader is None:
            return answer(row, state_of(shown(row, protocol).entries))
        reply = self._reader.answer(row, shown(row, protocol))
        self.usage += reply.usage
        return dict(reply.output)

    def tell_reading(self, told: Told) -> None:
        for model in self._models():
            model.tell_reading(told)

    def stop_when(self, should_stop: ShouldStop) -> None:
        for model in self._models():
            model.stop_when(should_stop)

    def provenance(self) -> dict[str, object]:
        reader = {} if self._reader is None else self._reader.provenance()
        if self._builder is None:
            return reader
        return reader | self._prompts.provenance() | {"builder": self._builder.provenance()}

    def close(self) -> None:
        for model in self._models():
            model.close()

    def _load_builder(self) -> LanguageModel | None:
        if self.settings.build_mode == "heuristic":
            return None
        # Same file as the reader: share the model, so that it is loaded once.
        if self._reader is not None and self.settings.builder_model in ("", self.settings.model):
            return self._reader.model
        return LanguageModel(self.settings.having(model=self.settings.builder_model or self.settings.model))

    def _models(self) -> list[LanguageModel]:
        models = [self._builder, self._reader.model if self._reader else None]
        return [model for model in dict.fromkeys(models) if model is not None]

    def _entries(self, document: str, episode_id: str) -> list[Entry]:
        match self.settings.build_mode, self._builder:
            case "llm_fullscan", LanguageModel() as builder:
                entries = []
                for number, piece in enumerate(pieces(document, self.settings.piece_lines)):
                    extracted, usage = extract_lines(
                        builder, self._prompts, piece, f"{episode_id}/piece{number}"
                    )
                    entries += extracted
                    self._building += usage
                return entries
            case "llm_perkey", LanguageModel() as builder:
                entries, usage = latest_of_keys(builder, self._prompts, parse_log(document), episode_id)
                self._building += usage
                return entries
        return parse_log(document)


def create_adapter(settings: BookBuilderSettings | None = None) -> BookBuilderAdapter:
    return BookBuilderAdapter(settings or read_settings(BookBuilderSettings, {}))
