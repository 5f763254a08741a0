"""The environment variables of this benchmark. If a variable is set but nothing reads it, that is an error.

The reference implementation uses the same prefix (`environment.reference`). Its variables are read if one of our
settings has the same meaning. A variable without such a setting is an error, as the system would not run as intended.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping

from evaluation.adapters.environment.reference import INSTEAD, PREFIX, SAME, SETTINGS, concerns, translated
from evaluation.core.errors import BenchmarkError

__all__ = ["OURS", "PREFIX", "UnknownVariableError", "refuse_unknown", "register", "set_variables", "unread"]

#: Variables outside of settings: site and token, key of a model server, model of the dense retriever.
OURS = frozenset({"URL", "TOKEN", "API_KEY", "EMBEDDING_MODEL"})
_registered: set[str] = set()


class UnknownVariableError(BenchmarkError):
    """Environment variables with our prefix are set, but nothing reads them."""


def register(*names: str) -> None:
    """Declare variables that your own adapter reads, with or without the prefix: `register("MY_CACHE")`."""
    _registered.update(name.upper().removeprefix(PREFIX) for name in names)


def refuse_unknown(
    adapter: str = "", environment: Mapping[str, str] = os.environ, *, reads_settings: bool = True
) -> None:
    """Raise UnknownVariableError if variables with our prefix are set that nothing reads.

    `adapter`: name of the adapter that will run. Variables that only other adapters read are not an error.
    `reads_settings`: if False, no adapter settings are read from the environment, and their variables are an error.
    """
    variables = set_variables(translated(environment) if reads_settings else environment)
    # the usual case: importing the adapters below takes time
    if not variables - OURS:
        return
    settings = _names_of_adapters(adapter)
    # of the reference's other adapters: harmless here
    elsewhere = {name for name in INSTEAD if not concerns(name, adapter)}
    known = OURS | _registered | (settings | elsewhere if reads_settings else frozenset())
    if unknown := sorted(variables - known):
        hints = (_hint(name, settings, known) for name in unknown)
        lines = (f"  {hint} Then: unset {PREFIX}{name}" for hint, name in zip(hints, unknown, strict=True))
        raise UnknownVariableError("\n".join([_heading(unknown), *lines]))


def unread(environment: Mapping[str, str]) -> list[str]:
    """Full names of set variables with our prefix that nothing reads, except those set to our default (`SAME`)."""
    strange = set_variables(environment) - OURS - _registered
    return [PREFIX + name for name in sorted(strange) if environment[PREFIX + name] != SAME.get(name)]


def set_variables(environment: Mapping[str, str] = os.environ) -> set[str]:
    """Names, without our prefix, of the variables that have our prefix and a value that is not empty."""
    return {
        name.removeprefix(PREFIX) for name in environment if name.startswith(PREFIX) and environment[name]
    }


def _names_of_adapters(chosen: str) -> frozenset[str]:
    from evaluation.adapters.registry import BUILT_IN, added, find_factory, settings_of
    from evaluation.adapters.settings import json_schema

    ours = [factory for adapters in BUILT_IN.values() for factory in adapters.values()]
    factories = [*ours, *added().values(), *([chosen] if ":" in chosen else [])]
    classes = (settings_of(find_factory(factory)) for factory in factories)
    return frozenset(
        name.upper() for cls in classes if cls is not None for name in json_schema(cls)["properties"]
    )


def _heading(unknown: Iterable[str]) -> str:
    names = ", ".join(PREFIX + name for name in unknown)
    return f"{names}: set in the environment but not read here. The system would run with other settings than intended."


def _hint(name: str, settings: Iterable[str], known: Iterable[str]) -> str:
    if (setting := SETTINGS.get(name, name.lower())).upper() in settings and name not in INSTEAD:
        return f"Use --set {setting}=…: settings are not taken from the environment here."
    if name in INSTEAD:
        return f"Instead: {INSTEAD[name]}."
    near = difflib.get_close_matches(name, sorted({*known, *SETTINGS, *INSTEAD}), n=1)
    return f"Did you mean {PREFIX}{near[0]}?" if near else "No variable has a similar name."
