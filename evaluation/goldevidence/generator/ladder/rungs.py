"""Names of rungs (lengths in tokens) in splits, axes and file names. Imports no pydantic, because grading uses it."""

from __future__ import annotations

import re

KILO, MEGA = 1024, 1024 * 1024
#: Largest difference between the tokens of a text and of its rung: a share, and in short texts half of the longest
#: line, which holds a ready-made answer (44 tokens; 80 if a value is a set of six).
TOLERANCE = 0.02
HALF_A_LINE = 40
_NAME = re.compile(r"([1-9][0-9]{0,8})([km]?)")


def rung_name(tokens: int) -> str:
    """Return the name of a length: `8k` for 8,192 tokens, `1m` for 1,048,576; other numbers in digits."""
    if tokens % MEGA == 0:
        return f"{tokens // MEGA}m"
    return f"{tokens // KILO}k" if tokens % KILO == 0 else str(tokens)


def is_of_length(tokens: int, length: int) -> bool:
    """True if a text of `tokens` is close enough to its nominal `length`."""
    return abs(tokens - length) <= max(TOLERANCE * length, HALF_A_LINE)


def rung_tokens(name: str) -> int | None:
    """Return the number of tokens that a name stands for; None if `rung_name` never returns that name."""
    if (match := _NAME.fullmatch(name)) is None:
        return None
    tokens = int(match[1]) * {"": 1, "k": KILO, "m": MEGA}[match[2]]
    return tokens if rung_name(tokens) == name else None
