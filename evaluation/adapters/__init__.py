"""Systems under test. One contract (`base`), one file per system, one visible registry per kind of rows.

from evaluation.adapters import load_adapter
adapter = load_adapter("llama_cpp", {"model": "qwen.gguf"})
adapter.predict(row, protocol="closed_book")      # {"value": "teal-7629", "support_ids": ["UE75690"]}
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

from evaluation.adapters.base import Adapter
from evaluation.adapters.environment import refuse_unknown
from evaluation.adapters.settings import read_settings
from evaluation.core.errors import AdapterError, UnknownNameError

ADAPTERS: dict[str, str] = {
    "ledger": "evaluation.goldevidence.adapters.ledger:create_adapter",
    "log_to_book": "evaluation.goldevidence.adapters.books.log_to_book:create_adapter",
    "llama_cpp": "evaluation.goldevidence.adapters.llama_cpp:create_adapter",
    "retrieval": "evaluation.goldevidence.adapters.retrieval:create_adapter",
    "streaming": "evaluation.goldevidence.adapters.streaming:create_adapter",
    "book_builder": "evaluation.goldevidence.adapters.books.book_builder:create_adapter",
    "openai_compatible": "evaluation.goldevidence.adapters.openai_compatible:create_adapter",
}

#: The same of those that answer StateBench's timelines. A name means the same model or server in both.
STATE_ADAPTERS: dict[str, str] = {
    "llama_cpp": "evaluation.statebench.adapters.llama_cpp:create_adapter",
    "openai_compatible": "evaluation.statebench.adapters.openai_compatible:create_adapter",
}

Factory = Callable[..., Adapter]


def load_adapter(
    name: str,
    settings: Mapping[str, Any] | None = None,
    adapters: Mapping[str, str] = ADAPTERS,
    *,
    environment: Mapping[str, str] = os.environ,
) -> Adapter:
    """Build the adapter of that name in a registry, or of a `module:factory` path of your own.

    `settings` (and `GOLDEVIDENCEBENCH_…` variables of the environment) fill the dataclass that the factory's `settings`
    parameter is annotated with; a factory without that parameter takes no settings. Raises UnknownNameError,
    UnknownVariableError, SettingsError, or AdapterError.
    """
    factory = find_factory(name, adapters)
    refuse_unknown(name, environment)
    settings_class = settings_of(factory)
    if settings_class is None:
        if settings:
            raise AdapterError(f"adapter {name} takes no settings, but got {', '.join(sorted(settings))}")
        adapter = factory()
    else:
        adapter = factory(settings=read_settings(settings_class, settings or {}, environment))
    if not callable(getattr(adapter, "predict", None)):
        raise AdapterError(
            f"adapter {name}: its factory returned {type(adapter).__name__}, which has no predict()"
        )
    return adapter


def find_factory(name: str, adapters: Mapping[str, str] = ADAPTERS) -> Factory:
    """The factory of a registered name or of `module:factory` (the module is found from the working folder
    too).
    """
    path = adapters.get(name, name)
    module_name, separator, attribute = path.partition(":")
    if not separator:
        raise UnknownNameError("adapter", name, adapters)
    if str(Path.cwd()) not in sys.path and name not in adapters:
        sys.path.insert(0, str(Path.cwd()))
    try:
        factory = getattr(import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise AdapterError(f"adapter {name!r} cannot be loaded: {error}") from error
    if not callable(factory):
        raise AdapterError(f"adapter {name!r} is not a factory: {attribute} cannot be called")
    found: Factory = factory
    return found


def settings_of(factory: Factory) -> type[Any] | None:
    """The settings dataclass that a factory is annotated with, None where it takes none."""
    hints = get_type_hints(factory) if hasattr(factory, "__annotations__") else {}
    hint = hints.get("settings")
    options = (hint, *get_args(hint))
    return next((each for each in options if isinstance(each, type) and is_dataclass(each)), None)
