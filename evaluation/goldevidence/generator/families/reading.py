"""Reads the lines with an id of a family's text, in any form."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.goldevidence.data.deeds import Deed, book_deeds, log_deeds
from evaluation.goldevidence.data.ledger import LEDGER_HEADING


def deeds_of(text: str) -> Sequence[Deed]:
    """Lines with an id of a log or a book, or of its end, in the published grammar or in sentences."""
    if LEDGER_HEADING in text:
        return book_deeds(text)
    if "\n- [U" in text:
        return log_deeds(text) or book_deeds(f"{LEDGER_HEADING}\n{text}")
    # imported on use: packs need pydantic, other texts do not
    from evaluation.goldevidence.generator.families.prose import deeds_in_prose

    return list(deeds_in_prose(text))
