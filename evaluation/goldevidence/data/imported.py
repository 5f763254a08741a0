"""The units of a data set that exists already. A row that cannot be used is named by its number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from evaluation.core.errors import FORM_FAULTS, RowError, in_row
from evaluation.core.suite import Item, Row
from evaluation.goldevidence.data import book
from evaluation.goldevidence.data.ledger import ledger_lines

#: Makes an item of a unit's key and rows.
Build = Callable[[str, Sequence[Row]], Item]
Numbered = tuple[int, Row]
FAULTS = (RowError, *FORM_FAULTS)


def units(rows: Iterable[Row], build: Build) -> Iterator[Item]:
    """The items of rows with gold, whose units follow each other.

    Raises RowError, whose `line` is the number of the wrong row among `rows`, from 1.
    """
    seen: set[str] = set()
    for key, group in groupby(_checked(rows), lambda numbered: unit_of(numbered[1])):
        numbered = list(group)
        if key in seen:
            raise RowError(f"the rows of episode {key!r} do not follow each other", line=numbered[0][0])
        seen.add(key)
        yield _built(key, numbered, build)


def unit_of(row: Row) -> str:
    """The unit that a row belongs to: its twin group, else its episode, else itself."""
    meta = row.get("meta") or {}
    return str(meta.get("twin_group") or row.get("episode_id") or row.get("id"))


def _checked(rows: Iterable[Row]) -> Iterator[Numbered]:
    """(number from 1, row). What one row shows by itself is checked before its unit is read to the end."""
    first_of: dict[str, int] = {}
    for number, row in enumerate(rows, 1):
        if reason := _unusable(row):
            raise RowError(reason, line=number)
        first = first_of.setdefault(row["id"], number)
        if first != number:
            raise RowError(f"two rows are called {row['id']!r}", line=number)
        yield number, row


def _unusable(row: Any) -> str | None:
    """Why a row cannot be asked and graded; None where its fields have the right types."""
    if not isinstance(row.get("id"), str):
        return "the row has no usable 'id': it must be a text"
    for name, kind, wanted in (
        ("question", str, "a text"),
        ("gold", dict, "an object"),
        ("meta", dict, "an object"),
    ):
        if not isinstance(row.get(name), kind):
            return f"row {row['id']!r} has no usable {name!r}: it must be {wanted}"
    if isinstance(text := row.get("book"), str) and text and (fault := _fault_of_book(text)):
        return f"row {row['id']!r} has a book that is not valid: {fault}"
    return None


@lru_cache(maxsize=4)
def _fault_of_book(text: str) -> str:
    """What is wrong with a book first; empty where nothing is. Rows of an episode repeat theirs.

    A ledger line that can be read is let pass: the reference writes SETs of nothing.
    """
    lines = text.splitlines()
    for found in book.validate(text):
        if found.code != "invalid_ledger_line" or not ledger_lines(lines[(found.line or 1) - 1]).entries():
            return f"line {found.line}: {found.message}"
    return ""


def _built(key: str, numbered: Sequence[Numbered], build: Build) -> Item:
    """The item of a unit. Where that fails, its rows are tried one by one to find the wrong one."""
    try:
        return build(key, [row for _, row in numbered])
    except FAULTS as whole:
        number, fault = next(_faults(key, numbered, build), (numbered[0][0], whole))
        raise in_row(fault, number) from fault


def _faults(key: str, numbered: Sequence[Numbered], build: Build) -> Iterator[tuple[int, Exception]]:
    for number, row in numbered:
        try:
            build(key, [row])
        except FAULTS as fault:
            yield number, fault
