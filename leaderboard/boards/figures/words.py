"""Words that the sentences of several figures share."""

from __future__ import annotations

from evaluation.core.terminal.wording import number_of

NOBODY = "No system here contests the board."


def in_sentence(label: str) -> str:
    """A label within a sentence: `Exact accuracy` is small there, `AUC` stays.

    Args:
        label: With a capital at its start.
    """
    return label if label[1:2].isupper() else f"{label[:1].lower()}{label[1:]}"


def about_shown(drawn: int, count: int) -> str:
    """How many systems a picture shows, where that is not all of them; else empty.

    Args:
        drawn: How many are in the picture.
        count: How many the filters leave.
    """
    if drawn >= count:
        return ""
    return (
        f" Drawn: {drawn:,} of {number_of(count, 'system')}, the first on the board; the CSV has all of them."
    )
