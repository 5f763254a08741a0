"""`retrieval`: retrieve k ledger lines, gate, order, select, answer.

With a `selector` it picks a line and the answer is about that line alone (pick, then answer); with `none` the
model sees all k lines and chooses. Without a model the value is read off the selected line by rule: the
oracle bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from evaluation.adapters.base import Answer, Row, Usage
from evaluation.adapters.settings import read_settings
from evaluation.core.errors import BenchmarkError
from evaluation.core.rng import Stream
from evaluation.core.row_states import given_state
from evaluation.goldevidence.adapters.llama_cpp import LlamaAdapter, LlamaSettings
from evaluation.goldevidence.adapters.rules import answer_from_line, asked
from evaluation.goldevidence.adapters.shown import Shown, batches_of_shown, shown
from evaluation.goldevidence.adapters.with_model import WithModel
from evaluation.goldevidence.data.answers import SELECTED
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.retrieval import RETRIEVERS, RIVALS, Pool, candidates
from evaluation.goldevidence.selectors import DEFAULT_SELECTOR, SELECTORS, Selector, get_selector
from evaluation.goldevidence.selectors.gate import authority_filter
from evaluation.goldevidence.selectors.linear import load


@dataclass(frozen=True, slots=True)
class RetrievalSettings(LlamaSettings):
    """What is retrieved, how it is shown, who chooses. Each line found is dropped at `drop_prob`."""

    retriever: str = "key"
    k: int = 8
    wrong_type: str = "none"
    ties: Literal["latest", "earliest"] = "latest"
    order: Literal["step", "reverse", "shuffle"] = "step"
    drop_prob: float = 0.0
    include_clear: bool = True
    authority_filter: bool = False
    selector: str = DEFAULT_SELECTOR
    linear_model: str = ""  # the weights of `linear`; default: the ones that come with the project
    selector_only: bool = False  # cite, but leave the value out

    def check(self) -> dict[str, list[str]]:
        """Problems by field."""
        problems = super(RetrievalSettings, self).check()
        for name, known in (("retriever", RETRIEVERS), ("wrong_type", RIVALS), ("selector", SELECTORS)):
            if getattr(self, name) not in known:
                problems[name] = [f"must be one of {', '.join(known)}"]
        if self.k < 1:
            problems["k"] = ["must be at least 1"]
        if not 0 <= self.drop_prob <= 1:
            problems["drop_prob"] = ["must be between 0 and 1"]
        return problems


class RetrievalAdapter(WithModel):
    """Evidence selection as a system of its own."""

    def __init__(self, settings: RetrievalSettings) -> None:
        self.settings = settings
        self._select = _selector(settings)
        self._llama = LlamaAdapter(settings) if settings.model else None
        self._text, self._pool = "", Pool([])

    def predict(self, row: Row, *, protocol: str) -> Row:
        """The answer to one row."""
        return dict(next(self.predict_batch([row], protocol=protocol)).output)

    def batches(self, rows: Sequence[Row]) -> Iterator[list[Row]]:
        """Rows that share the beginning of their prompt, at most `parallel` at a time."""
        yield from batches_of_shown(rows, self.settings.parallel)

    def predict_batch(self, rows: Sequence[Row], *, protocol: str) -> Iterator[Answer]:
        """The answers of one batch, in its order."""
        lines = [self._evidence(row, protocol) for row in rows]
        if self._llama is None or self.settings.selector_only:
            yield from (self._by_rule(row, found) for row, found in zip(rows, lines, strict=True))
            return
        seen = [_as_shown(found) for found in lines]
        answers = self._llama.answer_all(list(zip(rows, seen, strict=True)))
        yield from (self._with_choice(reply, found) for reply, found in zip(answers, lines, strict=True))

    def _evidence(self, row: Row, protocol: str) -> list[Entry]:
        """The lines that the answerer sees: all that are left, or the one that the selector picks."""
        query = asked(row)
        lines = self._retrieved(row, protocol, query.key)
        if self.settings.authority_filter:
            lines = authority_filter(lines)
        if self.settings.selector == "none":
            return lines
        line = self._select(lines, row["question"], query.key)
        return [] if line is None else [line]

    def _retrieved(self, row: Row, protocol: str, key: str) -> list[Entry]:
        """A condition row's candidates as they are shown; else the k best lines in the order set."""
        seen = shown(row, protocol)
        if seen.kind == "candidates":
            return list(seen.entries)
        if seen.text != self._text:
            self._text, self._pool = seen.text, Pool(seen.entries)
        pool = self._pool if self.settings.include_clear else self._pool.without_clear
        found = candidates(
            pool,
            row["question"],
            key,
            k=self.settings.k,
            retriever=self.settings.retriever,
            wrong_type=self.settings.wrong_type,
            ties=self.settings.ties,
        )
        return self._arranged(found, Stream("retrieval", self.settings.seed, row["id"]))

    def _arranged(self, found: list[Entry], stream: Stream) -> list[Entry]:
        kept = [entry for entry in found if not stream.chance(self.settings.drop_prob)]
        match self.settings.order:
            case "reverse":
                kept.reverse()
            case "shuffle":
                stream.shuffle(kept)
        return kept

    def _with_choice(self, reply: Answer, lines: list[Entry]) -> Answer:
        """The model's answer, and which line it was given, where the selector chose one."""
        if self.settings.selector == "none" or not lines or given_state(reply.output):
            return reply
        return replace(reply, output={**reply.output, SELECTED: lines[0].uid})

    def _by_rule(self, row: Row, lines: list[Entry]) -> Answer:
        line = self._select(lines, row["question"], asked(row).key)
        output = answer_from_line(row, line)
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
    """The adapter, with settings from the environment where none are given."""
    return RetrievalAdapter(settings or read_settings(RetrievalSettings, {}))
