"""Translate command lines written for the reference implementation, and read settings from the environment."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from evaluation.adapters.environment import reference
from evaluation.adapters.registry import find_factory, our_name, settings_of
from evaluation.adapters.settings import json_schema
from evaluation.core.terminal.typed import Typed, values_of


def with_our_names(typed: Typed, *, implied: bool = True) -> Typed:
    """Replace the reference's adapter names on a command line by ours. `implied`: also set the reference's defaults."""
    for theirs in values_of(typed.words, "--adapter"):
        if theirs not in reference.ADAPTERS:
            continue
        ours = our_name(theirs)
        settings = reference.implied(theirs) if implied else {}
        before = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        typed.words = before + [word.replace(theirs, ours) for word in typed.words]
        typed.hints.append(f"{theirs} is read as {' '.join(['--adapter', ours, *before])}")
    return typed


def with_settings(
    typed: Typed,
    adapters: Iterable[str],
    registry: Mapping[str, str],
    environment: Mapping[str, str] = os.environ,
) -> Typed:
    """Add the variables that set these adapters' settings to `typed`. Raises UnknownNameError or AdapterError."""
    explicit = {pair.partition("=")[0].strip() for pair in values_of(typed.words, "--set")}
    known = [name for adapter in adapters for name in settings_known(adapter, registry)]
    translated = reference.translated(environment)
    for name in dict.fromkeys(known):
        variable = reference.variable_of(name)
        if not (value := translated.get(variable, "")):
            continue
        source = reference.set_by(name, environment)
        typed.take(source, value, ["--set", f"{name}={value}"], typed=name in explicit)
    return typed


def settings_known(adapter: str, registry: Mapping[str, str]) -> list[str]:
    """Names of an adapter's settings. Raises UnknownNameError or AdapterError."""
    settings = settings_of(find_factory(adapter, registry))
    return [] if settings is None else list(json_schema(settings)["properties"])
