"""What was read off a text, kept for when the same text comes again.

`functools.lru_cache` does the same, but notes at every look-up which entry was used last; for what is asked some
fifty times per timeline that costs as much as the look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST = 65_536  # texts that one memo keeps


class _Memo(dict[K, V]):
    def __init__(self, compute: Callable[[K], V]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: K) -> V:
        if len(self) >= MOST:
            self.clear()
        value = self[key] = self._compute(key)
        return value


def memo(compute: Callable[[K], V]) -> Callable[[K], V]:
    """Decorates a function of one argument that always gives the same value for it.

    It keeps at most `MOST` values; then it forgets them all and starts anew.
    """
    return _Memo(compute).__getitem__
