"""`streaming`: reads the log in chunks and maintains a compact ledger, the latest line of each key.

Mode `parse` extracts the state changes by rule. In mode `llm` a model copies them out of each chunk and answers from
the compact ledger. Whatever the episode's length, no prompt is longer than one chunk or one line per key.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from evaluation.adapters.base import Output, Usage
from evaluation.adapters.settings import read_settings
from evaluation.core.settings import refused
from evaluation.goldevidence.adapters.books.extraction import extract_lines, pieces
from evaluation.goldevidence.adapters.llama_cpp import EpisodeLlamaAdapter, LlamaSettings, WithModel
from evaluation.goldevidence.adapters.rules import answer, state_of
from evaluation.goldevidence.adapters.shown import Shown, shown
from evaluation.goldevidence.data.ledger import Entry, parse_log
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.shown_uids import SHOWN


class StreamingSettings(LlamaSettings):
    stream_mode: Literal["parse", "llm"] = Field("parse", description="Parse by rule or by a model.")
    piece_lines: int = Field(40, ge=1, description="Number of log lines in a chunk.")

    @model_validator(mode="after")
    def _has_its_model(self) -> Self:
        if self.stream_mode == "llm" and not self.model:
            raise refused("is required in llm mode", field="model")
        return self


class StreamingAdapter(WithModel):
    """Reads a log in chunks and stores only the latest line of each key, shared by all questions of an episode."""

    def __init__(self, settings: StreamingSettings) -> None:
        self.settings = settings
        self.usage = Usage()
        self._llama = EpisodeLlamaAdapter(settings) if settings.stream_mode == "llm" else None
        self._ledgers: dict[str, dict[str, Entry]] = {}  # by document

    def predict(self, row: EpisodeRow, *, protocol: str) -> Output:
        """Answer a row from the latest line of each key in its log, whatever the protocol."""
        self.usage = Usage()
        ledger = self._compact(row) if row.get("document") else state_of(shown(row, protocol).entries)
        if self._llama is None:
            return answer(row, ledger)
        lines = sorted(ledger.values(), key=lambda entry: entry.step)
        seen = Shown("candidates", "\n".join(entry.line() for entry in lines), tuple(lines))
        reply = self._llama.answer(row, seen)
        self.usage += reply.usage
        # A model wrote the compact ledger: its lines are no choice among the row's lines.
        return {name: value for name, value in reply.output.items() if name != SHOWN}

    def _compact(self, row: EpisodeRow) -> dict[str, Entry]:
        document = row["document"]
        if document not in self._ledgers:
            ledger: dict[str, Entry] = {}
            for number, piece in enumerate(pieces(document, self.settings.piece_lines)):
                entries = self._read(piece, f"{row['episode_id']}/piece{number}")
                ledger = state_of([*ledger.values(), *entries])
            self._ledgers[document] = ledger
        return self._ledgers[document]

    def _read(self, piece: str, name: str) -> list[Entry]:
        if self._llama is None:
            return parse_log(piece)
        entries, usage = extract_lines(self._llama.model, self._llama.prompts, piece, name)
        self.usage += usage
        return entries


def create_adapter(settings: StreamingSettings | None = None) -> StreamingAdapter:
    return StreamingAdapter(settings or read_settings(StreamingSettings, {}))
