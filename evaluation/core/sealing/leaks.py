"""Whether a public file tells without its text: run over the lines of every sealed version before it is frozen.

Four things are looked at, all of them exactly, so that there is no false alarm:

- ids are keyed hashes, and the lines stand in their order;
- beside its text a row says only what the suite lets it say (`Suite.overtold`), and what the site adds is constant;
- no line holds a drawn seed or the key, and no metadata the name of a condition;
- lines of rows that show the same kinds of things have one length: shorter ones are filled with spaces (`padded`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.sealing import keyed_ids
from evaluation.core.suite import LARGEST_THOUGHT_OF, Row, Settings, Suite

Form = tuple[str, ...]
SAME_ID = "its id is that of the line before, by chance: freeze the preset anew, under another key"


class LeakError(BenchmarkError):
    """A public file gives away what it must not; the text says what, and in which line."""


def form(row: Mapping[str, Any]) -> Form:
    """The kinds of things that a row shows: lines of one form have one length."""
    return tuple(sorted(row))


def padded(line: bytes, length: int) -> bytes:
    """A line of JSON filled up with spaces, which a reader of JSON passes over."""
    return line.ljust(length)


class LeakCheck:
    """Looks at one line after the other. `extra` are fields that the site adds: the same in each row."""

    def __init__(self, suite: Suite, settings: Settings, extra: Mapping[str, Any]) -> None:
        self._suite, self._extra = suite, dict(extra)
        secrets = suite.withheld(settings)
        self._hidden = [text.encode() for text in secrets if _is_drawn(text)]
        names = "|".join(
            re.escape(text) for text in secrets if text and not _is_drawn(text) and not text.isdecimal()
        )
        self._name = re.compile(rf"(?<![A-Za-z0-9])(?:{names})(?![A-Za-z0-9])") if names else None
        self._last_id = ""
        self._lengths: dict[Form, int] = {}
        self._number = 0

    def line(self, line: bytes) -> None:
        """Look at the next line. Raises LeakError."""
        self._number += 1
        row: Row = jsonl.parse(line)
        for problem in (*self._in_id(row), *self._in_fields(row), *self._in_length(line, row)):
            raise LeakError(f"line {self._number:,} of the public rows tells more than its text: {problem}")
        if any(secret in line for secret in self._hidden):
            raise LeakError(f"line {self._number:,} of the public rows holds a seed or the key")

    def _in_id(self, row: Row) -> Iterable[str]:
        found = row.get("id")
        if not keyed_ids.is_keyed(found):
            yield f"its id {str(found)[:40]!r} is no keyed one"
        elif str(found) <= self._last_id:
            yield SAME_ID if str(found) == self._last_id else "the lines are not in the order of their ids"
        self._last_id = str(found)

    def _in_fields(self, row: Row) -> Iterable[str]:
        own = {name: value for name, value in row.items() if name not in self._extra}
        if {name: row.get(name) for name in self._extra} != self._extra:
            yield f"{', '.join(self._extra)} is not that of the version"
        yield from self._suite.overtold(own)
        about = jsonl.dumps(
            {name: value for name, value in own.items() if name not in self._suite.texts}
        ).decode()
        if self._name and (told := self._name.search(about)):
            yield f"{told[0]!r}, the name of a part of the rows, stands beside its text"

    def _in_length(self, line: bytes, row: Row) -> Iterable[str]:
        if self._lengths.setdefault(form(row), len(line)) != len(line):
            yield "its length differs from that of other lines"


def _is_drawn(text: str) -> bool:
    """Whether a secret is so long that it stands in no row by chance."""
    return keyed_ids.is_key(text) or (text.isdecimal() and int(text) >= LARGEST_THOUGHT_OF)
