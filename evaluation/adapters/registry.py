"""The registry of adapters: built-in adapters of each suite, and adapters of installed distributions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from evaluation.adapters.base import Adapter
from evaluation.adapters.environment import reference
from evaluation.core.errors import AdapterError, UnknownNameError
from evaluation.core.registry import ADAPTERS_GROUP, Registry, entry_points

if TYPE_CHECKING:
    from evaluation.adapters.settings import TrainedFile  # imports pydantic, which is slow

_GOLDEVIDENCE = {
    "ledger": "evaluation.goldevidence.adapters.ledger:create_adapter",
    "log_to_book": "evaluation.goldevidence.adapters.books.log_to_book:create_adapter",
    "llama_cpp": "evaluation.goldevidence.adapters.llama_cpp:create_adapter",
    "retrieval": "evaluation.goldevidence.adapters.retrieval:create_adapter",
    "streaming": "evaluation.goldevidence.adapters.streaming:create_adapter",
    "book_builder": "evaluation.goldevidence.adapters.books.book_builder:create_adapter",
    "openai_compatible": "evaluation.goldevidence.adapters.openai_compatible:create_adapter",
    "learner": "evaluation.gym.learners.adapter:create_adapter",
}

#: A name means the same model or server for both suites.
_STATEBENCH = {
    "llama_cpp": "evaluation.statebench.adapters.llama_cpp:create_adapter",
    "openai_compatible": "evaluation.statebench.adapters.openai_compatible:create_adapter",
}
BUILT_IN: dict[str, dict[str, str]] = {"goldevidence": _GOLDEVIDENCE, "statebench": _STATEBENCH}


@cache
def adapters_of(suite: str) -> Registry:
    """Adapters of a suite: the built-in ones, and entry points `<suite>.<name>` of `goldevidencebench.adapters`."""
    return Registry("adapter", ADAPTERS_GROUP, BUILT_IN.get(suite, {}), prefix=f"{suite}.")


ADAPTERS, STATE_ADAPTERS = adapters_of("goldevidence"), adapters_of("statebench")

Factory = Callable[..., Adapter]


def our_name(name: str) -> str:
    """The registered name for a `module:factory` of the reference implementation. Other names stay unchanged."""
    return reference.ADAPTERS[name].name if name in reference.ADAPTERS else name


def find_factory(name: str, adapters: Mapping[str, str] = ADAPTERS, *, kind: str = "adapter") -> Factory:
    """Import the factory of an adapter by registered name, or by `module:factory`, without calling it.

    Raises UnknownNameError, or AdapterError if the factory cannot be imported or called.
    """
    name = our_name(name)
    path = adapters.get(name, name)
    module_name, separator, attribute = path.partition(":")
    if not separator:
        raise UnknownNameError(kind, name, adapters)
    if str(Path.cwd()) not in sys.path and name not in adapters:
        sys.path.insert(0, str(Path.cwd()))
    try:
        factory = getattr(import_module(module_name), attribute)
    except Exception as error:
        origin = _origin(name, adapters)
        if not origin and not isinstance(error, (ImportError, AttributeError)):
            raise
        known = f". {reference.KNOWN}" if name.startswith(reference.PACKAGE) else ""
        raise AdapterError(f"{kind} {name!r}{origin} cannot be loaded: {error}{known}") from error
    if not callable(factory):
        raise AdapterError(f"{kind} {name!r} is not a factory: {attribute} cannot be called")
    result: Factory = factory
    return result


def _origin(name: str, adapters: Mapping[str, str]) -> str:
    origin = adapters.origin(name) if isinstance(adapters, Registry) and name in adapters else ""
    return f" of the distribution {origin}" if origin else ""


def names() -> list[str]:
    """Names of the registered adapters of all suites; a name means the same model or server in each suite."""
    from evaluation.core.suite import SUITES  # slow to import, and not needed to load one adapter

    return list(dict.fromkeys(name for suite in SUITES for name in adapters_of(suite)))


def trained_files() -> dict[str, TrainedFile]:
    """For each kind of trained file, the `TrainedFile` that describes it. Skips adapters that cannot be loaded."""
    from evaluation.core.suite import SUITES

    found: dict[str, TrainedFile] = {}
    for suite in SUITES:
        for name, registry in ((name, adapters_of(suite)) for name in adapters_of(suite)):
            with suppress(AdapterError):
                settings_class = settings_of(find_factory(name, registry))
                if trained := getattr(settings_class, "trained", None):
                    found.setdefault(trained.kind, trained)
    return found


def added() -> dict[str, str]:
    """`<suite>.<name>` -> `module:factory` of every loadable adapter of installed distributions."""
    return _added()[0]


def faults() -> list[str]:
    """Error messages about adapters of installed distributions, one for each adapter that cannot be used."""
    return _added()[1]


def _added() -> tuple[dict[str, str], list[str]]:
    from evaluation.core.suite import SUITES

    usable: dict[str, str] = {}
    wrong: list[str] = []
    for point in entry_points(ADAPTERS_GROUP):
        suite, dot, name = point.name.partition(".")
        if not dot or suite not in SUITES:
            why = f"no suite is called {suite!r}" if dot else "its name must be <suite>.<adapter>"
            wrong.append(
                f"The adapter {point.name!r} of the distribution {point.distribution} is not used: {why}."
            )
            continue
        registry = adapters_of(suite)
        if name not in registry:
            continue
        try:
            find_factory(name, registry)
            usable[point.name] = registry[name]
        except Exception as error:
            wrong.append(f"{error}".rstrip(".") + ".")
    return usable, [*wrong, *(fault for suite in SUITES for fault in adapters_of(suite).faults)]


def settings_of(factory: Factory) -> type[Any] | None:
    """The settings class that annotates a factory's `settings` parameter. None without such an annotation."""
    hints = get_type_hints(factory) if hasattr(factory, "__annotations__") else {}
    hint = hints.get("settings")
    options = (hint, *get_args(hint))
    return next((each for each in options if isinstance(each, type) and _is_settings(each)), None)


def _is_settings(hint: type[Any]) -> bool:
    # or a pydantic model, recognised without importing pydantic
    return is_dataclass(hint) or hasattr(hint, "model_json_schema")
