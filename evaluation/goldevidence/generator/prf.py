"""The generator's randomness: one row of random integers per step of an episode.

Every integer is uniform in [0, 2**32) (little-endian) from SHAKE-128 (FIPS 202) over the names, so an episode depends
only on its names, never on earlier draws.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from hashlib import blake2b
from typing import TypeVar

FACES = 1 << 32
DICE = 8  # per throw
Item = TypeVar("Item")


def draw(*names: object, rows: int, faces: int) -> Iterator[tuple[int, ...]]:
    """Yield `rows` tuples of `faces` random integers, uniform in [0, 2**32); equal names give equal integers."""
    key = "\x1f".join(str(name) for name in names).encode()
    block = hashlib.shake_128(key).digest(4 * rows * faces)
    return struct.iter_unpack(f"<{faces}I", block)


def threshold(probability: float) -> int:
    """Return t such that a uniform integer in [0, 2**32) is below t with the given probability."""
    return round(probability * FACES)


def below(face: int, n: int) -> int:
    """Map an integer, uniform in [0, 2**32), to [0, n) by multiply-shift; the bias is below n / 2**32."""
    return (face * n) >> 32


def shuffled(items: list[Item], *names: object) -> list[Item]:
    """Shuffle a list in place (Fisher-Yates), seeded by `names`, and return it."""
    for place, (die,) in enumerate(draw(*names, rows=len(items), faces=1)):
        other = place + below(die, len(items) - place)
        items[place], items[other] = items[other], items[place]
    return items


def free_id(number: int, used: set[str]) -> str:
    """Return the id of a number, or the next free id if it is used. The id is added to `used`."""
    uid = f"U{number >> 8:06X}"
    while uid in used:
        number = (number + 256) % FACES
        uid = f"U{number >> 8:06X}"
    used.add(uid)
    return uid


def salt_of(*names: object) -> bytes:
    """Return a key for `throw`, derived from names."""
    return blake2b("\x1f".join(map(str, names)).encode(), digest_size=32).digest()


def throw(salt: bytes, *token: object) -> tuple[int, ...]:
    """Return eight random integers, uniform in [0, 2**32), derived from salt and token."""
    text = "\x1f".join(map(str, token)).encode()
    return struct.unpack(f"<{DICE}I", blake2b(text, key=salt, digest_size=4 * DICE).digest())


def fair_coin(salt: bytes, *token: object) -> bool:
    return bool(throw(salt, *token)[0] & 1)
