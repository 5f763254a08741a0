"""The names that people choose from: suites, presets, systems, adapters and their settings, prompt sets, strategies,
tracks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def words() -> set[str]:
    """`kind name`, a line each."""
    return {*_of_suites(), *_of_adapters(), *_of_parts()}


def _of_suites() -> Iterator[str]:
    from evaluation.core.suite import SUITES, get_suite

    for name in SUITES:
        suite = get_suite(name)
        yield f"suite {name}"
        yield from (f"{name} preset {preset}" for preset in suite.presets())
        yield from (f"{name} setting {setting}" for setting in _settings(suite.settings.checked({})))
        yield from (f"{name} system {system}" for system in suite.systems())
        yield from (f"{name} figure {column.name}" for column in suite.version({}).columns)


def _settings(values: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """The names of settings, `generator.steps` for those inside another."""
    for name, value in values.items():
        yield f"{before}{name}"
        if isinstance(value, Mapping):
            yield from _settings(value, f"{before}{name}.")


def _of_adapters() -> Iterator[str]:
    from evaluation.adapters import ADAPTERS, STATE_ADAPTERS, find_factory, settings_of
    from evaluation.adapters.settings import json_schema

    for suite, adapters in (("goldevidence", ADAPTERS), ("statebench", STATE_ADAPTERS)):
        for name in adapters:
            yield f"{suite} adapter {name}"
            settings = settings_of(find_factory(name, adapters))
            for setting in json_schema(settings)["properties"] if settings else ():
                yield f"{suite} adapter {name} {setting}"


def _of_parts() -> Iterator[str]:
    from evaluation.goldevidence.adapters.prompts import SETS
    from evaluation.goldevidence.generator.distractors import PROFILES
    from evaluation.goldevidence.generator.modes import MODES
    from evaluation.goldevidence.retrieval import RETRIEVERS
    from evaluation.statebench.adapters.prompts import SETS as STATE_SETS
    from evaluation.statebench.generator.tracks import TRACKS
    from evaluation.statebench.strategies import STRATEGIES

    yield from (f"goldevidence state mode {name}" for name in MODES)
    yield from (f"goldevidence distractor profile {name}" for name in PROFILES)
    yield from (f"goldevidence prompt set {label}" for label in SETS)
    yield from (f"statebench prompt set {label}" for label in STATE_SETS)
    yield from (f"goldevidence retriever {name}" for name in RETRIEVERS)
    yield from (f"statebench track {name}" for name in TRACKS)
    yield from (f"statebench strategy {name}" for name in STRATEGIES)
