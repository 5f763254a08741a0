"""Rows whose answers are not for learning: those of a version that keeps them, whoever has come by them.

A public row of such a version has no gold, and beside its text it says no more than `public.META` and `public.LABELS`:
not the seed, episode number and condition of every row that was made with its gold. What others download is marked, by
the site's canary and by keyed ids. So a row that has such a mark, says as little as a public row, and holds a gold all
the same, was put together from a public row and an answer from elsewhere.
"""

from __future__ import annotations

from evaluation.core.errors import RowError
from evaluation.core.records import JsonObject
from evaluation.core.sealing import keyed_ids
from evaluation.goldevidence.public import LABELS, META

#: The site's mark in every row that it hands out (`leaderboard.benchmarks.canary`).
CANARY = "canary"
NO_ROW = (
    "the line is no row of this benchmark: it has no question. --data takes rows, --pred what answered them"
)
NO_GOLD = (
    "row {id!r} has no gold: it is of a version that keeps its answers. Mistakes are learnt "
    "from rows with gold: those that `goldevidencebench generate` writes, of a public version, or of a public twin"
)
SEALED = (
    "row {id!r} is of a version that keeps its answers (it says no more than its public row does), so that its gold is "
    "not for learning. Take rows of its public twin, or make your own with `goldevidencebench generate`"
)
_PUBLIC = frozenset({*META, *LABELS})


def refuse_sealed(row: JsonObject) -> None:
    """Let rows pass that were made or handed out with their gold.

    Args:
        row: A line of a data file.

    Raises:
        RowError: It is none, has no gold, or has one that its version keeps.
    """
    row_id, gold, meta = row.get("id"), row.get("gold"), row.get("meta")
    if not isinstance(row.get("question"), str):
        raise RowError(NO_ROW)
    if not isinstance(gold, dict):
        raise RowError(NO_GOLD.format(id=row_id))
    if not isinstance(meta, dict):
        return  # reading it says what is wrong
    if meta.keys() <= _PUBLIC and (CANARY in row or keyed_ids.is_keyed(row_id)):
        raise RowError(SEALED.format(id=row_id))
