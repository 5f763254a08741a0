"""Systems that can run over a version: the suite's deterministic systems and the engine's adapters.

The site's form, the API and the command line all check an adapter's settings by the adapter's pydantic model.
On the site, settings that name a file accept only registered models.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, get_type_hints

from django.conf import settings as site

from evaluation.adapters import adapters_of, find_factory, settings_of
from evaluation.adapters.kinds import RowKind, get_kind, kinds
from evaluation.adapters.llama.language_model import ModelSettings
from evaluation.adapters.servers.settings import NO_KEY, ConnectionSettings
from evaluation.adapters.settings import AdapterSettings, TrainedFile, json_schema, read_settings
from evaluation.core.errors import AdapterError, SettingsError, UnknownNameError
from evaluation.core.files import artifacts
from evaluation.core.suite import SUITES, Suite
from leaderboard.benchmarks.models import Version
from leaderboard.runs import model_files
from leaderboard.runs.model_job import JobError, RunQueue
from leaderboard.runs.models import ModelFile

log = logging.getLogger(__name__)

ADAPTER_PREFIX = "adapter:"
#: Setting that names a registered file -> kind of that file. `TrainedFile.setting` is the setting for separately
#: trained weights.
MODEL_SETTINGS = {
    "model": ModelFile.GGUF,
    "builder_model": ModelFile.GGUF,
    "lora": ModelFile.LORA,
    "draft_model": ModelFile.GGUF,
}
#: Connection to a model server, for the command line only. Runs of the site name a server of MODEL_SERVERS (`server`).
SERVER_SETTINGS = frozenset({"base_url", "key_variable"})
#: Settings by which results are compared: stored even with the default value, and named first.
NAMED_SETTINGS = ("strategy", "budget")
#: Settings of the prompt. A system's name has the prompt set, and the others if they differ from the default.
PROMPT_SETTINGS = frozenset({"prompt", "wording", "shots", "truncation"})


#: A setting's value, as text or typed.
SettingValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of an adapter. `kind` is text, number, truth, choice or model."""

    name: str
    kind: str
    default: Any
    choices: tuple[str, ...] = ()
    help: str = ""

    files: str = ModelFile.GGUF  # for `model`: the accepted kind of file


@dataclass(frozen=True, slots=True)
class Executor:
    """A system that answers rows. Jobs store its `name`; adapters have a `factory` (`module:function`)."""

    name: str
    label: str
    description: str
    factory: str = ""
    settings: tuple[Setting, ...] = ()

    @property
    def is_adapter(self) -> bool:
        return bool(self.factory)

    @property
    def takes_model(self) -> bool:
        return self.is_adapter and _reads_model_files(self.factory)

    @property
    def trained(self) -> TrainedFile | None:
        """The kind of trained file that the adapter reads, beside or instead of a language model."""
        return _trained(self.factory) if self.is_adapter else None

    @property
    def file_kinds(self) -> tuple[str, ...]:
        kinds = (ModelFile.GGUF,) if self.takes_model else ()
        return (*kinds, self.trained.kind) if self.trained else kinds

    @property
    def asks_server(self) -> bool:
        return self.is_adapter and _asks_server(self.factory)

    @property
    def queue(self) -> RunQueue:
        return RunQueue.SERVERS if self.asks_server else RunQueue.MODELS

    @property
    def needs_model(self) -> bool:
        return self.name == runner_of(ModelFile.GGUF) or (self.trained is not None and self.trained.required)

    def check_file(self, model: ModelFile | None) -> None:
        """Raise JobError if a required model file is missing, or the given file does not fit."""
        if model is None and self.needs_model:
            raise JobError(f"Choose a model file, which {self.label} requires.")
        if model is not None and not self.file_kinds:
            raise JobError(f"{self.label} does not use a model file. Choose none.")
        if model is not None and model.kind not in self.file_kinds:
            raise JobError(f"{self.label} cannot run {model}, which is a trained {model.kind}.")


def deterministic(version: Version) -> dict[str, Executor]:
    """The suite's deterministic systems that can answer the version, by name."""
    specs = version.bound.systems()
    return {name: Executor(name, name, spec.description) for name, spec in specs.items()}


def adapters(version: Version) -> dict[str, Executor]:
    """The adapters that can answer the version's rows, by the name stored in `Run.executor`."""
    kind = _kind(version)
    builds = artifacts.builder(version.suite, version.settings) is not None
    return _adapters(kind.adapters if kind else {}, builds=builds)


def executors_of(suite: Suite) -> dict[str, Executor]:
    """Systems for generated rows of a suite, by stored name. Omits systems of model servers if the site has none."""
    rules = {name: Executor(name, name, spec.description) for name, spec in suite.systems().items()}
    known = rules | (_adapters(get_kind(suite.name).adapters) if suite.name in kinds() else {})
    return {name: one for name, one in known.items() if site.MODEL_SERVERS or not one.asks_server}


