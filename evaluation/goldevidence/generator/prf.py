"""Blocks of dice: the generator's randomness, one row of faces per step of an episode.

Every face is a uniform 32-bit integer read (little-endian) from SHAKE-128 (FIPS 202) over the names given, so
that an episode depends on its names alone and never on how many draws came before. One call fills an episode.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator

FACES = 1 << 32


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
