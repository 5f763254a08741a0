"""What this site can run over a version: the deterministic systems of its suite, and the engine's adapters.

An adapter's settings are the typed fields of its own dataclass, so that form, API and command line check the
same thing. A setting that names a file takes a registered model and nothing else.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from importlib import import_module
from typing import Any, Literal, get_args, get_origin, get_type_hints

from django.conf import settings as site

from evaluation.adapters import find_factory, settings_of
from evaluation.adapters.kinds import RowKind, find_kind
from evaluation.adapters.llama.language_model import ModelSettings
from evaluation.adapters.servers.server import NO_KEY, ConnectionSettings
from evaluation.adapters.settings import CHOICES, read_settings
from evaluation.core.errors import SettingsError, UnknownNameError
from leaderboard.benchmarks.models import Version
from leaderboard.runs import model_files
from leaderboard.runs.models import ModelFile

ADAPTER_PREFIX = "adapter:"
#: Settings that name a file on this machine: a registered model, and nothing else.
MODEL_SETTINGS = frozenset({"model", "builder_model"})
CLOSED_SETTINGS = frozenset({"linear_model"})
#: Where a model server is. A run of the site names one of MODEL_SERVERS (`server`); only the command line gives these.
SERVER_SETTINGS = frozenset({"base_url", "key_variable"})
#: Settings by which results are compared: a run keeps and names them even where they are the default, and first.
TOLD_SETTINGS = ("strategy", "budget")


@dataclass(frozen=True, slots=True)
class Setting:
    """One typed setting: `kind` is text, number, truth, choice or model."""

    name: str
    kind: str
    default: Any
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Executor:
    """Something that answers rows. `name` is what a run stores; an adapter has its `module:factory`."""

    name: str
    label: str
    description: str
    factory: str = ""
    settings: tuple[Setting, ...] = ()

    @property
    def is_adapter(self) -> bool:
        """Whether it is one of the engine's adapters."""
        return bool(self.factory)

    @property
    def takes_model(self) -> bool:
        """Whether a model file may be given."""
        return self.is_adapter and _reads_model_files(self.factory)

    @property
    def asks_server(self) -> bool:
        """Whether a model server answers."""
        return self.is_adapter and _asks_server(self.factory)

    @property
    def needs_model(self) -> bool:
        """Whether it cannot do without one."""
        return self.name == f"{ADAPTER_PREFIX}llama_cpp"


def deterministic(version: Version) -> dict[str, Executor]:
    """The systems of the version's suite."""
    specs = version.suite.systems()
    return {name: Executor(name, name, spec.description) for name, spec in specs.items()}


def adapters(version: Version) -> dict[str, Executor]:
    """The engine's adapters that answer the version's kind of rows; by the name that a run stores."""
    kind = find_kind(version.sample)
    found = (
        Executor(ADAPTER_PREFIX + name, name, _described(name, factory), factory, _settings(factory))
        for name, factory in (kind.adapters if kind else {}).items()
    )
    return {executor.name: executor for executor in found}


def kind_of(version: Version) -> RowKind:
    """How the version's rows are asked and answered, where adapters can."""
    kind = find_kind(version.sample)
    assert kind is not None  # else no adapter was offered
    return kind


def executors_for(version: Version) -> dict[str, Executor]:
    """Everything that can run over a version."""
    return deterministic(version) | adapters(version)


def offered(version: Version) -> dict[str, Executor]:
    """The same, but for what asks a model server where the site knows none."""
    return {
        name: one for name, one in executors_for(version).items() if site.MODEL_SERVERS or not one.asks_server
    }


def checked(
    executor: Executor, values: Mapping[str, Any], model: ModelFile | None, *, by_hand: bool = False
) -> dict[str, Any]:
    """The given settings with their types; `by_hand`: the address of a server may be given.

    Raises SettingsError naming every bad one.
    """
    known = {setting.name for setting in executor.settings}
    closed = _closed(executor) - (SERVER_SETTINGS if by_hand else frozenset())
    problems = {name: ["is not a setting that can be chosen here"] for name in sorted(values.keys() & closed)}
    if not executor.settings and values:
        problems = {name: ["is unknown: this system takes no settings"] for name in values}
    if problems:
        raise SettingsError(problems)
    if not known:
        return {}
    settings_class = settings_of(find_factory(executor.factory))
    assert settings_class is not None  # it had fields
    if executor.asks_server and site.MODEL_SERVERS and not values.keys() & SERVER_SETTINGS:
        values = {"server": next(iter(site.MODEL_SERVERS)), **values}
    read = read_settings(settings_class, with_files(executor, values, model), environment={})
    kept, as_given = values.keys() | (known & set(TOLD_SETTINGS)), MODEL_SETTINGS | {"server"}
    return {name: values[name] if name in as_given else getattr(read, name) for name in sorted(kept)}


