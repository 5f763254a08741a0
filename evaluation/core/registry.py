"""A registry: one visible dict of name -> `module:attribute`, imported only when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from evaluation.core.errors import UnknownNameError


def find(kind: str, name: str, registry: Mapping[str, str]) -> Any:
    """What a registry has under a name. `kind` says what it holds, for the error.

    Raises UnknownNameError naming the nearest match.
    """
    if name not in registry:
        raise UnknownNameError(kind, name, registry)
    module, _, attribute = registry[name].partition(":")
    return getattr(import_module(module), attribute)
