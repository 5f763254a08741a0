"""Splits the rows of an imported data set into units. Errors name an unusable row by its number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from evaluation.core.errors import FORM_FAULTS, RowError, in_row
from evaluation.core.suite import Item
from evaluation.goldevidence.data import book
from evaluation.goldevidence.data.ledger import ledger_lines
from evaluation.goldevidence.records import EpisodeRow

#: Makes an item from a unit's key and rows.
Build = Callable[[str, Sequence[EpisodeRow]], Item]
Numbered = tuple[int, EpisodeRow]
FAULTS = (RowError, *FORM_FAULTS)


def units(rows: Iterable[EpisodeRow], build: Build) -> Iterator[Item]:
    """Yield `build(key, rows)` for each unit (an episode with its twin), whose rows must be adjacent.

    Raises RowError with the row's number, from 1.
    """
    seen: set[str] = set()
    for key, group in groupby(_checked(rows), lambda numbered: unit_of(numbered[1])):
        numbered = list(group)
        if key in seen:
            raise RowError(f"the rows of episode {key!r} are not adjacent", line=numbered[0][0])
        seen.add(key)
        yield _built(key, numbered, build)


def unit_of(row: EpisodeRow) -> str:
    """Return the unit of a row: its twin group, else its instruction group, ladder group, episode or row id."""
    meta = row.get("meta") or {}
    group = meta.get("twin_group") or meta.get("instruction_group") or meta.get("ladder_group")
    return str(group or row.get("episode_id") or row.get("id"))


def _checked(rows: Iterable[EpisodeRow]) -> Iterator[Numbered]:
    first_of: dict[str, int] = {}
    # A row's own faults are reported before its unit is read to the end.
    for number, row in enumerate(rows, 1):
        if reason := _unusable(row):
            raise RowError(reason, line=number)
        first = first_of.setdefault(row["id"], number)
        if first != number:
            raise RowError(f"duplicate row id {row['id']!r} (first in row {first})", line=number)
        yield number, row


def _unusable(row: Any) -> str | None:
    """Return why a row cannot be used as a question with gold, or None if its fields have the right types."""
    if not isinstance(row.get("id"), str):
        return "the row has no usable 'id': it must be a text"
    for name, kind, expected in (
        ("question", str, "a text"),
        ("gold", dict, "an object"),
        ("meta", dict, "an object"),
    ):
        if not isinstance(row.get(name), kind):
            return f"row {row['id']!r} has no usable {name!r}: it must be {expected}"
    if isinstance(text := row.get("book"), str) and text and (fault := _fault_of_book(text)):
        return f"row {row['id']!r} has a book that is not valid: {fault}"
    return None


@lru_cache(maxsize=4)
def _fault_of_book(text: str) -> str:
    """Return the first problem of a book, or an empty text. Cached, because rows of an episode repeat a book."""
    lines = text.splitlines()
    # A ledger line that can be read is accepted: the reference writes SETs without a value.
    for problem in book.validate(text):
        if (
            problem.code != "invalid_ledger_line"
            or not ledger_lines(lines[(problem.line or 1) - 1]).entries()
        ):
            return f"line {problem.line}: {problem.message}"
    return ""


def _built(key: str, numbered: Sequence[Numbered], build: Build) -> Item:
    try:
        return build(key, [row for _, row in numbered])
    except FAULTS as whole:
        # Try the rows one by one to name the faulty one.
        number, fault = next(_faults(key, numbered, build), (numbered[0][0], whole))
        raise in_row(fault, number) from fault


def _faults(key: str, numbered: Sequence[Numbered], build: Build) -> Iterator[tuple[int, Exception]]:
    for number, row in numbered:
        try:
            build(key, [row])
        except FAULTS as fault:
            yield number, fault
