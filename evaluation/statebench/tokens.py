"""Tokenizers: functions text -> number of tokens. Any such function may be given instead of a name."""

from __future__ import annotations

import re
from collections.abc import Callable

from evaluation.errors import UnknownNameError
from evaluation.statebench.words import count_tokens

Tokenizer = Callable[[str], int]

# The split pattern of cl100k without its merges: never fewer pieces than words, never more than real tokens
# by much.
_PRETOKEN = re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]{1,3}| ?[^\sA-Za-z0-9]+|\s+")


def pretokens(text: str) -> int:
    """Pieces of the cl100k split pattern, a stand-in for its byte-pair tokens."""
    return sum(1 for _ in _PRETOKEN.finditer(text))


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
