"""What the reader of a row was shown, and so could cite."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Any, Protocol

from evaluation.core.errors import RowError
from evaluation.core.records import JsonObject
from evaluation.goldevidence.data.deeds import deed_lines, deeds_in_book, deeds_in_log
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
#: How ledgers are read: lines of one, a book, a log; of rows of a family their lines have more forms.
_LEDGERS = (ledger_lines, book_ledger, log_ledger)
_DEEDS = (deed_lines, deeds_in_book, deeds_in_log)
_LINE = re.compile(r"^- \[(U[0-9A-F]{6})\] ", re.MULTILINE)  # of a frozen ledger, which holds nothing else


class Shown(Protocol):
    """The lines of a row, each (step, op, key, value)."""

    def line(self, uid: str) -> Line | None:
        """The line of an id, None where it was not shown."""

    def history(self, key: str) -> list[Claim]:
        """What the lines about one key say, (op, value) each, in the order shown."""

    def has_note(self, key: str) -> bool:
        """Whether a NOTE about one key is shown."""

    def entries(self) -> list[Entry]:
        """Every line, in the order shown."""


class Held:
    """The ids of what a row shows, looked up one by one: a ledger is not read as a whole for eight of them."""

    __slots__ = ("_shown",)

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    def __contains__(self, uid: object) -> bool:
        return isinstance(uid, str) and self._shown.line(uid) is not None


class Candidates:
    """A few lines instead of a ledger: what a condition row shows. `lines` are by id."""

    __slots__ = ("lines",)

    def __init__(self, lines: dict[str, Line]) -> None:
        self.lines = lines

    def line(self, uid: str) -> Line | None:
        """The line of an id, None where it was not shown."""
        return self.lines.get(uid)

    def history(self, key: str) -> list[Claim]:
        """What the lines about one key say, in the order shown."""
        return [(op, value) for _, op, about, value in self.lines.values() if about == key]

    def has_note(self, key: str) -> bool:
        """Whether a NOTE about one key is shown."""
        return any(op == "NOTE" and about == key for _, op, about, _ in self.lines.values())

    def entries(self) -> list[Entry]:
        """Every line, in the order shown."""
        return [Entry(uid, *line) for uid, line in self.lines.items()]


class ShownReader:
    """Reads what rows show: their candidates, else their book's ledger, else their log.

    The reference looks citations up in the log. Rows of an episode repeat its texts, so the last few are
    remembered: two, for an episode and its twin.
    """

    def __init__(self, rubric: Rubric) -> None:
        self._book_first = rubric.shows_book
        self._recent: deque[tuple[str, LedgerText]] = deque(maxlen=2)

    def __call__(self, row: EpisodeRow) -> Shown:
        """What one row shows. Raises RowError where it shows nothing that can be read."""
        if row.get("candidates") is not None:
            return Candidates(_candidate_lines(row))
        gold = row.get("gold")
        of_lines, of_book, of_log = _DEEDS if is_of_family(row.get("meta")) else _LEDGERS
        if isinstance(gold, dict) and isinstance(hidden := gold.get("ledger"), str):
            return self._read(hidden, of_lines)  # its text is not in the published grammar
        book, document = row.get("book"), row.get("document")
        if self._book_first and isinstance(book, str) and book:
            return self._read(book, of_book)
        if (
            not isinstance(document, str) and isinstance(book, str) and book
        ):  # a row that shows its book alone
            return self._read(book, of_book)
        if not isinstance(document, str):
            raise RowError(f"row {row.get('id')!r} has no usable 'document': it must be a text")
        return self._read(document, of_log)

    def _read(self, text: str, ledger_of: Callable[[str], LedgerText]) -> LedgerText:
        for seen, ledger in self._recent:
            if seen == text:  # at the speed of memory; a dictionary would hash the text first
                return ledger
        ledger = ledger_of(text)
        self._recent.append((text, ledger))
        return ledger


def _candidate_lines(row: EpisodeRow) -> dict[str, Line]:
    """The candidates of a condition row, in the order shown."""
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
    """A candidate with fields of just the types that ours have, a fifth of the time that a pattern takes; else None."""
    if type(line) is not dict or not line.keys() >= _FIELDS:
        return None
    entry: tuple[Any, ...] = _fields(line)
    return entry if tuple(map(type, entry)) in _TYPES else None


def held_by(record: JsonObject) -> Iterator[tuple[str, str]]:
    """The ids of the lines that rows hold.

    Args:
        record: The grading record of a unit, or one public row. What has no usable form holds nothing here: it is
            refused where it is read for its sake.

    Returns:
        (row id, ids with a space between them), for each row.
    """
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
