"""Typed settings of an adapter, from `key=value` texts, else from environment variables.

Built-in adapters use pydantic models (`AdapterSettings`); your own adapter may use a plain dataclass. The variable of a
setting is `GOLDEVIDENCEBENCH_` and its name in capitals, e.g. `GOLDEVIDENCEBENCH_SEED` for `seed`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError

from evaluation.adapters.environment.reference import translated, variable_of
from evaluation.core.errors import SettingsError, UnknownNameError
from evaluation.core.settings import SettingsModel, messages

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class TrainedFile:
    """A file of learned weights (not GGUF), named by a setting of an adapter."""

    kind: str  # noun for its contents: "selector"
    setting: str  # the setting that names the file
    implied: Mapping[str, str | int | float | bool]  # settings without which the file would not be read
    #: Number of weights in a file. Raises BenchmarkError for another kind of file.
    weights: Callable[[Path], int]
    required: bool = False  # the adapter needs one


class AdapterSettings(SettingsModel):
    """Base class of adapter settings. Texts such as `8` and `yes` are converted to the field's type."""

    model_config = ConfigDict(coerce_numbers_to_str=True, protected_namespaces=())
    #: (setting, value) -> its part in the name of a system: `+ by-key retriever`.
    spoken: ClassVar[Mapping[tuple[str, Any], str]] = MappingProxyType({})
    #: A trained file that the adapter reads beside or instead of a language model, or None.
    trained: ClassVar[TrainedFile | None] = None
    #: Settings that name local files: for the command line only, a site does not show them.
    local: ClassVar[frozenset[str]] = frozenset()


def read_settings(
    cls: type[S], provided: Mapping[str, object], environment: Mapping[str, str] = os.environ
) -> S:
    """Build settings from `provided`, else the environment, else the defaults.

    `cls` is an `AdapterSettings`, or a dataclass with an optional `check()`. Raises one SettingsError with all faults.
    """
    schema = json_schema(cls)
    known: dict[str, dict[str, Any]] = schema["properties"]
    problems = {
        name: [str(UnknownNameError("setting", name, known))] for name in provided if name not in known
    }
    values, environment = {}, translated(environment)
    for name, field in known.items():
        raw = provided.get(name, environment.get(variable_of(name)))
        if raw is not None:
            values[name] = _as_typed(raw, field)
    try:
        settings: S = _adapter(cast(Hashable, cls)).validate_python(values)
    except ValidationError as error:
        raise SettingsError(problems | messages(error, schema)) from error
    if problems := problems | (settings.check() if hasattr(settings, "check") else {}):
        raise SettingsError(problems)
    return settings


def from_environment(names: Iterable[str], environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Values of the settings `names` that the environment provides."""
    environment = translated(environment)
    variables = {name: variable_of(name) for name in sorted(names)}
    return {name: environment[variable] for name, variable in variables.items() if variable in environment}


def json_schema(cls: type[Any]) -> dict[str, Any]:
    return _schema(cast(Hashable, cls))


@cache
def _schema(cls: Any) -> dict[str, object]:
    return TypeAdapter(cls).json_schema()


@cache
def _adapter(cls: Any) -> TypeAdapter[Any]:
    return TypeAdapter(cls)


def _as_typed(raw: Any, field: Mapping[str, Any]) -> Any:
    """Prepare a value for validation: "" becomes None if the field allows None, and a bool is no number."""
    kinds = [field.get("type"), *(each.get("type") for each in field.get("anyOf", ()))]
    if raw == "" and "null" in kinds:
        return None
    return str(raw) if isinstance(raw, bool) and "boolean" not in kinds else raw
