"""Reads the lines that a row shows to a system. An answer may cite only these lines."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Any, Protocol

from evaluation.core.errors import RowError
from evaluation.core.records import JsonObject
from evaluation.goldevidence.data.deeds import DeedLedger, deeds_in_book, deeds_in_log
from evaluation.goldevidence.data.families import is_of_family
from evaluation.goldevidence.data.ledger import (
    Claim,
    Entry,
    LedgerText,
    Line,
    book_ledger,
    ids_in,
    ledger_lines,
    log_ledger,
    parse_book,
    parse_log,
)
from evaluation.goldevidence.data.rubrics import Rubric
from evaluation.goldevidence.records import EpisodeRow

_FIELDS = frozenset(Entry._fields)
_TYPES = frozenset({(str, int, str, str, str), (str, int, str, str, type(None))})
_fields = itemgetter(*Entry._fields)
_OfText = Callable[[str], LedgerText]
#: Readers of ledger lines, a book, a log. Rows of a family have more forms of lines.
_LEDGERS: tuple[_OfText, _OfText, _OfText] = (ledger_lines, book_ledger, log_ledger)
_DEEDS: tuple[_OfText, _OfText, _OfText] = (DeedLedger, deeds_in_book, deeds_in_log)
_LINE = re.compile(r"^- \[(U[0-9A-F]{6})\] ", re.MULTILINE)  # a frozen ledger holds nothing else


class Shown(Protocol):
    """The lines that a row shows. A line is (step, op, key, value)."""

    def line(self, uid: str) -> Line | None:
        """Return the line with this id; None if it was not shown."""

    def history(self, key: str) -> list[Claim]:
        """Return the claims about one key, as (op, value), in the order shown."""

    def has_note(self, key: str) -> bool:
        """True if a NOTE about the key is shown."""

    def entries(self) -> list[Entry]:
        """Return every line, in the order shown."""


class Held:
    """The ids that a row shows, as a set. Each id is looked up on request, because parsing a whole ledger is slow."""

    __slots__ = ("_shown",)

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def __contains__(self, uid: object) -> bool:
        return isinstance(uid, str) and self._shown.line(uid) is not None


class Candidates:
    """The candidate lines of a row, by id."""

    __slots__ = ("lines",)

    def __init__(self, lines: dict[str, Line]) -> None:
        self.lines = lines

    def line(self, uid: str) -> Line | None:
        return self.lines.get(uid)

    def history(self, key: str) -> list[Claim]:
        return [(op, value) for _, op, about, value in self.lines.values() if about == key]

    def has_note(self, key: str) -> bool:
        return any(op == "NOTE" and about == key for _, op, about, _ in self.lines.values())

    def entries(self) -> list[Entry]:
        return [Entry(uid, *line) for uid, line in self.lines.items()]


class ShownReader:
    """Reads the lines shown by a row: its candidates, else its book's ledger, else its log."""

    def __init__(self, rubric: Rubric) -> None:
        self._book_first = rubric.shows_book
        # Rows of an episode repeat its texts; two entries serve an episode and its twin.
        self._recent: deque[tuple[str, LedgerText]] = deque(maxlen=2)

    def __call__(self, row: EpisodeRow) -> Shown:
        """Return the lines that a row shows. Raises RowError if the row contains no readable lines."""
        if row.get("candidates") is not None:
            return Candidates(_candidate_lines(row))
        gold = row.get("gold")
        of_lines, of_book, of_log = _DEEDS if is_of_family(row.get("meta")) else _LEDGERS
        if isinstance(gold, dict) and isinstance(hidden := gold.get("ledger"), str):
            return self._read(hidden, of_lines)  # its text is not in the published grammar
        book, document = row.get("book"), row.get("document")
        # The reference looks citations up in the log, unless the row shows only its book.
        if isinstance(book, str) and book and (self._book_first or not isinstance(document, str)):
            return self._read(book, of_book)
        if not isinstance(document, str):
            raise RowError(f"row {row.get('id')!r} has no usable 'document': it must be a text")
        return self._read(document, of_log)

    def _read(self, text: str, ledger_of: _OfText) -> LedgerText:
        for seen, ledger in self._recent:
            if seen == text:  # at the speed of memory; a dictionary would hash the text first
                return ledger
        ledger = ledger_of(text)
        self._recent.append((text, ledger))
        return ledger


def _candidate_lines(row: EpisodeRow) -> dict[str, Line]:
    lines: dict[str, Line] = {}
    candidates = row["candidates"]
    for line in candidates if isinstance(candidates, list) else [candidates]:
        if (entry := _as_ours(line)) is not None:
            lines[entry[0]] = entry[1:]
            continue
        match line:
            case {
                "uid": str(uid),
                "step": int(step),
                "op": str(op),
                "key": str(key),
                "value": str() | None as value,
            }:
                lines[uid] = (step, op, key, value)
            case _:
                raise RowError(f"row {row.get('id')!r} has a candidate without uid, step, op, key or value")
    return lines


def _as_ours(line: Any) -> tuple[Any, ...] | None:
    # Our own candidates skip the pattern of `_candidate_lines`, which takes five times as long.
    if type(line) is not dict or not line.keys() >= _FIELDS:
        return None
    entry: tuple[Any, ...] = _fields(line)
    return entry if tuple(map(type, entry)) in _TYPES else None


def held_by(record: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield each row's id and the ids of its lines, joined by spaces. `record` is a grading record or a public row."""
    if isinstance(ledgers := record.get("ledgers"), list):
        texts = [_joined(_LINE.findall(text)) for text in ledgers]
        for row in record["rows"]:
            yield row[0], texts[row[-1]] if isinstance(row[-1], int) else _joined(row[-1])
    elif isinstance(row_id := record.get("id"), str):
        candidates = record.get("candidates")
        if isinstance(candidates, list):
            lines = (line.get("uid") for line in candidates if isinstance(line, dict))
            yield row_id, _joined(uid for uid in lines if isinstance(uid, str))
        else:
            yield row_id, _held_by_texts(record.get("book"), record.get("document"))


@lru_cache(maxsize=4)  # rows of an episode repeat its texts
def _held_by_texts(book: Any, document: Any) -> str:
    entries = parse_book(book) if isinstance(book, str) else []
    entries += parse_log(document) if isinstance(document, str) else []
    others = [uid for text in (book, document) if isinstance(text, str) for uid in ids_in(text)]
    return _joined([*(entry.uid for entry in entries), *others])


def _joined(uids: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(uids))
