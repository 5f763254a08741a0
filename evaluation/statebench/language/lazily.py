"""A property that is computed when it is first asked for, and kept.

`functools.cached_property` does the same, but up to Python 3.11 it takes a lock at every first reading, which
costs more than most of what is read here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazily(Generic[T]):  # lower case, as it is used like `property`
    """Decorates a method without arguments. Two threads may both compute a value: it has to be the same."""

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
