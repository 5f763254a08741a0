"""Retrievers choose the ledger lines that an answerer sees.

Each retriever is a function `scores(pool, question, key)` in the module `evaluation.goldevidence.retrieval.<name>`.

Args:
    pool: The ledger of one episode.
    question: The question as the row asks it.
    key: The key that the question is about.

Returns:
    [entries], a score for each entry of the pool. A score of -inf excludes the entry.
"""

from __future__ import annotations

from functools import cache

from evaluation.core.errors import UnknownNameError
from evaluation.core.registry import find
from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.retrieval.pool import EARLIEST, LATEST, Pool, Scorer

__all__ = ["EARLIEST", "LATEST", "RETRIEVERS", "RIVALS", "TIES", "Pool", "candidates", "get_retriever"]

RETRIEVERS: dict[str, str] = {
    "key": "evaluation.goldevidence.retrieval.key:scores",
    "bm25": "evaluation.goldevidence.retrieval.bm25:scores",
    "tfidf": "evaluation.goldevidence.retrieval.tfidf:scores",
    "dense": "evaluation.goldevidence.retrieval.dense:scores",
}
TIES = (LATEST, EARLIEST)  # which of two equal scores is ranked first
RIVALS = ("none", "same_key", "other_key")  # the wrong line shown beside the k retrieved ones


@cache
def get_retriever(name: str) -> Scorer:
    """The scoring function of a retriever, by name. Raises UnknownNameError with the nearest match."""
    scorer: Scorer = find("retriever", name, RETRIEVERS)
    return scorer


def candidates(
    pool: Pool,
    question: str,
    key: str,
    *,
    k: int,
    retriever: str = "key",
    wrong_type: str = "none",
    ties: str = LATEST,
) -> list[Entry]:
    """Retrieve the k best entries, at least one, sorted by step. The retriever `key` adds one wrong entry, the rival.

    `wrong_type` chooses the rival: `same_key` (the (k+1)th entry of the key), `other_key` (the latest entry of
    another key) or `none`. `ties`, LATEST or EARLIEST, says which of two entries with equal scores ranks first.
    Raises UnknownNameError.
    """
    ranked = pool.rank(get_retriever(retriever), question, key, ties)
    chosen = ranked[: max(1, k)]
    if retriever == "key" and (rival := _rival(pool, ranked, key, len(chosen), wrong_type)):
        chosen = [*chosen, rival]
    return sorted(chosen, key=lambda entry: entry.step)


def _rival(pool: Pool, ranked: list[Entry], key: str, k: int, wrong_type: str) -> Entry | None:
    match wrong_type:
        case "none":
            return None
        case "same_key":
            return ranked[k] if len(ranked) > k else None
        case "other_key":
            return next((entry for entry in pool.latest_first if entry.key != key), None)
        case _:
            raise UnknownNameError("wrong_type", wrong_type, RIVALS)
