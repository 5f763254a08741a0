"""Settings typed as `key=value`."""

from __future__ import annotations

from collections.abc import Iterable

from evaluation.core.errors import SettingsError


def parse_pairs(pairs: Iterable[str]) -> dict[str, str]:
    """Parse `["k=8", "order=shuffle"]` to `{"k": "8", "order": "shuffle"}`. Raises SettingsError without a `=`."""
    values = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator:
            raise SettingsError({_without_value(pair): ["must be written key=value"]})
        values[name.strip()] = value
    return values


def _without_value(pair: str) -> str:
    """Name the pair in an error message, without text that might be a secret."""
    return pair if pair.isidentifier() and len(pair) <= 20 else "--set"