def _adapters(factories: Mapping[str, str], *, builds: bool = False) -> dict[str, Executor]:
    executors = {}
    for name, factory in factories.items():
        try:
            if builds and not _builds_artifacts(factory):
                continue
            one = Executor(
                ADAPTER_PREFIX + name, name, _described(name, factory), factory, _settings(factory)
            )
        except AdapterError as error:  # an installed plugin's; `manage.py check` reports it
            log.warning("%s", error)
            continue
        executors[one.name] = one
    return executors


def _kind(version: Version) -> RowKind | None:
    suite = version.benchmark.suite
    kind = get_kind(suite) if suite in kinds() else None
    return kind if kind and kind.recognises(version.sample) else None


def kind_of(version: Version) -> RowKind:
    """The kind of rows of a version. Call it only for a version that adapters can answer."""
    kind = _kind(version)
    assert kind is not None  # else no adapter was offered
    return kind


def executors_for(version: Version) -> dict[str, Executor]:
    return deterministic(version) | adapters(version)


def offered(version: Version) -> dict[str, Executor]:
    """Systems that can answer the version, by stored name. Omits systems of model servers if the site has none."""
    return {
        name: one for name, one in executors_for(version).items() if site.MODEL_SERVERS or not one.asks_server
    }


def checked(
    executor: Executor, values: Mapping[str, SettingValue], model: ModelFile | None, *, by_hand: bool = False
) -> dict[str, SettingValue]:
    """Convert the given settings to their types, and add all `NAMED_SETTINGS`. Models and servers are given by name.

    `by_hand` also allows the URL of a server, as on the command line. Raises SettingsError with all errors.
    """
    known = {setting.name for setting in executor.settings}
    closed = _closed(executor) - (SERVER_SETTINGS if by_hand else frozenset())
    problems = {name: ["cannot be set here"] for name in sorted(values.keys() & closed)}
    if not executor.settings and values:
        problems = {name: ["is unknown: this system has no settings"] for name in values}
    if problems:
        raise SettingsError(problems)
    if not known:
        return {}
    settings_class = settings_of(find_factory(executor.factory))
    assert settings_class is not None  # executor.settings came from it
    if executor.asks_server and site.MODEL_SERVERS and not values.keys() & SERVER_SETTINGS:
        values = {"server": next(iter(site.MODEL_SERVERS)), **values}
    read = read_settings(settings_class, with_files(executor, values, model), environment={})
    as_given = {"server", *(setting.name for setting in executor.settings if setting.kind == "model")}
    kept = values.keys() | (known & set(NAMED_SETTINGS))
    return {name: values[name] if name in as_given else getattr(read, name) for name in sorted(kept)}


def _path_of(setting: Setting, name: str) -> str:
    try:
        return str(model_files.resolve(_registered(setting, name).path))
    except model_files.ModelFileError as error:
        raise SettingsError({setting.name: [str(error)]}) from error


def with_files(
    executor: Executor, values: Mapping[str, SettingValue], model: ModelFile | None
) -> dict[str, SettingValue]:
    """Settings for the adapter, with names of models and servers replaced by paths and URLs. Raises SettingsError."""
    filled = _with_server(values) if executor.asks_server else dict(values)
    for setting in executor.settings:
        if setting.kind == "model" and (name := filled.get(setting.name)):
            filled[setting.name] = _path_of(setting, str(name))
    if model is not None and executor.file_kinds:
        own = "model" if model.is_language_model or executor.trained is None else executor.trained.setting
        if filled.get(own):
            twice = f"is set, but {model.path} would set it too"
            raise SettingsError({own: [f"{twice}: leave it empty, or choose a language model"]})
        filled[own] = str(model_files.folder() / model.path)
    return _with_implied(executor, filled)


def _with_implied(executor: Executor, values: dict[str, SettingValue]) -> dict[str, SettingValue]:
    trained = executor.trained
    if trained is None or not values.get(trained.setting):
        return values
    wrong = {
        name: [f"must be {value} if {trained.setting} is given"]
        for name, value in trained.implied.items()
        if str(values.get(name, value)) != str(value)
    }
    if wrong:
        raise SettingsError(wrong)
    return values | dict(trained.implied)


def _registered(setting: Setting, name: str) -> ModelFile:
    model = ModelFile.objects.filter(path=name, kind=setting.files).first()
    if model is None:
        what = "model" if setting.files == ModelFile.GGUF else setting.files
        raise SettingsError({setting.name: [f"must be a registered {what}, not {name!r}"]})
    return model


def files_of(
    executor: Executor, values: Mapping[str, SettingValue], model: ModelFile | None
) -> list[ModelFile]:
    """The registered model files of a job. Raises SettingsError if a file is no longer registered."""
    named = [each for each in executor.settings if each.kind == "model" and values.get(each.name)]
    return [*([model] if model else []), *(_registered(each, str(values[each.name])) for each in named)]


def _with_server(values: Mapping[str, SettingValue]) -> dict[str, SettingValue]:
    filled = dict(values)
    if "server" not in filled:
        return filled
    name = str(filled.pop("server"))
    if filled.keys() & SERVER_SETTINGS:
        raise SettingsError({"server": ["cannot be combined with base_url or key_variable"]})
    if name not in site.MODEL_SERVERS:
        raise SettingsError({"server": [str(UnknownNameError("server", name, site.MODEL_SERVERS))]})
    server = site.MODEL_SERVERS[name]
    return filled | {"base_url": server.base_url, "key_variable": server.key or NO_KEY}


