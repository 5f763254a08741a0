"""Numbers and the nouns that belong to them, as a reader expects: 1 row, 2,000 rows."""

from __future__ import annotations


def noun(count: int, one: str, several: str = "") -> str:
    """The word alone: `row`, `rows`.

    Args:
        count: how many there are.
        one: what one of them is called.
        several: what more or none of them are called; `one` and an s where that is left out.
    """
    return one if count == 1 else several or f"{one}s"


def number_of(count: int, one: str, several: str = "") -> str:
    """The number and its word: `1 row`, `2,000 rows`.

    Args:
        count: how many there are.
        one: what one of them is called.
        several: what more or none of them are called; `one` and an s where that is left out.
    """
    return f"{count:,} {noun(count, one, several)}"
