"""Dice by line: what is drawn for one line depends on the episode and on the line alone, and on no line before it."""

from __future__ import annotations

import struct
from hashlib import blake2b

DICE = 8  # of a throw


def salt_of(*names: object) -> bytes:
    """The key that the dice of an episode are drawn under."""
    return blake2b("\x1f".join(map(str, names)).encode(), digest_size=32).digest()


def throw(salt: bytes, *token: object) -> tuple[int, ...]:
    """Eight dice, uniform in [0, 2**32).

    Args:
        salt: Of the episode.
        *token: What is drawn for.
    """
    text = "\x1f".join(map(str, token)).encode()
    return struct.unpack(f"<{DICE}I", blake2b(text, key=salt, digest_size=4 * DICE).digest())


def fair_coin(salt: bytes, *token: object) -> bool:
    """A fair coin.

    Args:
        salt: Of the episode.
        *token: What is tossed for.
    """
    return bool(throw(salt, *token)[0] & 1)
