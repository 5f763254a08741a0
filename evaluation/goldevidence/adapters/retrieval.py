"""`retrieval`: retrieve k ledger lines, filter by authority, order, select, answer.

A `selector` picks one line, and the answer is based on that line alone; with the selector `none` the model sees all k
lines. Without a model the value is read off the selected line by rule, which gives the oracle bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from evaluation.adapters.base import Answer, Output, Usage
from evaluation.adapters.settings import TrainedFile, read_settings
from evaluation.core.errors import BenchmarkError
from evaluation.core.rng import Stream
from evaluation.core.settings import OneOf
from evaluation.goldevidence.adapters.llama_cpp import EpisodeLlamaAdapter, LlamaSettings, WithModel
from evaluation.goldevidence.adapters.rules import answer_from_line, asked
from evaluation.goldevidence.adapters.shown import Shown, batches_of_shown, shown
from evaluation.goldevidence.conditions.fields import MOST_SEED
from evaluation.goldevidence.data.answers import SELECTED
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.retrieval import RETRIEVERS, RIVALS, Pool, candidates
from evaluation.goldevidence.selectors import DEFAULT_SELECTOR, SELECTORS, Selector, get_selector
from evaluation.goldevidence.selectors.linear import count_weights, load
from evaluation.goldevidence.selectors.rules import authority_filter


class RetrievalSettings(LlamaSettings):
    trained: ClassVar[TrainedFile | None] = TrainedFile(
        "selector", "linear_model", MappingProxyType({"selector": "linear"}), count_weights
    )
    retriever: Annotated[str, OneOf(RETRIEVERS)] = Field("key", description="Retriever.")
    k: int = Field(8, ge=1, description="Number of lines shown.")
    wrong_type: Annotated[str, OneOf(RIVALS)] = Field(
        "none", description="Kind of wrong line added to the retrieved lines."
    )
    ties: Literal["latest", "earliest"] = Field(
        "latest", description="Which of two lines with equal scores is ranked first."
    )
    order: Literal["step", "reverse", "shuffle"] = Field("step", description="Order of the lines.")
    drop_prob: float = Field(
        0.0, ge=0, le=1, description="Probability with which a retrieved line is dropped."
    )
    order_seed: int = Field(
        0, ge=0, le=MOST_SEED, description="Separate seed of the shuffle; 0: derived from `seed`."
    )
    drop_seed: int = Field(
        0, ge=0, le=MOST_SEED, description="Separate seed of the dropped lines; 0: derived from `seed`."
    )
    include_clear: bool = Field(True, description="Show lines that clear a tag.")
    authority_filter: bool = Field(False, description="Leave out lines without authority.")
    selector: Annotated[str, OneOf(SELECTORS)] = Field(DEFAULT_SELECTOR, description="Selector.")
    linear_model: str = Field("", description="File with the weights of `linear`; empty: built-in weights.")
    selector_only: bool = Field(False, description="Answer with a citation only, without a value.")


class RetrievalAdapter(WithModel):
    def __init__(self, settings: RetrievalSettings) -> None:
        self.settings = settings
        self._select = _selector(settings)
        self._llama = EpisodeLlamaAdapter(settings) if settings.model else None
        self._text, self._pool = "", Pool([])

    def predict(self, row: EpisodeRow, *, protocol: str) -> Output:
        return dict(next(self.predict_batch([row], protocol=protocol)).output)

    def batches(self, rows: Sequence[EpisodeRow]) -> Iterator[list[EpisodeRow]]:
        yield from batches_of_shown(rows, self.settings.parallel)

    def predict_batch(self, rows: Sequence[EpisodeRow], *, protocol: str) -> Iterator[Answer]:
        evidence = [self._evidence(row, protocol) for row in rows]
        if self._llama is None or self.settings.selector_only:
            yield from (self._by_rule(row, lines) for row, lines in zip(rows, evidence, strict=True))
            return
        picked = [self._picked(row, lines) for row, lines in zip(rows, evidence, strict=True)]
        seen = [_as_shown(lines) for lines in picked]
        answers = self._llama.answer_all(list(zip(rows, seen, strict=True)))
        yield from (
            self._with_choice(reply, lines, of)
            for reply, lines, of in zip(answers, picked, evidence, strict=True)
        )

    def _evidence(self, row: EpisodeRow, protocol: str) -> list[Entry]:
        lines = self._retrieved(row, protocol, asked(row).key)
        return authority_filter(lines) if self.settings.authority_filter else lines

    def _picked(self, row: EpisodeRow, lines: list[Entry]) -> list[Entry]:
        if self.settings.selector == "none":
            return lines
        line = self._select(lines, row["question"], asked(row).key)
        return [] if line is None else [line]

    def _retrieved(self, row: EpisodeRow, protocol: str, key: str) -> list[Entry]:
        """Return the candidate lines of a row; for a row that shows a whole text, retrieve `k` lines from the text."""
        seen = shown(row, protocol)
        if seen.kind == "candidates":
            return list(seen.entries)
        if seen.text != self._text:
            self._text, self._pool = seen.text, Pool(seen.entries)
        pool = self._pool if self.settings.include_clear else self._pool.without_clear
        retrieved = candidates(
            pool,
            row["question"],
            key,
            k=self.settings.k,
            retriever=self.settings.retriever,
            wrong_type=self.settings.wrong_type,
            ties=self.settings.ties,
        )
        return self._arranged(retrieved, row["id"])

    def _arranged(self, retrieved: list[Entry], row_id: str) -> list[Entry]:
        settings = self.settings
        names = ("retrieval", settings.seed, row_id)
        stream = Stream(*names)
        kept = [entry for entry in retrieved if not stream.chance(settings.drop_prob)]
        # A seed of its own has a stream of its own: setting it leaves the other draws unchanged.
        if own := settings.drop_seed:
            drops = Stream(*names, "drop", own)
            kept = [entry for entry in retrieved if not drops.chance(settings.drop_prob)]
        match settings.order:
            case "reverse":
                kept.reverse()
            case "shuffle":
                own_order = settings.order_seed
                (Stream(*names, "order", own_order) if own_order else stream).shuffle(kept)
        return kept

    def _with_choice(self, reply: Answer, lines: list[Entry], of: list[Entry]) -> Answer:
        if self.settings.selector == "none":
            return reply
        chosen = {SELECTED: lines[0].uid} if lines else {}
        return replace(reply, output={**reply.output, **chosen, **_as_shown(of).told})

    def _by_rule(self, row: EpisodeRow, lines: list[Entry]) -> Answer:
        line = self._select(lines, row["question"], asked(row).key)
        output = {**answer_from_line(row, line), **_as_shown(lines).told}
        return Answer(output | {"value": None} if self.settings.selector_only else output, Usage())


def _selector(settings: RetrievalSettings) -> Selector:
    if settings.selector == "linear" and settings.linear_model:
        try:
            return load(settings.linear_model)
        except OSError as error:
            raise BenchmarkError(f"linear_model: {settings.linear_model}: {error.strerror}") from error
    return get_selector(settings.selector)


def _as_shown(lines: list[Entry]) -> Shown:
    return Shown("candidates", "\n".join(line.line() for line in lines), tuple(lines))


def create_adapter(settings: RetrievalSettings | None = None) -> RetrievalAdapter:
    return RetrievalAdapter(settings or read_settings(RetrievalSettings, {}))
