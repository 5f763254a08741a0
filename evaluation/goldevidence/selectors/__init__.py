"""Selectors choose the line that is the evidence.

Each selector is a function of:

Args:
    shown: The candidates, in the order shown.
    question: The question as the row asks it.
    key: The key that the question is about.

Returns:
    One of the candidates, or None if no line is the evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from evaluation.core.registry import find
from evaluation.goldevidence.data.ledger import Entry

__all__ = ["DEFAULT_SELECTOR", "SELECTORS", "Selector", "get_selector"]

Selector = Callable[[Sequence[Entry], str, str], Entry | None]

DEFAULT_SELECTOR = "prefer_update_latest"
SELECTORS: dict[str, str] = {
    "none": "evaluation.goldevidence.selectors.rules:first_shown",  # the answerer chooses, else the first line
    "first_shown": "evaluation.goldevidence.selectors.rules:first_shown",
    "last_occurrence": "evaluation.goldevidence.selectors.rules:last_occurrence",
    "latest_step": "evaluation.goldevidence.selectors.rules:latest_step",
    "prefer_set_latest": "evaluation.goldevidence.selectors.rules:prefer_set_latest",
    "prefer_update_latest": "evaluation.goldevidence.selectors.rules:prefer_update_latest",
    "latest_note": "evaluation.goldevidence.selectors.rules:latest_note",
    "linear": "evaluation.goldevidence.selectors.linear:linear",
}


@cache
def get_selector(name: str) -> Selector:
    """A selector by name. Raises UnknownNameError with the nearest match."""
    selector: Selector = find("selector", name, SELECTORS)
    return selector
