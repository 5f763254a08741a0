"""Typed settings of an adapter: a dataclass filled from `key=value` texts and from environment variables.

The variable of a setting is `GOLDEVIDENCEBENCH_` and its name in capitals, e.g. `GOLDEVIDENCEBENCH_SEED` for
`seed`. What is given explicitly wins over the environment.
"""

from __future__ import annotations

import os
import types
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from evaluation.adapters.environment import PREFIX as ENVIRONMENT_PREFIX
from evaluation.core.errors import SettingsError, UnknownNameError
from evaluation.core.secrets import HIDDEN, is_secret

CHOICES = "choices"  # in a field's metadata: the names it takes
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")
S = TypeVar("S")


def read_settings(
    cls: type[S], provided: Mapping[str, Any], environment: Mapping[str, str] = os.environ
) -> S:
    """`cls` with each field taken from `provided`, else the environment, else its default.

    Raises SettingsError that names every bad field. A `check()` method of `cls` may return more problems.
    """
    hints = get_type_hints(cls)
    dataclass: type[Any] = cls
    names = [field.name for field in fields(dataclass)]
    problems = {
        name: [str(UnknownNameError("setting", name, names))] for name in provided if name not in names
    }
    values: dict[str, Any] = {}
    for field in fields(dataclass):
        name = field.name
        raw = provided.get(name, environment.get(ENVIRONMENT_PREFIX + name.upper()))
        if raw is None:
            if field.default is MISSING and field.default_factory is MISSING:
                problems[name] = ["is required"]
            continue
        try:
            choices = field.metadata.get(CHOICES)
            values[name] = _one_of(raw, choices) if choices else convert(raw, hints[name])
        except ValueError as error:
            problems[name] = [str(error).replace(repr(raw), HIDDEN) if is_secret(name) else str(error)]
    if problems:
        raise SettingsError(problems)
    settings = cls(**values)
    more = settings.check() if hasattr(settings, "check") else {}
    if more:
        raise SettingsError(more)
    return settings


def one_of(names: Iterable[str]) -> dict[str, Any]:
    """Metadata of a text field that takes one of these names: `field(default=…, metadata=one_of(NAMES))`."""
    return {CHOICES: tuple(names)}


def parse_pairs(pairs: Iterable[str]) -> dict[str, str]:
    """`["k=8", "order=shuffle"]` as a dict. Raises SettingsError for a text without `=`."""
    values = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator:
            raise SettingsError({_without_value(pair): ["must be written key=value"]})
        values[name.strip()] = value
    return values


def _without_value(pair: str) -> str:
    """What a text without `=` may be called in a message: a short name, for it might be a secret."""
    return pair if pair.isidentifier() and len(pair) <= 20 else "--set"


def convert(raw: Any, hint: Any) -> Any:
    """`raw` (a text or a JSON value) as the type of a field. Raises ValueError with a sentence."""
    if get_origin(hint) in (Union, types.UnionType):
        return _optional(raw, hint)
    if get_origin(hint) is Literal:
        return _one_of(raw, get_args(hint))
    if hint is bool:
        return _boolean(raw)
    if hint in (int, float):
        return _number(raw, hint)
    return str(raw)


def _optional(raw: Any, hint: Any) -> Any:
    if raw is None or raw == "":
        return None
    inner = next(option for option in get_args(hint) if option is not type(None))
    return convert(raw, inner)


def _one_of(raw: Any, choices: tuple[Any, ...]) -> Any:
    for choice in choices:
        if str(raw) == str(choice):
            return choice
    raise ValueError(f"must be one of {', '.join(map(str, choices))}, not {raw!r}")


def _boolean(raw: Any) -> bool:
    text = str(raw).strip().lower()
    if text not in _TRUE + _FALSE:
        raise ValueError(f"must be true or false, not {raw!r}")
    return text in _TRUE


def _number(raw: Any, kind: type[int] | type[float]) -> int | float:
    try:
        if isinstance(raw, bool) or (kind is int and isinstance(raw, float) and not raw.is_integer()):
            raise ValueError
        return kind(raw)
    except (TypeError, ValueError):
        word = "a whole number" if kind is int else "a number"
        raise ValueError(f"must be {word}, not {raw!r}") from None
