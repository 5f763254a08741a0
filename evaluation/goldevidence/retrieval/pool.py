"""The ledger of one episode, prepared once and queried many times."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.retrieval.terms import TermIndex

Scores = NDArray[np.float64]  # [entries], -inf for "never retrieved"
Scorer = Callable[["Pool", str, str], Scores]  # (pool, question, key)

LATEST, EARLIEST = "latest", "earliest"  # which of two equal scores is ranked first


class Pool:
    """Ledger entries, in the order of the document, with the cached data that retrievers need."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = tuple(entries)
        self._rankings: dict[tuple[Scorer, str, str, str], list[Entry]] = {}

    @cached_property
    def steps(self) -> NDArray[np.int64]:
        return np.array([entry.step for entry in self.entries], dtype=np.int64)

    @cached_property
    def keys(self) -> NDArray[np.str_]:
        return np.array([entry.key for entry in self.entries], dtype=np.str_)

    @cached_property
    def terms(self) -> TermIndex:
        """The words of each entry for retrieval: operation, key, value (`None` for a CLEAR)."""
        return TermIndex([f"{entry.op} {entry.key} {entry.value}" for entry in self.entries])

    @cached_property
    def latest_first(self) -> list[Entry]:
        return sorted(self.entries, key=lambda entry: entry.step, reverse=True)

    @cached_property
    def without_clear(self) -> Pool:
        return Pool([entry for entry in self.entries if entry.op != "CLEAR"])

    def rank(self, scorer: Scorer, question: str, key: str, ties: str = LATEST) -> list[Entry]:
        """Sort entries by score, highest first, and equal scores by `ties`. Entries with a score of -inf are left out.

        The list is cached: do not change it.
        """
        asked = (scorer, question, key, ties)
        if asked not in self._rankings:
            scores = scorer(self, question, key) if self.entries else np.zeros(0)
            order = self._order(scores, ties)
            ranked = order[scores[order] > -math.inf].tolist()
            self._rankings[asked] = [self.entries[i] for i in ranked]
        return self._rankings[asked]

    def _order(self, scores: Scores, ties: str) -> NDArray[np.intp]:
        if ties == EARLIEST:
            return np.argsort(-scores, kind="stable")
        places = np.arange(len(scores))
        return np.lexsort((-places, -self.steps, -scores))
