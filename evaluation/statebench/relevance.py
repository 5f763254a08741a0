"""How relevant a fact or an item is to a query: shared content words, rare ones counting more.

score = sum of ln((N + 1) / df) over the stems a text shares with the query, with a quarter of that weight for stems
that only the conversation holds (idf as in Sparck Jones 1972). Ties go to the newest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from evaluation.statebench.words import stems

_TALKED_OF = 0.25  # weight of a stem of the conversation against one of the query
_FLOOR = 0.1  # weight of a stem that every text holds


class Relevance:
    """Scores texts against a query and the conversation around it; `texts` are what is ranked."""

    def __init__(self, query: str, conversation: Iterable[str], texts: Iterable[str]) -> None:
        self._asked = stems(query)
        self._wanted = self._asked.union(*map(stems, conversation))
        counts: dict[str, int] = {}
        total = 1
        for text in texts:
            total += 1
            for stem in stems(text) & self._wanted:
                counts[stem] = counts.get(stem, 0) + 1
        self._weights = {stem: math.log(total / count) + _FLOOR for stem, count in counts.items()}

    def score(self, text: str) -> float:
        """Zero where a text shares nothing with the query or the conversation."""
        shared = stems(text) & self._wanted
        if not shared:
            return 0.0
        asked, weights = self._asked, self._weights
        # fsum: the result must not depend on the order in which a set yields its members.
        return math.fsum(
            weights.get(stem, 1.0) * (1.0 if stem in asked else _TALKED_OF) for stem in shared
        )