def _closed(executor: Executor) -> frozenset[str]:
    files = frozenset({"model"}) if executor.takes_model else frozenset()
    files |= _local(executor.factory) if executor.is_adapter else frozenset()
    return files | (SERVER_SETTINGS if executor.asks_server else frozenset())


def _local(factory: str) -> frozenset[str]:
    local: frozenset[str] = getattr(settings_of(find_factory(factory)), "local", frozenset())
    return local


def _trained(factory: str) -> TrainedFile | None:
    trained: TrainedFile | None = getattr(settings_of(find_factory(factory)), "trained", None)
    return trained


def _reads_model_files(factory: str) -> bool:
    settings_class = settings_of(find_factory(factory))
    return settings_class is not None and issubclass(settings_class, ModelSettings)


def _builds_artifacts(factory: str) -> bool:
    built = find_factory(factory)
    hints = get_type_hints(built) if hasattr(built, "__annotations__") else {}
    return hasattr(hints.get("return"), "build_artifact")


def _asks_server(factory: str) -> bool:
    settings_class = settings_of(find_factory(factory))
    return settings_class is not None and issubclass(settings_class, ConnectionSettings)


def _described(name: str, factory: str) -> str:
    text = " ".join((import_module(find_factory(factory).__module__).__doc__ or "").split())
    sentence = text.removeprefix(f"`{name}`: ").split(". ")[0].rstrip(".")
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _settings(factory: str) -> tuple[Setting, ...]:
    settings_class = settings_of(find_factory(factory))
    if settings_class is None:
        return ()
    file_based = _reads_model_files(factory)
    trained, hidden = _trained(factory), SERVER_SETTINGS | ({"model"} if file_based else set())
    hidden |= _local(factory)
    names = tuple(site.MODEL_SERVERS) if _asks_server(factory) else ()
    settings = [Setting("server", "choice", names[0], names)] if names else []
    for name, schema in json_schema(settings_class)["properties"].items():
        if name in hidden:
            continue
        files = trained.kind if trained and name == trained.setting else ""
        files = files or (MODEL_SETTINGS.get(name, "") if file_based else "")
        settings.append(_setting(name, schema, files=files))
    return tuple(sorted(settings, key=lambda setting: setting.name not in NAMED_SETTINGS))


def runner_of(kind: str) -> str:
    """Stored name of the default adapter for a kind of model file; empty if there is none."""
    if kind == ModelFile.GGUF:
        return f"{ADAPTER_PREFIX}llama_cpp"
    registries = ((name, factory) for suite in SUITES for name, factory in adapters_of(suite).items())
    reads = (name for name, factory in registries if (one := _trained(factory)) and one.kind == kind)
    return next((f"{ADAPTER_PREFIX}{name}" for name in reads), "")


def named(
    executor: Executor, values: Mapping[str, SettingValue], *, prompted: bool = True
) -> tuple[list[str], dict[str, SettingValue]]:
    """Parts of a system's name, from its adapter and settings. `prompted` is False if no model gets a prompt.

    Returns:
        The parts, such as `["llama_cpp + by-key retriever", "typed@1"]`, and the settings to show after the name.
        Prompt settings with the default value are left out, so that a prompt has the same name however it was chosen.
    """
    settings_class = settings_of(find_factory(executor.factory))
    spoken = settings_class.spoken if settings_class and issubclass(settings_class, AdapterSettings) else {}
    defaults = {setting.name: setting.default for setting in executor.settings}
    said = {name for name, value in values.items() if (name, value) in spoken}
    default = {name for name in PROMPT_SETTINGS if values.get(name) == defaults.get(name)}
    prompt = (values.get("prompt") or defaults.get("prompt")) if prompted else None
    words = [spoken[name, values[name]] for name in sorted(said)]
    parts = [
        " + ".join([executor.name.removeprefix(ADAPTER_PREFIX), *words]),
        *([str(prompt)] if prompt else []),
    ]
    return parts, {name: values[name] for name in sorted(values.keys() - said - default - {"prompt"})}


def telling(name: str) -> tuple[int, str]:
    """Sort key for settings: first `NAMED_SETTINGS` in their order, then other settings by name."""
    return (NAMED_SETTINGS.index(name) if name in NAMED_SETTINGS else len(NAMED_SETTINGS), name)


def _setting(name: str, schema: Mapping[str, Any], *, files: str) -> Setting:
    default, help_text = schema.get("default"), schema.get("description", "")
    types = {schema.get("type"), *(each.get("type") for each in schema.get("anyOf", ()))}
    if files:
        return Setting(name, "model", default, help=help_text, files=files)
    if names := schema.get("enum"):
        return Setting(name, "choice", default, tuple(names), help_text)
    if "boolean" in types:
        return Setting(name, "truth", default, ("true", "false"), help_text)
    return Setting(name, "number" if types & {"integer", "number"} else "text", default, help=help_text)
