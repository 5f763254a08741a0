"""Relevance of facts and items to a query: shared content words, rare words counting more.

score = sum of ln((N + 1) / df) over the stems that a text shares with the query; stems that it shares only with the
conversation have a quarter of this weight (idf as in Sparck Jones 1972). Ties go to the newest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache

from evaluation.statebench.language.memo import memo

Stems = frozenset[str]

_ASKED, _TALKED_OF = 1_000_000, 250_000  # integers, so that sums do not depend on their order
_FEW = 32  # turns plus texts up to which scores are cached, at about 2 kB each
_FLOOR = 0.1  # added weight, so that a stem in every text still counts


class Relevance:
    """Scores texts (sets of stems) against a query and its conversation. `scores[n]` is the score of `texts[n]`."""

    def __init__(self, query: Stems, turns: Iterable[Stems], texts: Sequence[Stems]) -> None:
        self._query, self._sought = query, query.union(*turns)
        shared = [*map(self._sought.intersection, texts)]
        self._counts = counts = _counted(shared)
        self._asked, self._talked_of = asked, talked_of = _weights(len(texts))
        weights = {stem: talked_of[count] for stem, count in counts.items()}
        for stem in query.intersection(counts):
            weights[stem] = asked[counts[stem]]
        weight = weights.__getitem__
        self.scores = [sum(map(weight, stems)) for stems in shared]

    def score(self, text: Stems) -> int:
        asked, talked_of, query, count = self._asked, self._talked_of, self._query, self._counts.get
        shared = text & self._sought
        return sum([(asked if stem in query else talked_of)[count(stem, 0)] for stem in shared])


def _counted(texts: Iterable[Stems]) -> dict[str, int]:
    # A `Counter` takes longer to construct than a few texts to count.
    counts: dict[str, int] = {}
    get = counts.get
    for text in texts:
        for stem in text:
            counts[stem] = get(stem, 0) + 1
    return counts


def relevance(query: Stems, turns: tuple[Stems, ...], texts: tuple[Stems, ...]) -> Relevance:
    """`Relevance` of texts, cached for small conversations because each budget needs the same scores."""
    asked = query, turns, texts
    return _known(asked) if len(turns) + len(texts) <= _FEW else Relevance(*asked)


@memo
def _known(asked: tuple[Stems, tuple[Stems, ...], tuple[Stems, ...]]) -> Relevance:
    return Relevance(*asked)


@lru_cache(maxsize=256)
def _weights(texts: int) -> tuple[list[int], list[int]]:
    """Weights by document frequency, for stems of the query and for stems of the conversation alone."""
    rarity = [1.0, *(math.log((texts + 1) / count) + _FLOOR for count in range(1, texts + 1))]
    asked, talked_of = ([int(weight * rare) for rare in rarity] for weight in (_ASKED, _TALKED_OF))
    return asked, talked_of
