"""How relevant a fact or an item is to a query: shared content words, rare ones counting more.

score = sum of ln((N + 1) / df) over the stems a text shares with the query, with a quarter of that weight for
stems that only the conversation holds (idf as in Sparck Jones 1972). Ties go to the newest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Stems = frozenset[str]

_ASKED, _TALKED_OF = (
    1_000_000,
    250_000,
)  # weights are whole millionths: their sum does not depend on any order
_FLOOR = 0.1  # weight of a stem that every text holds


class Relevance:
    """Scores stems against those of a query and of the conversation around it; `texts` are what is ranked."""

    def __init__(self, query: Stems, conversation: Stems, texts: Sequence[Stems]) -> None:
        self._wanted = wanted = query | conversation
        self._weights = weights = dict.fromkeys(wanted, _TALKED_OF) | dict.fromkeys(query, _ASKED)
        counts: dict[str, int] = {}
        for text in texts:
            for stem in text & wanted:
                counts[stem] = counts.get(stem, 0) + 1
        total = len(texts) + 1
        rarity = {count: math.log(total / count) + _FLOOR for count in set(counts.values())}
        for stem, count in counts.items():
            weights[stem] = int(weights[stem] * rarity[count])

    def score(self, text: Stems) -> int:
        """Zero where a text shares nothing with the query or the conversation."""
        return sum(map(self._weights.__getitem__, text & self._wanted))
