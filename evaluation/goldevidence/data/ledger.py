"""Parses ledger entries: the lines with an id in an episode log and in a book's state ledger.

The grammar of lines:

    - [U6HEX] UPDATE step=N SET tag.NN = v      in the episode log
    - [U6HEX] step=N SET tag.NN = v             in the state ledger of the book
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

_LOG = re.compile(
    r"^- \[(U[0-9A-F]{6})\] UPDATE step=(\d{1,18}) ([A-Z]+) (tag\.\d{2,})(?: = (.*))?$", re.MULTILINE
)
_BOOK = re.compile(r"^- \[(U[0-9A-F]{6})\] step=(\d{1,18}) ([A-Z]+) (tag\.\d{2,})(?: = (.*))?$", re.MULTILINE)
#: The id of a list item, and an id in brackets: the two places of ids in any wording.
_IDS = re.compile(r"^- \[(U[0-9A-F]{6})\] |\((U[0-9A-F]{6})\)", re.MULTILINE)
AUTHORITATIVE = frozenset({"SET", "CLEAR", "ADD", "REMOVE"})  # the markers that let a line change state
LOG_HEADING = "## Episode Log"
LEDGER_HEADING = "## State Ledger"

Line = Sequence[Any]  # step, op, key, value: an entry without its id
_NOT_SOUGHT: Line = ()
_new = tuple.__new__  # makes an Entry in a third of the time, once per line
Claim = tuple[str, str | None]  # op, value of a line


class Entry(NamedTuple):
    """One ledger line, which sets a key, clears a key (`value` is None) or is a NOTE."""

    uid: str
    step: int
    op: str  # SET | CLEAR | NOTE (ADD and REMOVE are read, never written)
    key: str
    value: str | None

    @property
    def authoritative(self) -> bool:
        """True if the line may change the state. A NOTE may not, nor a line without a marker (UPDATE or NOTE)."""
        return self.op in AUTHORITATIVE

    def line(self) -> str:
        tail = "" if self.value is None else f" = {self.value}"
        return f"- [{self.uid}] step={self.step} {self.op} {self.key}{tail}"


def parse_log(document: str) -> list[Entry]:
    """Return the UPDATE lines of an episode log, in document order."""
    return _entries(_LOG, with_plain_ends(document))


def parse_book(book: str) -> list[Entry]:
    start = book.find(LEDGER_HEADING)
    return [] if start < 0 else _entries(_BOOK, with_plain_ends(book[start:]))


def ids_in(text: str) -> Iterator[str]:
    for listed, bracketed in _IDS.findall(text):
        yield listed or bracketed


def with_plain_ends(text: str) -> str:
    """Convert Windows line ends, so that a text saved by a Windows program is read like the original."""
    return text.replace("\r\n", "\n") if "\r" in text else text


def _entries(pattern: re.Pattern[str], text: str) -> list[Entry]:
    return [
        _new(Entry, (uid, int(step), op, key, None if op == "CLEAR" else value))
        for uid, step, op, key, value in pattern.findall(text)
    ]


class LedgerText:
    """Parses lines only when needed, because grading reads few. If an id occurs twice, its last line counts."""

    def __init__(self, text: str, pattern: re.Pattern[str]) -> None:
        self._text, self._pattern = text, pattern
        self._line_of: dict[str, Line | None] = {}
        self._history: dict[str, list[Claim]] | None = None
        self._noted: set[str] | None = None

    def line(self, uid: str) -> Line | None:
        line = self._line_of.get(uid, _NOT_SOUGHT)
        if line is _NOT_SOUGHT:
            line = self._line_of[uid] = self._search(uid)
        return line

    def history(self, key: str) -> list[Claim]:
        if self._history is None:
            self._history = self._claims()
        return self._history.get(key, [])

    def has_note(self, key: str) -> bool:
        if self._noted is None:  # a value may contain " NOTE ", so the key is read from lines that are NOTEs
            self._noted = set(self._note_keys()) if " NOTE " in self._text else set()
        return key in self._noted

    def entries(self) -> list[Entry]:
        return _entries(self._pattern, self._text)

    def _note_keys(self) -> Iterator[str]:
        """Yield the keys of the NOTEs. Only these lines are parsed, because most ledgers have few NOTEs."""
        text, end = self._text, -1
        while (place := text.find(" NOTE ", end + 1)) >= 0:
            end = text.find("\n", place)
            match = self._pattern.match(text, text.rfind("\n", 0, place) + 1)
            if match and match[3] == "NOTE":
                yield match[4]
            if end < 0:
                return

    def _claims(self) -> dict[str, list[Claim]]:
        claims: dict[str, list[Claim]] = {}
        for _, _, op, key, value in self._pattern.findall(self._text):
            claims.setdefault(key, []).append((op, None if op == "CLEAR" else value))
        return claims

    def _search(self, uid: str) -> Line | None:
        end = len(self._text)
        while (start := self._text.rfind(f"- [{uid}] ", 0, end)) >= 0:
            if match := self._pattern.match(self._text, start):
                found, step, op, key, value = match.groups("")
                if found == uid:
                    return int(step), op, key, None if op == "CLEAR" else value
            end = start
        return None


def log_ledger(document: str) -> LedgerText:
    """Return the UPDATE lines of an episode log; empty if the log has no heading."""
    start = document.find(LOG_HEADING)
    return LedgerText(with_plain_ends(document[start:]) if start >= 0 else "", _LOG)


def book_ledger(book: str) -> LedgerText:
    start = book.find(LEDGER_HEADING)
    return LedgerText(with_plain_ends(book[start:]) if start >= 0 else "", _BOOK)


def ledger_lines(text: str) -> LedgerText:
    return LedgerText(text, _BOOK)


def unclear(lines: Iterable[Line], key: str) -> bool:
    """True if the latest line about `key`, ignoring NOTEs, lacks the word UPDATE or NOTE.

    The missing word may be either, so neither the value of this line nor an earlier value is established.
    """
    latest_op, latest_step = "NOTE", -1
    for step, op, about, _ in lines:
        if about == key and op != "NOTE" and step >= latest_step:
            latest_op, latest_step = op, step
    return latest_op != "NOTE" and latest_op not in AUTHORITATIVE


def latest(entries: list[Entry], key: str, *, authoritative: bool = True) -> Entry | None:
    """Return the latest entry of a key, or None. Of entries with equal steps the later line counts.

    If `authoritative`, only entries that may change the state are considered.
    """
    best: Entry | None = None
    for entry in entries:
        eligible = entry.key == key and (entry.authoritative or not authoritative)
        if eligible and (best is None or entry.step >= best.step):
            best = entry
    return best
