"""The suites that there are: ours, and those that installed distributions add."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache

from evaluation.core.errors import PluginError
from evaluation.core.registry import SUITES_GROUP, Registry, find
from evaluation.core.suite.suite import Suite

log = logging.getLogger(__name__)

#: What a suite of another distribution is told that inherits from nothing of ours.
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
    """The suite of that name.

    Args:
        name: Ours, or what an installed distribution calls its own.

    Returns:
        Its object, always the same.

    Raises:
        UnknownNameError: Nobody has that name. It names the nearest match.
        PluginError: A distribution has it, and it cannot be used: it cannot be loaded, or is no suite.
    """
    suite: object = find("suite", name, SUITES)
    origin = SUITES.origin(name)
    if not isinstance(suite, Suite):
        raise PluginError(
            f"The suite {name!r} of the distribution {origin} does not inherit from evaluation.core.suite.Suite: "
            f"{UPGRADING} says how it can."
        )
    if suite.name != name:
        raise PluginError(
            f"The suite {name!r} of the distribution {origin} is none: it calls itself {suite.name!r}."
        )
    return suite


@cache
def usable() -> Mapping[str, Suite]:
    """Every suite that can be loaded, by name. A fault of one is logged, and no reason to do without the others."""
    suites = {}
    for name in SUITES:
        try:
            suites[name] = get_suite(name)
        except PluginError as error:
            log.warning("%s", error)
    return suites


def reload() -> None:
    """Read again what is installed, for tests."""
    SUITES.reload()
    get_suite.cache_clear()
    usable.cache_clear()


def faults() -> list[str]:
    """What is wrong with what distributions add: a sentence each, which names the distribution."""
    found = list(SUITES.faults)
    for name in SUITES:
        try:
            get_suite(name)
        except PluginError as error:
            found.append(str(error))
    return found
