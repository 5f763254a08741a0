"""Settings typed as `key=value`."""

from __future__ import annotations

from collections.abc import Iterable

from evaluation.core.errors import SettingsError


def parse_pairs(pairs: Iterable[str]) -> dict[str, str]:
    """`["k=8", "order=shuffle"]` as a dict. Raises SettingsError for a text without `=`."""
    values = {}
    for pair in pairs:
        name, separator, value = pair.partition("=")
        if not separator:
            raise SettingsError({_without_value(pair): ["must be written key=value"]})
        values[name.strip()] = value
    return values


def _without_value(pair: str) -> str:
    """Name for a text without `=` in a message; `--set` for long ones, which may be secrets."""
    return pair if pair.isidentifier() and len(pair) <= 20 else "--set"
