"""Adapters: the systems under test behind one interface (`base`), and the registries that name them.

from evaluation.adapters import load_adapter
adapter = load_adapter("llama_cpp", {"model": "qwen.gguf"})
adapter.predict(row, protocol="closed_book")      # {"value": "teal-7629", "support_ids": ["UE75690"]}
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from evaluation.adapters.base import Adapter
from evaluation.adapters.environment import reference, refuse_unknown
from evaluation.adapters.registry import (
    ADAPTERS,
    BUILT_IN,
    STATE_ADAPTERS,
    Factory,
    adapters_of,
    added,
    faults,
    find_factory,
    names,
    our_name,
    settings_of,
    trained_files,
)
from evaluation.core.errors import AdapterError

__all__ = [
    "ADAPTERS",
    "BUILT_IN",
    "STATE_ADAPTERS",
    "Factory",
    "adapters_of",
    "added",
    "faults",
    "find_factory",
    "load_adapter",
    "names",
    "our_name",
    "settings_of",
    "trained_files",
]


def load_adapter(
    name: str,
    settings: Mapping[str, object] | None = None,
    adapters: Mapping[str, str] = ADAPTERS,
    *,
    environment: Mapping[str, str] = os.environ,
) -> Adapter:
    """Build an adapter.

    Args:
        name: A registered name, or a `module:factory` path of your own.
        settings: Values for the factory's settings class; must be empty if the factory takes no `settings`.
        adapters: The registry: name -> `module:factory`.
        environment: Its `GOLDEVIDENCEBENCH_…` variables fill the fields that `settings` leaves out.

    Raises:
        UnknownNameError: The registry has no adapter of this name.
        UnknownVariableError: A variable with our prefix is set, but nothing reads it.
        SettingsError: A setting is unknown or does not validate.
        AdapterError: The factory cannot be loaded or takes no settings, or its result has no `predict`.
    """
    # imports pydantic, which is slow
    from evaluation.adapters.settings import read_settings

    settings = reference.implied(name, environment) | dict(settings or {})
    name = our_name(name)
    factory = find_factory(name, adapters)
    refuse_unknown(name, environment)
    settings_class = settings_of(factory)
    if settings_class is None:
        if settings:
            raise AdapterError(f"adapter {name} takes no settings, but got {', '.join(sorted(settings))}")
        adapter = factory()
    else:
        adapter = factory(settings=read_settings(settings_class, settings, environment))
    if not callable(getattr(adapter, "predict", None)):
        raise AdapterError(
            f"adapter {name}: its factory returned {type(adapter).__name__}, which has no predict()"
        )
    return adapter
