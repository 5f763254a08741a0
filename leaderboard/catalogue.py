"""What this site can run over a version: the deterministic systems of its suite, and the engine's adapters.

An adapter's settings are the typed fields of its own dataclass, so that form, API and command line check the
same thing. A setting that names a file takes a registered model and nothing else.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from importlib import import_module
from typing import Any, Literal, get_args, get_origin, get_type_hints

from evaluation.adapters import ADAPTERS, find_factory, settings_of
from evaluation.adapters.language_model import ModelSettings
from evaluation.adapters.settings import read_settings
from evaluation.errors import SettingsError
from leaderboard import modelfiles
from leaderboard.models import ModelFile, Version

ADAPTER_PREFIX = "adapter:"
#: Settings that name a file on this machine: a registered model, and nothing else.
MODEL_SETTINGS = frozenset({"model", "builder_model"})
CLOSED_SETTINGS = frozenset({"linear_model"})
#: What a row must hold for an adapter to answer it.
ROW_OF_ADAPTERS = frozenset({"id", "episode_id", "question"})


@dataclass(frozen=True, slots=True)
class Setting:
    """One typed setting: `kind` is text, number, truth, choice or model."""

    name: str
    kind: str
    default: Any
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Executor:
    """Something that answers rows. `name` is what a run stores."""

    name: str
    label: str
    description: str
    is_adapter: bool = False
    settings: tuple[Setting, ...] = ()

    @property
    def takes_model(self) -> bool:
        """Whether a model file may be given."""
        return self.is_adapter and _reads_model_files(self.name.removeprefix(ADAPTER_PREFIX))

    @property
    def needs_model(self) -> bool:
        """Whether it cannot do without one."""
        return self.name == f"{ADAPTER_PREFIX}llama_cpp"


def deterministic(version: Version) -> dict[str, Executor]:
    """The systems of the version's suite."""
    specs = version.benchmark.engine.systems()
    return {name: Executor(name, name, spec.description) for name, spec in specs.items()}


def adapters(version: Version) -> dict[str, Executor]:
    """The engine's adapters, where they can answer the version's rows; by the name that a run stores."""
    if not version.sample.keys() >= ROW_OF_ADAPTERS:
        return {}
    found = (
        Executor(ADAPTER_PREFIX + name, name, _described(name), True, _settings(name)) for name in ADAPTERS
    )
    return {executor.name: executor for executor in found}


def of(version: Version) -> dict[str, Executor]:
    """Everything that can run over a version."""
    return deterministic(version) | adapters(version)


def checked(executor: Executor, values: Mapping[str, Any], model: ModelFile | None) -> dict[str, Any]:
    """The given settings with their types. Raises SettingsError naming every bad one."""
    known = {setting.name for setting in executor.settings}
    problems = {
        name: ["is not a setting that can be chosen here"]
        for name in sorted(values.keys() & _closed(executor))
    }
    if not executor.settings and values:
        problems = {name: ["is unknown: this system takes no settings"] for name in values}
    if problems:
        raise SettingsError(problems)
    if not known:
        return {}
    factory = find_factory(executor.name.removeprefix(ADAPTER_PREFIX))
    settings_class = settings_of(factory)
    assert settings_class is not None  # it had fields
    read = read_settings(settings_class, with_files(executor, values, model), environment={})
    return {name: values[name] if name in MODEL_SETTINGS else getattr(read, name) for name in sorted(values)}


def with_files(executor: Executor, values: Mapping[str, Any], model: ModelFile | None) -> dict[str, Any]:
    """The settings with registered models as the files they are. Raises SettingsError for any other file."""
    filled = dict(values)
    if not executor.takes_model:
        return filled
    if model is not None:
        filled["model"] = str(modelfiles.folder() / model.path)
    for setting in executor.settings:
        if setting.kind == "model" and (name := filled.get(setting.name)):
            if not ModelFile.objects.filter(path=name).exists():
                raise SettingsError({setting.name: [f"must be a registered model, not {name!r}"]})
            filled[setting.name] = str(modelfiles.resolve(name))
    return filled


def _closed(executor: Executor) -> frozenset[str]:
    return CLOSED_SETTINGS | ({"model"} if executor.takes_model else frozenset())


def _reads_model_files(adapter: str) -> bool:
    settings_class = settings_of(find_factory(adapter))
    return settings_class is not None and issubclass(settings_class, ModelSettings)


def _described(adapter: str) -> str:
    """The first sentence of the adapter's module, behind its name."""
    text = " ".join((import_module(ADAPTERS[adapter].partition(":")[0]).__doc__ or "").split())
    sentence = text.removeprefix(f"`{adapter}`: ").split(". ")[0].rstrip(".")
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _settings(adapter: str) -> tuple[Setting, ...]:
    settings_class = settings_of(find_factory(adapter))
    if settings_class is None:
        return ()
    hints, file_based = get_type_hints(settings_class), _reads_model_files(adapter)
    hidden = CLOSED_SETTINGS | ({"model"} if file_based else set())
    return tuple(
        _setting(
            field.name, hints[field.name], None if field.default is MISSING else field.default, file_based
        )
        for field in fields(settings_class)
        if field.name not in hidden
    )


def _setting(name: str, hint: Any, default: Any, file_based: bool) -> Setting:
    options = get_args(hint) if get_origin(hint) is types.UnionType else (hint,)
    inner = next(option for option in options if option is not type(None))
    if file_based and name in MODEL_SETTINGS:
        return Setting(name, "model", default)
    if get_origin(inner) is Literal:
        return Setting(name, "choice", default, tuple(map(str, get_args(inner))))
    if inner is bool:
        return Setting(name, "truth", default, ("true", "false"))
    return Setting(name, "number" if inner in (int, float) else "text", default)
