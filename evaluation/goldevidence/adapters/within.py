"""Cuts texts to a limit in words, keeping the end."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import cast

from evaluation.goldevidence.artifacts.check import count_words
from evaluation.goldevidence.data.ledger import LEDGER_HEADING
from evaluation.goldevidence.protocols import protocol_of
from evaluation.goldevidence.records import EpisodeRow

TEXTS = {"open_book": "document", "closed_book": "book"}  # protocol -> the field that it shows


def within(row: EpisodeRow, protocol: str, limit: int) -> EpisodeRow:
    """Cut the row's text to its last `limit` words, not counting a ledger's heading. Candidate lines are not cut."""
    if row.get("candidates") is not None:
        return row
    own = protocol_of(row)
    field = own.text if own else TEXTS[protocol]
    return cast(EpisodeRow, {**row, field: _end_of(str(row.get(field)), field, limit)})


@lru_cache(maxsize=256)  # rows of an episode share its text
def _end_of(text: str, field: str, limit: int) -> str:
    """Return the last lines of a text that fit into `limit` words. A book keeps the heading of its ledger."""
    from evaluation.goldevidence.adapters.prompts.truncation import fit
    from evaluation.goldevidence.adapters.shown import shown

    row = cast(EpisodeRow, {"id": "", "question": "", field: text})
    protocol = "closed_book" if field == "book" else "open_book"
    kept, left_out = fit(shown(row, protocol), "", room=limit, count=count_words, truncation="recent")
    if left_out and field == "book" and LEDGER_HEADING not in kept.text and LEDGER_HEADING in text:
        return f"{LEDGER_HEADING}\n{kept.text}\n"
    return kept.text


def words_shown(rows: Iterable[EpisodeRow]) -> int:
    """Count the words of the texts that the rows show, repeated texts included: the reference's "tokens"."""
    return sum(map(words_of, rows))


def words_of(row: EpisodeRow, protocol: str = "closed_book") -> int:
    """Count the words of the text that a row shows. `protocol` selects the text if the row has both texts."""
    if row.get("candidates") is not None:
        return sum(len(" ".join(map(str, line.values())).split()) for line in row["candidates"])
    return _count(str(row.get(TEXTS[protocol]) or row.get("book") or row.get("document") or ""))


@lru_cache(maxsize=256)  # rows of an episode share its text
def _count(text: str) -> int:
    return count_words(text)
