"""Sentences, and parts of sentences, that several charts use."""

from __future__ import annotations

from evaluation.core.terminal.wording import number_of

EMPTY_BOARD = "No system is on the board yet."
WHOLE_VERSION = " The chart covers the whole version, not only the chosen part."


def in_sentence(label: str) -> str:
    """Write a label as within a sentence: `Exact accuracy` gets a small letter, `AUC` is unchanged."""
    return label if label[1:2].isupper() else f"{label[:1].lower()}{label[1:]}"


def about_shown(drawn: int, count: int) -> str:
    """Sentence on how many of `count` systems a chart draws; empty if it draws all of them."""
    if drawn >= count:
        return ""
    return (
        f" Drawn: {drawn:,} of {number_of(count, 'system')}, the first on the board; the CSV has all of them."
    )
