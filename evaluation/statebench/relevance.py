"""How relevant a fact or an item is to a query: shared content words, rare ones counting more.

score = sum of ln((N + 1) / df) over the stems a text shares with the query, with half a weight for stems that only
the conversation holds (idf as in Sparck Jones 1972). Ties go to the newest.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from evaluation.statebench.words import stems

_TALKED_OF = 0.25  # weight of a stem of the conversation against one of the query


class Relevance:
    """Scores texts against a query and the conversation around it."""

    def __init__(self, query: str, conversation: Iterable[str], texts: Sequence[str]) -> None:
        self._asked = stems(query)
        self._said = frozenset().union(*(stems(text) for text in conversation)) - self._asked
        counts = Counter(stem for text in texts for stem in stems(text))
        self._weights = {stem: math.log((len(texts) + 1) / count) + 0.1 for stem, count in counts.items()}

    def score(self, text: str) -> float:
        """Zero where a text shares nothing with the query or the conversation."""
        own = stems(text)
        asked, said = own & self._asked, own & self._said
        if not asked and not said:
            return 0.0
        weigh = self._weights.get
        # math.fsum: the sum must not depend on the order in which a set yields its members.
        return math.fsum(weigh(stem, 1.0) for stem in asked) + _TALKED_OF * math.fsum(weigh(stem, 1.0) for stem in said)
