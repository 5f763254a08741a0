"""Compare what a site shows now with its record. Additions are fine; what was recorded must stay."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

from tests.installations.reading import COLUMNS

Record = dict[str, Any]
TOLERANCE = 1e-9


def differences(recorded: Any, current: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """(place, change) of everything recorded that is missing or different."""
    if isinstance(recorded, dict) and isinstance(current, dict):
        if COLUMNS in recorded and COLUMNS in current:
            recorded, current = by_column(recorded), by_column(current)
        for name, value in recorded.items():
            path = f"{at}/{name}" if at else str(name)
            if name in current:
                yield from differences(value, current[name], path)
            else:
                yield path, "is gone"
    elif isinstance(recorded, list) and isinstance(current, list) and len(recorded) == len(current):
        for number, pair in enumerate(zip(recorded, current, strict=True)):
            yield from differences(*pair, f"{at}/{number}")
    elif not same(recorded, current):
        yield at, f"was {recorded!r} and is {current!r}"


def same(recorded: Any, current: Any) -> bool:
    """Whether two values are equal, numbers to within `TOLERANCE`. "Not reported" is not a number."""
    if _is_number(recorded) and _is_number(current):
        return math.isclose(recorded, current, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(recorded == current) and isinstance(current, bool) == isinstance(recorded, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def by_column(table: Record) -> Record:
    """A table with its rows as dicts by column, so that a further column moves nothing."""
    columns = table[COLUMNS]
    return {key: dict(zip(columns, values, strict=True)) for key, values in table.items() if key != COLUMNS}


def joined(before: Record, changed: Record) -> Record:
    """The later record: the earlier one, with the differing things in their places."""
    return {
        section: item
        | {
            key: item[key] | value if COLUMNS in (item.get(key) or ()) else value
            for key, value in changed[section].items()
        }
        for section, item in before.items()
    }


def called(record: Any, names: Mapping[str, str]) -> Any:
    """A record with accounts renamed: as owners, and in the addresses of systems."""
    if isinstance(record, dict):
        return {called(key, names): called(value, names) for key, value in record.items()}
    if isinstance(record, list):
        return [called(value, names) for value in record]
    if not isinstance(record, str):
        return record
    owner, slash, rest = record.partition("/")
    return f"{names.get(owner, owner)}{slash}{rest}"


def unexcused(current: list[tuple[str, str]], on_purpose: Mapping[str, str]) -> list[str]:
    """The differences that match no pattern, in words."""
    return [f"{at} {what}" for at, what in current if not any(_excuses(one, at, what) for one in on_purpose)]


def idle(current: list[tuple[str, str]], on_purpose: Mapping[str, str]) -> list[str]:
    """The patterns that match no difference."""
    return [one for one in on_purpose if not any(_excuses(one, at, what) for at, what in current)]


def _excuses(pattern: str, at: str, what: str) -> bool:
    """Whether a pattern matches this place, or this place and its change (`… was * and is None`)."""
    return fnmatchcase(at, pattern) or fnmatchcase(f"{at} {what}", pattern)
