"""Systems of a sweep: each is a deterministic system by name, or an adapter with its settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Self

from evaluation.adapters import ADAPTERS, find_factory, load_adapter, our_name, settings_of
from evaluation.adapters.base import Adapter
from evaluation.adapters.environment.reference import outside_grid
from evaluation.core.errors import AdapterError, SettingsError, UnknownNameError
from evaluation.core.secrets import without_secrets
from evaluation.goldevidence.systems.registry import get_system

_UNSAFE = re.compile(r"[^A-Za-z0-9._=+-]+")  # in the name of a folder


@dataclass(frozen=True)
class Contestant:
    """One system under test. `name` is unique; it is shown in tables and names the folder."""

    name: str
    adapter: str = ""  # empty: a deterministic system of that name
    settings: Mapping[str, str] = field(default_factory=dict)
    #: Texts of this machine (a folder, an address) -> their replacement in files.
    aliases: Mapping[str, str] = field(default_factory=dict)
    #: Variables that fill in other settings; None: those of this process.
    environment: Mapping[str, str] | None = None

    @classmethod
    def system(cls, name: str) -> Self:
        """Return the deterministic system with this name. Raises UnknownNameError."""
        get_system(name)
        return cls(name)

    @property
    def is_rule(self) -> bool:
        """True for a deterministic system, which may run in any number of processes."""
        return not self.adapter

    @property
    def variables(self) -> Mapping[str, str]:
        return outside_grid() if self.environment is None else self.environment

    @property
    def folder(self) -> str:
        return _UNSAFE.sub("_", self.name)

    def as_json(self) -> dict[str, Any]:
        """Return the system as JSON data for files, without secrets."""
        settings = without_secrets(dict(self.settings))
        return {"name": self.name, "adapter": self.adapter, "settings": self.told(settings)}

    def told(self, value: Any) -> Any:
        """Return a JSON value in which each text of `aliases`, such as a local folder, is replaced by its alias."""
        match value:
            case str():
                for text, alias in self.aliases.items():
                    value = value.replace(text, alias)
                return value
            case Mapping():
                return {name: self.told(inner) for name, inner in value.items()}
            case list() | tuple():
                return [self.told(inner) for inner in value]
        return value

    @contextmanager
    def opened(self) -> Iterator[Adapter]:
        adapter = load_adapter(self.adapter, self.settings, environment=self.variables)
        try:
            yield adapter
        finally:
            if callable(close := getattr(adapter, "close", None)):
                close()


def adapters_with(
    adapters: Sequence[str],
    shared: Mapping[str, str],
    varied: Mapping[str, Sequence[str]],
    environment: Mapping[str, str] | None = None,
) -> list[Contestant]:
    """Return adapters (registered, or `module:factory`) under each combination of the `varied` values.

    Each adapter gets the shared settings that it has; other settings come from `environment` (default: the environment
    of this process). Raises SettingsError for a setting that no adapter has, UnknownNameError for an unknown adapter.
    """
    from evaluation.adapters.environment.typed import settings_known

    adapters = [our_name(adapter) for adapter in adapters]
    known = {adapter: set(settings_known(adapter, ADAPTERS)) for adapter in adapters}
    every = set().union(*known.values())
    if strangers := [name for name in (*shared, *varied) if name not in every]:
        raise SettingsError({name: [str(UnknownNameError("setting", name, every))] for name in strangers})
    return [
        each
        for adapter in adapters
        for each in _combinations(adapter, known[adapter], shared, varied, environment)
    ]


def _combinations(
    adapter: str,
    known: set[str],
    shared: Mapping[str, str],
    varied: Mapping[str, Sequence[str]],
    environment: Mapping[str, str] | None,
) -> Iterator[Contestant]:
    from evaluation.adapters.settings import from_environment

    own = {name: values for name, values in varied.items() if name in known}
    variables = outside_grid() if environment is None else environment
    for values in product(*own.values()):
        chosen = dict(zip(own, values, strict=True))
        label = "-".join([_short(adapter), *(f"{name}={_short(value)}" for name, value in chosen.items())])
        given = {name: value for name, value in shared.items() if name in known}
        settings = from_environment(known, variables) | given | chosen
        yield Contestant(label, adapter, settings, environment=environment)


def _short(value: str) -> str:
    return Path(value).stem if value.endswith((".gguf", ".json")) else value


def check(contestants: Sequence[Contestant]) -> None:
    """Check that all systems could be loaded. Raises AdapterError, SettingsError or UnknownNameError."""
    for each in contestants:
        if each.is_rule:
            get_system(each.name)
        else:
            _check_adapter(each)


def _check_adapter(each: Contestant) -> None:
    from evaluation.adapters.environment import refuse_unknown
    from evaluation.adapters.settings import read_settings

    settings = settings_of(find_factory(each.adapter, ADAPTERS))
    refuse_unknown(each.adapter, each.variables)
    if settings is not None:
        read_settings(settings, each.settings, each.variables)
    elif each.settings:
        raise AdapterError(f"adapter {each.adapter} takes no settings")