def with_files(executor: Executor, values: Mapping[str, Any], model: ModelFile | None) -> dict[str, Any]:
    """The settings with registered models as the files they are, and a named server as its address.

    Raises SettingsError for any other file, and for a server that the site does not know.
    """
    filled = _with_server(values) if executor.asks_server else dict(values)
    if not executor.takes_model:
        return filled
    if model is not None:
        filled["model"] = str(model_files.folder() / model.path)
    for setting in executor.settings:
        if setting.kind == "model" and (name := filled.get(setting.name)):
            if not ModelFile.objects.filter(path=name).exists():
                raise SettingsError({setting.name: [f"must be a registered model, not {name!r}"]})
            filled[setting.name] = str(model_files.resolve(name))
    return filled


def _with_server(values: Mapping[str, Any]) -> dict[str, Any]:
    filled = dict(values)
    if "server" not in filled:
        return filled
    name = str(filled.pop("server"))
    if filled.keys() & SERVER_SETTINGS:
        raise SettingsError({"server": ["cannot stand beside base_url: give one of the two"]})
    if name not in site.MODEL_SERVERS:
        raise SettingsError({"server": [str(UnknownNameError("server", name, site.MODEL_SERVERS))]})
    server = site.MODEL_SERVERS[name]
    return filled | {"base_url": server.base_url, "key_variable": server.key or NO_KEY}


def _closed(executor: Executor) -> frozenset[str]:
    files = frozenset({"model"}) if executor.takes_model else frozenset()
    return CLOSED_SETTINGS | files | (SERVER_SETTINGS if executor.asks_server else frozenset())


def _reads_model_files(factory: str) -> bool:
    settings_class = settings_of(find_factory(factory))
    return settings_class is not None and issubclass(settings_class, ModelSettings)


def _asks_server(factory: str) -> bool:
    settings_class = settings_of(find_factory(factory))
    return settings_class is not None and issubclass(settings_class, ConnectionSettings)


def _described(name: str, factory: str) -> str:
    """The first sentence of the adapter's module, behind its name."""
    text = " ".join((import_module(factory.partition(":")[0]).__doc__ or "").split())
    sentence = text.removeprefix(f"`{name}`: ").split(". ")[0].rstrip(".")
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _settings(factory: str) -> tuple[Setting, ...]:
    settings_class = settings_of(find_factory(factory))
    if settings_class is None:
        return ()
    hints, file_based = get_type_hints(settings_class), _reads_model_files(factory)
    hidden = CLOSED_SETTINGS | SERVER_SETTINGS | ({"model"} if file_based else set())
    names = tuple(site.MODEL_SERVERS) if _asks_server(factory) else ()
    found = [Setting("server", "choice", names[0], names)] if names else []
    found += [
        _setting(field, hints[field.name], file_based)
        for field in fields(settings_class)
        if field.name not in hidden
    ]
    return tuple(sorted(found, key=lambda setting: setting.name not in TOLD_SETTINGS))


def telling(name: str) -> tuple[int, str]:
    """Sorts settings for a reader: those by which results are compared come first."""
    return (TOLD_SETTINGS.index(name) if name in TOLD_SETTINGS else len(TOLD_SETTINGS), name)


def _setting(field: Field[Any], hint: Any, file_based: bool) -> Setting:
    name, default = field.name, None if field.default is MISSING else field.default
    if choices := field.metadata.get(CHOICES):
        return Setting(name, "choice", default, choices)
    options = get_args(hint) if get_origin(hint) is types.UnionType else (hint,)
    inner = next(option for option in options if option is not type(None))
    if file_based and name in MODEL_SETTINGS:
        return Setting(name, "model", default)
    if get_origin(inner) is Literal:
        return Setting(name, "choice", default, tuple(map(str, get_args(inner))))
    if inner is bool:
        return Setting(name, "truth", default, ("true", "false"))
    return Setting(name, "number" if inner in (int, float) else "text", default)
