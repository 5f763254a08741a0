"""The available suites: the built-in suites, and the suites of installed distributions."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache

from evaluation.core.errors import PluginError, UnknownNameError
from evaluation.core.registry import SUITES_GROUP, Registry, find
from evaluation.core.suite.suite import Suite

log = logging.getLogger(__name__)

#: Reference in the error for a suite that does not inherit from ours.
UPGRADING = "docs/suites.md#upgrading"

SUITES = Registry(
    "suite",
    SUITES_GROUP,
    {
        "goldevidence": "evaluation.goldevidence.suite:SUITE",
        "statebench": "evaluation.statebench.suite:SUITE",
    },
)


@cache
def get_suite(name: str) -> Suite:
    """The suite of this name, always the same object.

    Raises UnknownNameError, or PluginError if the suite of a distribution cannot be loaded or is not a `Suite`.
    """
    suite: object = find("suite", name, SUITES)
    origin = SUITES.origin(name)
    if not isinstance(suite, Suite):
        raise PluginError(
            f"The suite {name!r} of the distribution {origin} does not inherit from evaluation.core.suite.Suite: "
            f"see {UPGRADING}."
        )
    if suite.name != name:
        raise PluginError(
            f"The suite {name!r} of the distribution {origin} calls itself {suite.name!r}: the names must agree."
        )
    return suite


@cache
def usable() -> Mapping[str, Suite]:
    """All suites that can be loaded, by name. Other suites are logged and left out."""
    suites = {}
    for name in SUITES:
        try:
            suites[name] = get_suite(name)
        except PluginError as error:
            log.warning("%s", error)
    return suites


def reload() -> None:
    """Read the installed distributions again, for tests."""
    SUITES.reload()
    get_suite.cache_clear()
    usable.cache_clear()


def faults() -> list[str]:
    """One sentence for each unusable suite of an installed distribution. The sentence names the distribution."""
    found = list(SUITES.faults)
    for name in SUITES:
        try:
            get_suite(name)
        except PluginError as error:
            found.append(str(error))
    return found


def preset_settings(suite: Suite, name: str) -> dict[str, object]:
    """The settings of a preset, or an empty dict if `name` is empty. Raises UnknownNameError."""
    presets = suite.presets()
    if name and name not in presets:
        raise UnknownNameError("preset", name, presets)
    return dict(presets[name].settings) if name else {}
