"""`streaming`: reads the log in pieces and keeps a compact ledger, the latest line of each key.

`parse` keeps it by rule; in `llm` mode a model copies the state changes out of each piece and answers from
the compact ledger. Whatever the episode's length, no prompt is longer than one piece or one line per key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evaluation.adapters.base import Row, Usage
from evaluation.adapters.settings import read_settings
from evaluation.goldevidence.adapters.books.extraction import extract_lines, pieces
from evaluation.goldevidence.adapters.llama_cpp import LlamaAdapter, LlamaSettings
from evaluation.goldevidence.adapters.rules import answer, state_of
from evaluation.goldevidence.adapters.shown import Shown, shown
from evaluation.goldevidence.adapters.with_model import WithModel
from evaluation.goldevidence.data.ledger import Entry, parse_log


@dataclass(frozen=True, slots=True)
class StreamingSettings(LlamaSettings):
    """`stream_mode`: parse needs no model. `piece_lines`: log lines read at a time."""

    stream_mode: Literal["parse", "llm"] = "parse"
    piece_lines: int = 40

    def check(self) -> dict[str, list[str]]:
        """Problems by field."""
        problems = super(StreamingSettings, self).check()
        if self.piece_lines < 1:
            problems["piece_lines"] = ["must be at least 1"]
        if self.stream_mode == "llm" and not self.model:
            problems["model"] = ["is required in llm mode"]
        return problems


class StreamingAdapter(WithModel):
    """A system with bounded memory. An episode's compact ledger is kept between its questions, wherever they stand."""

    def __init__(self, settings: StreamingSettings) -> None:
        self.settings = settings
        self.usage = Usage()
        self._llama = LlamaAdapter(settings) if settings.stream_mode == "llm" else None
        self._ledgers: dict[str, dict[str, Entry]] = {}  # by document

    def predict(self, row: Row, *, protocol: str) -> Row:
        """The answer to one row. The protocol makes no difference to the log: it is streamed in either."""
        self.usage = Usage()
        ledger = self._compact(row) if row.get("document") else state_of(shown(row, protocol).entries)
        if self._llama is None:
            return answer(row, ledger)
        lines = sorted(ledger.values(), key=lambda entry: entry.step)
        seen = Shown("candidates", "\n".join(entry.line() for entry in lines), tuple(lines))
        reply = self._llama.answer(row, seen)
        self.usage += reply.usage
        return dict(reply.output)

    def _compact(self, row: Row) -> dict[str, Entry]:
        """The latest authoritative line of each key, streamed once per episode."""
        document = row["document"]
        if document not in self._ledgers:
            ledger: dict[str, Entry] = {}
            for number, piece in enumerate(pieces(document, self.settings.piece_lines)):
                found = self._read(piece, f"{row['episode_id']}/piece{number}")
                ledger = state_of([*ledger.values(), *found])
            self._ledgers[document] = ledger
        return self._ledgers[document]

    def _read(self, piece: str, name: str) -> list[Entry]:
        if self._llama is None:
            return parse_log(piece)
        found, usage = extract_lines(self._llama.model, piece, name)
        self.usage += usage
        return found


def create_adapter(settings: StreamingSettings | None = None) -> StreamingAdapter:
    """The adapter, with settings from the environment where none are given."""
    return StreamingAdapter(settings or read_settings(StreamingSettings, {}))
