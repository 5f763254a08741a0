"""`model` and `estimate` with what the environment says of their system, and with adapters under the names of ours."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.adapters import adapters_of, our_name
from evaluation.adapters.environment.typed import with_our_names, with_settings
from evaluation.cli.suites import option_value, suite_of
from evaluation.core.terminal.typed import Typed, values_of


def as_meant(typed: Typed, environment: Mapping[str, str]) -> Typed:
    """The words behind the command as they are meant.

    Args:
        typed: As they were typed.
        environment: Where the variables are.

    Raises:
        UnknownNameError: There is no such adapter.
        AdapterError: It cannot be loaded.
    """
    typed = with_our_names(typed)
    names = [our_name(name) for name in values_of(typed.words, "--adapter")]
    registry = adapters_of(suite_of(option_value("--data", typed.words)))
    return with_settings(typed, names, registry, environment)
