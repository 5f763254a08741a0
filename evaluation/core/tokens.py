"""How many tokens a text has, for any model, without its tokenizer."""

from __future__ import annotations

import re

# The split pattern of cl100k without its merges: never fewer pieces than words, never more than real tokens
# by much.
_PRETOKEN = re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]{1,3}| ?[^\sA-Za-z0-9]+|\s+")


def pretokens(text: str) -> int:
    """Pieces of the cl100k split pattern, a stand-in for its byte-pair tokens."""
    return sum(1 for _ in _PRETOKEN.finditer(text))
