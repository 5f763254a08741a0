"""Extracts the ledger entries of a text in any wording."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.goldevidence.data.ledger import LEDGER_HEADING, Entry, parse_book, parse_log

_RENAMED = " is also called the "


def log_entries(document: str) -> Sequence[Entry]:
    if "] UPDATE step=" in document and _RENAMED not in document:
        return parse_log(document)
    return _read(document)


def book_entries(book: str) -> Sequence[Entry]:
    if LEDGER_HEADING in book and _RENAMED not in book:
        return parse_book(book)
    return _read(book)


def _read(text: str) -> Sequence[Entry]:
    # Imported on use: only texts with sentences of packs need it.
    from evaluation.goldevidence.generator.difficulty.reading import read_text

    return read_text(text).entries
