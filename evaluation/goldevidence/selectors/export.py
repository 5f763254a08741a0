"""Exports training examples for a selector, (question, candidates, correct line), from benchmark rows with gold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypedDict, cast

from evaluation.core.checks import Checks
from evaluation.core.errors import FORM_FAULTS, RowError
from evaluation.core.rng import Stream
from evaluation.goldevidence.conditions.perturb import ORDERS, arrange, drop
from evaluation.goldevidence.data.ledger import Entry, parse_book
from evaluation.goldevidence.records import Candidate, EpisodeRow
from evaluation.goldevidence.retrieval import RIVALS, Pool, candidates
from evaluation.goldevidence.selectors.rules import authority_filter


class ExampleLine(Candidate):
    authority_spoofed: bool


class Example(TypedDict):
    """A question with its candidate lines and the correct line.

    `order`, the position of the correct line, may be None if it is not a candidate.
    """

    id: str
    episode_id: str
    question: str
    key: str
    k: int
    wrong_type: str
    drop_prob: float
    order: str | None
    correct_uid: str | None
    gold_support_uid: str | None
    gold_present: bool
    candidates: list[ExampleLine]


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """Settings of the export of training examples. Raises SettingsError for an invalid setting.

    If `order` is None, the candidates stay sorted by step. The correct line is the key's latest line, NOTEs included.
    With `use_gold_support` it is the gold line, which teaches authority besides recency. `hard_negatives` puts
    UPDATEs other than the correct line first.
    """

    k: int = 4
    wrong_type: str = "same_key"
    order: str | None = "shuffle"
    drop_prob: float = 0.0
    include_clear: bool = False
    authoritative_only: bool = False
    use_gold_support: bool = False
    hard_negatives: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        checks = Checks(self)
        checks.integer("k", 1, 1000)
        checks.one_of("wrong_type", RIVALS)
        if self.order is not None:
            checks.one_of("order", ORDERS)
        checks.rate("drop_prob")
        for name in ("include_clear", "authoritative_only", "use_gold_support", "hard_negatives"):
            checks.boolean(name)
        checks.done()


def export(rows: Iterable[EpisodeRow], settings: ExportSettings) -> Iterator[Example]:
    """Yield a training example for each direct question about a book. The rows need gold.

    Training skips examples without their correct line (`gold_present` is false), such as for keys never written. Rows
    with candidates are left out: they repeat questions about a book. Raises RowError with the row's number, from 1.
    """
    for number, row in enumerate(rows, 1):
        try:
            if row.get("candidates") is None and row["meta"].get("query_type") == "direct":
                yield _example(row, settings)
        except FORM_FAULTS as error:
            raise RowError("the row is not a question with `gold` and `book`", line=number) from error


def _example(row: EpisodeRow, settings: ExportSettings) -> Example:
    pool, key = _pool(row["book"], settings.include_clear, settings.authoritative_only), row["meta"]["key"]
    supports = row["gold"].get("support_ids") or []
    support = supports[0] if supports else None
    latest = next((entry.uid for entry in pool.latest_first if entry.key == key), None)
    correct = support if settings.use_gold_support else latest
    retrieved = candidates(pool, row["question"], key, k=settings.k, wrong_type=settings.wrong_type)
    shown = _shown(retrieved, correct, settings, Stream("export", settings.seed, row["id"]))
    present = any(entry.uid == correct for entry in shown)
    return {
        "id": row["id"],
        "episode_id": row["episode_id"],
        "question": row["question"],
        "key": key,
        "k": settings.k,
        "wrong_type": settings.wrong_type,
        "drop_prob": settings.drop_prob,
        "order": settings.order if present or settings.order == "shuffle" else None,
        "correct_uid": correct,
        "gold_support_uid": support,
        "gold_present": present,
        "candidates": [cast(ExampleLine, entry._asdict() | {"authority_spoofed": False}) for entry in shown],
    }


def _shown(
    retrieved: list[Entry], correct: str | None, settings: ExportSettings, stream: Stream
) -> list[Entry]:
    kept = drop(retrieved, correct, settings.drop_prob, stream)
    if settings.hard_negatives:
        kept = sorted(kept, key=lambda e: (e.uid == correct or not e.authoritative, -e.step))
    return arrange(kept, correct, settings.order, stream) if settings.order else kept


@lru_cache(maxsize=64)
def _pool(book: str, include_clear: bool, authoritative_only: bool) -> Pool:
    entries = parse_book(book)
    pool = Pool(authority_filter(entries) if authoritative_only else entries)
    return pool if include_clear else pool.without_clear
