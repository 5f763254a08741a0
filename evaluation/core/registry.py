"""A registry: a dict of name -> `module:attribute`, extended by entry points. Modules are imported on lookup."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from typing import Any, NamedTuple

from evaluation.core.errors import PluginError, UnknownNameError

log = logging.getLogger(__name__)

DISTRIBUTION = "goldevidencebench"  # ours: its entries are in the source, not in metadata
SUITES_GROUP, ADAPTERS_GROUP = f"{DISTRIBUTION}.suites", f"{DISTRIBUTION}.adapters"
#: A name becomes part of URLs, template folders and a database column of 40 characters.
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PATH = re.compile(r"[\w.]+:[\w.]+")


class Found(NamedTuple):
    """An entry point of an installed distribution."""

    name: str
    path: str  # `module:attribute`
    distribution: str  # with its version: "toy-suite 1.0"


@cache
def entry_points(group: str) -> tuple[Found, ...]:
    """Find the entry points of a group in all installed distributions except `DISTRIBUTION`. The result is cached."""
    from importlib import metadata

    found: dict[str, list[Found]] = {}
    for distribution in metadata.distributions():
        try:
            points = [point for point in distribution.entry_points if point.group == group]
            name = distribution.metadata["Name"] if points else ""
        except Exception as error:
            # one broken distribution must not hide the plugins of all others
            log.warning("the entry points of %r cannot be read: %r", distribution, error)
            continue
        # of two distributions with one name the first on the path is in use
        if name and name.lower() != DISTRIBUTION and name not in found:
            where = f"{name} {distribution.version}"
            found[name] = [Found(point.name, point.value.replace(" ", ""), where) for point in points]
    return tuple(point for name in sorted(found) for point in found[name])


class Registry(Mapping[str, str]):
    """name -> `module:attribute`: built-in names in order, then usable entry points by name."""

    def __init__(self, kind: str, group: str, built_in: Mapping[str, str], *, prefix: str = "") -> None:
        """Combine the `built_in` names with the installed entry points of `group`.

        If `prefix` is given, only entry points whose names start with it are used, without the prefix. Entry points are
        read on first use. `kind` is a noun for error messages.
        """
        self.kind, self.group, self.built_in, self._prefix = kind, group, built_in, prefix

    @cached_property
    def _read(self) -> tuple[dict[str, Found], dict[str, str]]:
        """(usable entry points, faults of unusable entry points), both by name. Logs each fault once."""
        offered = [
            point._replace(name=point.name.removeprefix(self._prefix))
            for point in entry_points(self.group)
            if point.name.startswith(self._prefix)
        ]
        faults = dict(self._faults(offered))
        for fault in faults.values():
            log.warning("%s", fault)
        usable = {point.name: point for point in offered if point.name not in faults}
        return dict(sorted(usable.items())), faults

    def _faults(self, offered: Iterable[Found]) -> Iterator[tuple[str, str]]:
        seen: dict[str, str] = {}
        for point in offered:
            where = point.distribution
            what = f"The {self.kind} {point.name!r} of the distribution {where} is not used"
            if point.name in self.built_in:
                yield f"{point.name} ({where})", f"{what}: the name belongs to {DISTRIBUTION}."
            elif not _NAME.fullmatch(point.name):
                yield (
                    point.name,
                    f"{what}: a name must start with a lowercase letter, followed by lowercase letters, digits and _.",
                )
            elif not _PATH.fullmatch(point.path):
                yield point.name, f"{what}: {point.path!r} is not of the form module:attribute."
            elif other := seen.get(point.name):
                yield point.name, f"{what}: {other} uses the same name. Uninstall one of the two."
            seen[point.name] = where

    @property
    def faults(self) -> list[str]:
        """A sentence for each unusable entry point."""
        return list(self._read[1].values())

    def fault(self, name: str) -> str:
        """Explain why the entry point of this name is unusable. Returns "" if it is usable or missing."""
        return self._read[1].get(name, "")

    def origin(self, name: str) -> str:
        return "" if name in self.built_in else self._read[0][name].distribution

    def reload(self) -> None:
        """Forget the entry points that were read, so that tests can read them again."""
        entry_points.cache_clear()
        self.__dict__.pop("_read", None)

    def __getitem__(self, name: str) -> str:
        if name in self.built_in:
            return self.built_in[name]
        return self._read[0][name].path

    def __iter__(self) -> Iterator[str]:
        yield from self.built_in
        yield from (name for name in self._read[0] if name not in self.built_in)

    def __len__(self) -> int:
        return len(list(iter(self)))


def find(kind: str, name: str, registry: Mapping[str, str]) -> Any:
    """Import the attribute that is registered under a name. `kind` is a noun for error messages.

    Raises UnknownNameError, or PluginError if an entry point is unusable.
    """
    if name not in registry:
        if isinstance(registry, Registry) and (fault := registry.fault(name)):
            raise PluginError(fault)
        raise UnknownNameError(kind, name, registry)
    module, _, attribute = registry[name].partition(":")
    if not isinstance(registry, Registry) or not registry.origin(name):
        return getattr(import_module(module), attribute)
    return _load_entry_point(kind, name, registry)


def _load_entry_point(kind: str, name: str, registry: Registry) -> Any:
    """Load third-party code. Any exception it raises becomes a PluginError."""
    module, _, attribute = registry[name].partition(":")
    try:
        found: Any = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:
        why = f"{type(error).__name__}: {error}"
        raise PluginError(
            f"The {kind} {name!r} of the distribution {registry.origin(name)} cannot be loaded ({why})."
        ) from error
    return found
