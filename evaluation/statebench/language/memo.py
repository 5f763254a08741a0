"""Caches for values computed from a text. Unlike `functools.lru_cache`, they do not record the order of use."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar, overload

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
MOST = 65_536  # entries per memo
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
    """Decorate a pure function of one argument with a cache. The cache is emptied when it has `MOST` values."""
    return _Memo(compute).__getitem__


class lazily(Generic[T]):  # lower case because it is used like `property`
    """Decorator for a pure method without arguments. Like `cached_property`, but without a lock.

    Two threads may compute a value twice, so it must be the same each time. Up to Python 3.11
    `functools.cached_property` locks at every first reading, which costs more than most values.
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
        # Not through `__dict__`, which would create a dictionary per instance.
        setattr(instance, self._name, value)
        return value
