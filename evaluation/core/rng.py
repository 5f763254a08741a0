"""A random stream that is the same on every machine and Python build.

`random.Random` fixes only `random()`, and seeding by `hash()` or set order changes between processes. This is
SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014), keyed by a SHA-256 of
the names given.
"""

from __future__ import annotations

import hashlib
from collections.abc import MutableSequence, Sequence
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1


class Stream:
    """A random stream that its arguments determine: `Stream("episode", seed, 3).below(14)`."""

    __slots__ = ("_state",)

    def __init__(self, *names: object) -> None:
        key = "\x1f".join(str(name) for name in names).encode()
        self._state = int.from_bytes(hashlib.sha256(key).digest()[:8], "big")

    def bits(self) -> int:
        self._state = z = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def random(self) -> float:
        """Draw a uniform number in [0, 1) with 53 random bits."""
        return (self.bits() >> 11) * 2.0**-53

    def below(self, n: int) -> int:
        """Draw a uniform integer in [0, n) by multiply-shift. The bias is below n / 2**64."""
        return (self.bits() * n) >> 64

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle a list in place (Fisher-Yates)."""
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]
