"""Words shared by the sentences of several charts."""

from __future__ import annotations

from evaluation.core.terminal.wording import number_of

EMPTY_BOARD = "No system is on the board yet."


def in_sentence(label: str) -> str:
    """A label within a sentence: `Exact accuracy` becomes lower case, `AUC` stays."""
    return label if label[1:2].isupper() else f"{label[:1].lower()}{label[1:]}"


def about_shown(drawn: int, count: int) -> str:
    """How many of the filtered systems a chart shows; empty if all."""
    if drawn >= count:
        return ""
    return (
        f" Drawn: {drawn:,} of {number_of(count, 'system')}, the first on the board; the CSV has all of them."
    )
