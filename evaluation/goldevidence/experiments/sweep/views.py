"""The rows of a cell: as they stand in its data file, with gold, and as a system is handed them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import cast

from evaluation.goldevidence.adapters.episode_rows import handed
from evaluation.goldevidence.adapters.prompts.truncation import fit
from evaluation.goldevidence.adapters.shown import shown
from evaluation.goldevidence.artifacts.check import count_words
from evaluation.goldevidence.conditions.conditions import condition_row, eligible
from evaluation.goldevidence.data.ledger import AUTHORITATIVE, LEDGER_HEADING, parse_book, unclear
from evaluation.goldevidence.experiments.sweep.grid import View
from evaluation.goldevidence.generator.episodes import Unit
from evaluation.goldevidence.protocols import Protocol
from evaluation.goldevidence.records import EpisodeRow, Meta
from evaluation.goldevidence.retrieval import Pool


def data_rows(units: Sequence[Unit], view: View, protocol: str, seed: int) -> list[EpisodeRow]:
    """The rows of a data file.

    Args:
        units: The episodes.
        view: What is shown of them.
        protocol: Of rows with a whole text, which name it. They hold both texts, as other programs read them.
        seed: What the episodes were drawn from.

    Returns:
        The rows with gold.
    """
    if view.condition is None:
        return [_naming(row, protocol) for unit in units for row in unit.rows]
    condition = view.condition
    rows = [
        condition_row(row, _pool(row["book"]), condition, seed)
        for unit in units
        for row in unit.rows
        if eligible(row)
    ]
    return list(map(_gated, rows)) if view.authority_filter else rows


@lru_cache(maxsize=256)  # rows of an episode share its book, and conditions its episodes
def _pool(book: str) -> Pool:
    return Pool(parse_book(book))


def _naming(row: EpisodeRow, protocol: str) -> EpisodeRow:
    return cast(EpisodeRow, {**row, "meta": cast(Meta, {**row["meta"], "protocol": protocol})})


def _gated(row: EpisodeRow) -> EpisodeRow:
    """The row without candidates of no authority."""
    kept = [line for line in row["candidates"] if line["op"] in AUTHORITATIVE]
    gold, lines = row["gold"], [(each["step"], each["op"], each["key"], each["value"]) for each in kept]
    held = any(line["uid"] == gold["support_ids"][0] for line in kept)
    present = held and not unclear(lines, row["meta"]["key"])
    return cast(EpisodeRow, {**row, "candidates": kept, "gold": {**gold, "present": present}})


def asked_rows(rows: Sequence[EpisodeRow], view: View) -> Iterator[EpisodeRow]:
    """What a system is handed: no gold, the text of the protocol alone, and no more of it than the view allows.

    Args:
        rows: Those of a data file.
        view: What is shown of them.
    """
    for row in map(handed, rows):
        yield _within(row, view.max_book_tokens) if view.max_book_tokens else row


def _within(row: EpisodeRow, limit: int) -> EpisodeRow:
    """The row with the end of its text. Candidates are few lines, and stay."""
    if row.get("candidates") is not None:
        return row
    protocol = Protocol(row["meta"]["protocol"])
    text = _end_of(str(row.get(protocol.text)), protocol.text, limit)
    return cast(EpisodeRow, {**row, protocol.text: text})


@lru_cache(maxsize=256)  # rows of an episode share its text
def _end_of(text: str, field: str, limit: int) -> str:
    """The end of a text: of a book its ledger, or the ledger's last lines under their heading; of a log its last lines.

    Args:
        text: The whole.
        field: `book` or `document`.
        limit: Words at most, the heading aside.
    """
    row = cast(EpisodeRow, {"id": "", "question": "", field: text})
    protocol = "closed_book" if field == "book" else "open_book"
    kept, left_out = fit(shown(row, protocol), "", room=limit, count=count_words, truncation="recent")
    if left_out and field == "book" and LEDGER_HEADING not in kept.text and LEDGER_HEADING in text:
        return f"{LEDGER_HEADING}\n{kept.text}\n"
    return kept.text


def words_shown(rows: Sequence[EpisodeRow]) -> int:
    """Words of all texts shown, each counted for every row that shows it: what the reference calls tokens."""
    counts: dict[str, int] = {}
    total = 0
    for row in rows:
        if row.get("candidates") is not None:
            total += sum(len(" ".join(map(str, line.values())).split()) for line in row["candidates"])
            continue
        text = str(row.get("book") or row.get("document") or "")
        if text not in counts:
            counts[text] = count_words(text)
        total += counts[text]
    return total
