"""Tokenizers: functions text -> number of tokens. Any such function may be given instead of a name."""

from __future__ import annotations

from collections.abc import Callable

from evaluation.core.errors import UnknownNameError
from evaluation.core.tokens import pretokens
from evaluation.statebench.language.words import count_tokens

Tokenizer = Callable[[str], int]


def characters(text: str) -> int:
    """A quarter of the characters, rounded up: the usual rule of thumb."""
    return -(-len(text) // 4)


TOKENIZERS: dict[str, Tokenizer] = {
    "whitespace": count_tokens,
    "pretokens": pretokens,
    "characters": characters,
}


def get_tokenizer(tokenizer: str | Tokenizer | None) -> Tokenizer:
    """A tokenizer by name, as it is, or the default (whitespace). Raises UnknownNameError."""
    if tokenizer is None:
        return count_tokens
    if callable(tokenizer):
        return tokenizer
    if tokenizer not in TOKENIZERS:
        raise UnknownNameError("tokenizer", tokenizer, TOKENIZERS)
    return TOKENIZERS[tokenizer]
