"""Tokenizers by name: functions from a text to its number of tokens. Callers may pass any other such function."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from evaluation.core.errors import UnknownNameError
from evaluation.core.tokens import pretokens
from evaluation.statebench.language.words import count_tokens

Tokenizer = Callable[[str], int]


def characters(text: str) -> int:
    """Estimate tokens by a common rule of thumb: a quarter of the characters, rounded up."""
    return -(-len(text) // 4)


TOKENIZERS: dict[str, Tokenizer] = {
    "whitespace": count_tokens,
    "pretokens": pretokens,
    "characters": characters,
}


def get_tokenizer(tokenizer: str | Tokenizer | None) -> Tokenizer:
    """Find a tokenizer by name. A function is returned as is, None gives whitespace tokens. Raises UnknownNameError."""
    if tokenizer is None:
        return count_tokens
    if callable(tokenizer):
        return tokenizer
    if tokenizer not in TOKENIZERS:
        raise UnknownNameError("tokenizer", tokenizer, TOKENIZERS)
    return TOKENIZERS[tokenizer]


def first_lines(text: str, budget: int, count: Tokenizer) -> str:
    """The longest start of a text within the budget, in whole lines. The text is unchanged if all lines fit."""
    if count(text) <= budget:
        return text
    lines = text.splitlines()
    kept = bisect_right(range(len(lines) + 1), budget, key=lambda end: count("\n".join(lines[:end])))
    return "\n".join(lines[: max(kept - 1, 0)])
