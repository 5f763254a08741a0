"""Numbers with nouns: 1 row, 2,000 rows."""

from __future__ import annotations


def noun(count: int, one: str, several: str = "") -> str:
    """Singular or plural noun for a count: `row`, `rows`. `several` defaults to `one` with an s."""
    return one if count == 1 else several or f"{one}s"


def number_of(count: int, one: str, several: str = "") -> str:
    """The number with its noun: `1 row`, `2,000 rows`."""
    return f"{count:,} {noun(count, one, several)}"
