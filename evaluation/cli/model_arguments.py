"""Command line of `model` and `estimate`: names from the reference implementation, settings from the environment."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.adapters import adapters_of, our_name
from evaluation.adapters.environment.typed import with_our_names, with_settings
from evaluation.cli.suites import option_value, suite_of
from evaluation.core.terminal.typed import Typed, values_of


def translate_arguments(typed: Typed, environment: Mapping[str, str]) -> Typed:
    """Replace the reference's adapter names by ours, and record which settings the environment provides.

    Raises UnknownNameError or AdapterError if the adapter is unknown.
    """
    typed = with_our_names(typed)
    names = [our_name(name) for name in values_of(typed.words, "--adapter")]
    registry = adapters_of(suite_of(option_value("--data", typed.words)))
    return with_settings(typed, names, registry, environment)
