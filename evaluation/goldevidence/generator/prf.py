"""Blocks of dice: the generator's randomness, one row of faces per step of an episode.

Every face is a uniform 32-bit integer read (little-endian) from SHAKE-128 (FIPS 202) over the names given, so
that an episode depends on its names alone and never on how many draws came before. One call fills an episode.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from hashlib import blake2b

FACES = 1 << 32
DICE = 8  # of a throw


def draw(*names: object, rows: int, faces: int) -> Iterator[tuple[int, ...]]:
    """A block of dice: uniform integers in [0, 2**32).

    Args:
        names: What the block is drawn by: the same names, the same dice.
        rows: How many rows of dice.
        faces: How many dice a row.

    Returns:
        `rows` tuples of `faces` integers.
    """
    key = "\x1f".join(str(name) for name in names).encode()
    block = hashlib.shake_128(key).digest(4 * rows * faces)
    return struct.iter_unpack(f"<{faces}I", block)


def threshold(probability: float) -> int:
    """The face below which an event of that probability happens."""
    return round(probability * FACES)


def below(face: int, n: int) -> int:
    """A face as a uniform integer in [0, n). Multiply-shift; the bias is below n / 2**32.

    Args:
        face: A die, uniform in [0, 2**32).
        n: How many values there are.
    """
    return (face * n) >> 32


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
