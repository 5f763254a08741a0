"""Ledger entries: the authoritative lines of an episode log and of a book's state ledger.

The line grammar is the benchmark's format:

    - [U6HEX] UPDATE step=N SET tag.NN = v      in the episode log
    - [U6HEX] step=N SET tag.NN = v             in the state ledger of the book
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

_LOG = re.compile(
    r"^- \[(U[0-9A-F]{6})\] UPDATE step=(\d{1,18}) ([A-Z]+) (tag\.\d{2,})(?: = (.*))?$", re.MULTILINE
)
_BOOK = re.compile(r"^- \[(U[0-9A-F]{6})\] step=(\d{1,18}) ([A-Z]+) (tag\.\d{2,})(?: = (.*))?$", re.MULTILINE)
_NOTED = re.compile(r" NOTE (tag\.\d{2,})")
AUTHORITATIVE = frozenset({"SET", "CLEAR", "ADD", "REMOVE"})  # the markers that let a line change state
LOG_HEADING = "## Episode Log"
LEDGER_HEADING = "## State Ledger"

Line = Sequence[Any]  # step, op, key, value: an entry without its id
Claim = tuple[str, str | None]  # op, value: what a line says of its key


class Entry(NamedTuple):
    """One ledger line. `value` is None for CLEAR."""

    uid: str
    step: int
    op: str  # SET | CLEAR | NOTE (ADD and REMOVE are read, never written)
    key: str
    value: str | None

    @property
    def authoritative(self) -> bool:
        """Whether the line may change state: not a NOTE, nor a line without a marker."""
        return self.op in AUTHORITATIVE

    def line(self) -> str:
        """The entry as a line of the state ledger."""
        tail = "" if self.value is None else f" = {self.value}"
        return f"- [{self.uid}] step={self.step} {self.op} {self.key}{tail}"


def parse_log(document: str) -> list[Entry]:
    """The UPDATE lines of an episode log, in document order."""
    return _entries(_LOG, _unix(document))


def parse_book(book: str) -> list[Entry]:
    """The lines of a book's state ledger, in document order; empty without a ledger section."""
    start = book.find(LEDGER_HEADING)
    return [] if start < 0 else _entries(_BOOK, _unix(book[start:]))


def _unix(text: str) -> str:
    """The text with plain line ends: a file that went through Windows says the same as before."""
    return text.replace("\r\n", "\n") if "\r" in text else text


def _entries(pattern: re.Pattern[str], text: str) -> list[Entry]:
    return [
        Entry(uid, int(step), op, key, None if op == "CLEAR" else value)
        for uid, step, op, key, value in pattern.findall(text)
    ]


class LedgerText:
    """A ledger whose lines are found in its text when they are asked for; of several with one id the last.

    Grading a right answer looks up one line in two hundred.
    """

    def __init__(self, text: str, pattern: re.Pattern[str]) -> None:
        self._text, self._pattern = text, pattern
        self._found: dict[str, Line | None] = {}
        self._history: dict[str, list[Claim]] | None = None
        self._noted: set[str] | None = None

    def line(self, uid: str) -> Line | None:
        """The line of an id, None where there is none."""
        if uid not in self._found:
            self._found[uid] = self._search(uid)
        return self._found[uid]

    def history(self, key: str) -> list[Claim]:
        """What the lines about one key say, in the order of the text."""
        if self._history is None:
            self._history = self._claims()
        return self._history.get(key, [])

    def has_note(self, key: str) -> bool:
        """Whether a NOTE about one key is among the lines."""
        if self._noted is None:  # most often there is none, and this says so without reading the lines
            self._noted = set(_NOTED.findall(self._text))
        return key in self._noted and any(op == "NOTE" for op, _ in self.history(key))

    def entries(self) -> list[Entry]:
        """Every line."""
        return _entries(self._pattern, self._text)

    def _claims(self) -> dict[str, list[Claim]]:
        """What the lines say, by key: reading all at once costs what searching for the lines of six keys does."""
        claims: dict[str, list[Claim]] = {}
        for _, _, op, key, value in self._pattern.findall(self._text):
            claims.setdefault(key, []).append((op, None if op == "CLEAR" else value))
        return claims

    def _search(self, uid: str) -> Line | None:
        end = len(self._text)
        while (start := self._text.rfind(f"- [{uid}] ", 0, end)) >= 0:
            match = self._pattern.match(self._text, start)
            if match and match[1] == uid:
                _, step, op, key, value = match.groups("")
                return int(step), op, key, None if op == "CLEAR" else value
            end = start
        return None


def log_ledger(document: str) -> LedgerText:
    """The UPDATE lines of an episode log; none without the log's heading."""
    start = document.find(LOG_HEADING)
    return LedgerText(_unix(document[start:]) if start >= 0 else "", _LOG)


def book_ledger(book: str) -> LedgerText:
    """The lines of a book's state ledger; none without a ledger section."""
    start = book.find(LEDGER_HEADING)
    return LedgerText(_unix(book[start:]) if start >= 0 else "", _BOOK)


def ledger_lines(text: str) -> LedgerText:
    """Lines of a state ledger without a book around them."""
    return LedgerText(text, _BOOK)


def unclear(lines: Iterable[Line], key: str) -> bool:
    """Whether these lines leave open who has authority over a key: the latest one that is no NOTE has no marker.

    It may have been an UPDATE or a NOTE, and nobody who sees no more than these lines can tell. So they establish
    neither its value nor an earlier one.
    """
    latest_op, latest_step = "NOTE", -1
    for step, op, about, _ in lines:
        if about == key and op != "NOTE" and step >= latest_step:
            latest_op, latest_step = op, step
    return latest_op != "NOTE" and latest_op not in AUTHORITATIVE


def latest(entries: list[Entry], key: str, *, authoritative: bool = True) -> Entry | None:
    """The entry that holds for `key`: greatest step, the later line on a tie."""
    best: Entry | None = None
    for entry in entries:
        eligible = entry.key == key and (entry.authoritative or not authoritative)
        if eligible and (best is None or entry.step >= best.step):
            best = entry
    return best
