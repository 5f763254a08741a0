"""Builds the rows of a cell: with gold for its data file, and without gold for the system."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import cast

from evaluation.goldevidence.adapters.episode_rows import handed
from evaluation.goldevidence.adapters.within import within
from evaluation.goldevidence.conditions.rows import condition_row, eligible
from evaluation.goldevidence.data.case import CLOSED_BOOK
from evaluation.goldevidence.data.ledger import AUTHORITATIVE, parse_book, unclear
from evaluation.goldevidence.experiments.sweep.grid import View
from evaluation.goldevidence.generator.episodes import Unit
from evaluation.goldevidence.records import EpisodeRow, Meta
from evaluation.goldevidence.retrieval import Pool


def data_rows(units: Sequence[Unit], view: View, protocol: str, seed: int) -> list[EpisodeRow]:
    """Build a cell's rows, with gold. Rows that show a whole text keep log and book, and name the protocol."""
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
    kept = [line for line in row["candidates"] if line["op"] in AUTHORITATIVE]
    gold, lines = row["gold"], [(each["step"], each["op"], each["key"], each["value"]) for each in kept]
    held = any(line["uid"] == gold["support_ids"][0] for line in kept)
    present = held and not unclear(lines, row["meta"]["key"])
    return cast(EpisodeRow, {**row, "candidates": kept, "gold": {**gold, "present": present}})


def asked_rows(rows: Sequence[EpisodeRow], view: View) -> Iterator[EpisodeRow]:
    """Yield the rows as a system receives them: no gold, only the protocol's text, cut to the view's length limit."""
    for row in map(handed, rows):
        yield within(row, CLOSED_BOOK, view.max_book_tokens) if view.max_book_tokens else row
