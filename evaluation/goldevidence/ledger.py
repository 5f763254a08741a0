"""Ledger entries: the authoritative lines of an episode log and of a book's state ledger.

The line grammar is the benchmark's format:

    - [U6HEX] UPDATE step=N SET tag.NN = v      in the episode log
    - [U6HEX] step=N SET tag.NN = v             in the state ledger of the book
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

_LOG = re.compile(r"^- \[(U[0-9A-F]{6})\] UPDATE step=(\d+) ([A-Z]+) (tag\.\d{2,})(?: = (.*))?$", re.MULTILINE)
_BOOK = re.compile(r"^- \[(U[0-9A-F]{6})\] step=(\d+) ([A-Z]+) (tag\.\d{2,})(?: = (.*))?$", re.MULTILINE)
LEDGER_HEADING = "## State Ledger"


class Entry(NamedTuple):
    """One ledger line. `value` is None for CLEAR."""

    uid: str
    step: int
    op: str  # SET | CLEAR | NOTE (ADD and REMOVE are read, never written)
    key: str
    value: str | None

    @property
    def authoritative(self) -> bool:
        """Whether the line may change state: a NOTE never does."""
        return self.op != "NOTE"

    def line(self) -> str:
        """The entry as a line of the state ledger."""
        tail = "" if self.value is None else f" = {self.value}"
        return f"- [{self.uid}] step={self.step} {self.op} {self.key}{tail}"


def parse_log(document: str) -> list[Entry]:
    """The UPDATE lines of an episode log, in document order."""
    return _entries(_LOG, document)


def parse_book(book: str) -> list[Entry]:
    """The lines of a book's state ledger, in document order; empty without a ledger section."""
    start = book.find(LEDGER_HEADING)
    return [] if start < 0 else _entries(_BOOK, book[start:])


def _entries(pattern: re.Pattern[str], text: str) -> list[Entry]:
    return [
        Entry(uid, int(step), op, key, None if op == "CLEAR" else value)
        for uid, step, op, key, value in pattern.findall(text)
    ]


Line = Sequence[Any]  # step, op, key, value: an entry without its id, as grading stores it


def log_lines(document: str) -> dict[str, Line]:
    """The UPDATE lines of an episode log by id, without making entries of them; of one id the last."""
    return _lines(_LOG, document)


def book_lines(book: str) -> dict[str, Line]:
    """The lines of a book's state ledger by id; empty without a ledger section."""
    start = book.find(LEDGER_HEADING)
    return {} if start < 0 else _lines(_BOOK, book[start:])


def _lines(pattern: re.Pattern[str], text: str) -> dict[str, Line]:
    return {
        uid: (int(step), op, key, None if op == "CLEAR" else value)
        for uid, step, op, key, value in pattern.findall(text)
    }


def latest(entries: list[Entry], key: str, *, authoritative: bool = True) -> Entry | None:
    """The entry that holds for `key`: greatest step, the later line on a tie."""
    best: Entry | None = None
    for entry in entries:
        if entry.key == key and (entry.authoritative or not authoritative):
            if best is None or entry.step >= best.step:
                best = entry
    return best
