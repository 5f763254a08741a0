"""What was read off a text, kept for when the same text comes again.

`functools.lru_cache` does the same, but notes at every look-up which entry was used last; for what is asked some
fifty times per timeline that costs as much as the look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar, overload

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
MOST = 65_536  # texts that one memo keeps
T = TypeVar("T")


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


class lazily(Generic[T]):  # lower case, as it is used like `property`
    """Decorates a method without arguments. Two threads may both compute a value: it has to be the same.

    `functools.cached_property` takes a lock at every first reading up to Python 3.11: more than most values cost.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> lazily[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> lazily[T] | T:
        if instance is None:
            return self
        value = self._compute(instance)
        # Not through `__dict__`: asking for that makes a dictionary of every instance.
        setattr(instance, self._name, value)
        return value
