"""Whether data is of a record's type: what `mypy` checks in code, checked in the data it reads and writes."""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import (
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

Key = tuple[Any, bool]  # the type of a field, and whether a record must have it


def faults(value: Any, expected: Any, where: str = "") -> list[str]:
    """The paths at which a value is not of a type, each with the value found.

    Args:
        value: JSON data.
        expected: A `TypedDict`, or what its fields are made of.
        where: The path to the value.
    """
    origin, arguments = get_origin(expected), get_args(expected)
    if expected is Any:
        return []
    if is_typeddict(expected):
        return list(_of_record(value, expected, where))
    if origin in (Union, UnionType):
        of_each = [faults(value, each, where) for each in arguments]
        return [] if [] in of_each else min(of_each, key=len)
    if origin is Literal:
        return [] if value in arguments else [f"{where}: {value!r}"]
    if origin is list and isinstance(value, list):
        return [each for n, item in enumerate(value) for each in faults(item, arguments[0], f"{where}[{n}]")]
    if origin is dict and isinstance(value, dict):
        return [
            each for name, item in value.items() for each in faults(item, arguments[1], f"{where}.{name}")
        ]
    plain = origin or expected
    fits = isinstance(value, (int, float) if plain is float else plain) and (
        plain is bool or not isinstance(value, bool)
    )
    return [] if fits else [f"{where}: {value!r} is no {expected}"]


def _of_record(value: Any, expected: Any, where: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{where}: {value!r} is no {expected.__name__}"
        return
    keys = keys_of(expected)
    yield from (f"{where}.{name}: is no field" for name in value.keys() - keys.keys())
    yield from (f"{where}.{name}: is missing" for name in keys if keys[name][1] and name not in value)
    for name, item in value.items():
        if name in keys:
            yield from faults(item, keys[name][0], f"{where}.{name}")


def keys_of(expected: Any) -> dict[str, Key]:
    """The fields of a `TypedDict`.

    With annotations as texts, `__required_keys__` knows only whether the class is total, not which fields are marked.
    """
    keys: dict[str, Key] = {}
    for name, hint in get_type_hints(expected, include_extras=True).items():
        mark = get_origin(hint)
        if mark in (NotRequired, Required):
            keys[name] = (get_args(hint)[0], mark is Required)
        else:
            keys[name] = (hint, name in expected.__required_keys__)
    return keys
