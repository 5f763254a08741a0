"""What the reader of a row was shown, and so could cite."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from evaluation.core.errors import RowError
from evaluation.core.suite import Row
from evaluation.goldevidence.data.ledger import Claim, Entry, LedgerText, Line, book_ledger, log_ledger
from evaluation.goldevidence.data.rubrics import Rubric


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

    def __call__(self, row: Row) -> Shown:
        """What one row shows. Raises RowError where it shows nothing that can be read."""
        if row.get("candidates") is not None:
            return Candidates(_candidate_lines(row))
        book, document = row.get("book"), row.get("document")
        if self._book_first and isinstance(book, str) and book:
            return self._read(book, book_ledger)
        if not isinstance(document, str):
            raise RowError(f"row {row.get('id')!r} has no usable 'document': it must be a text")
        return self._read(document, log_ledger)

    def _read(self, text: str, ledger_of: Callable[[str], LedgerText]) -> LedgerText:
        for seen, ledger in self._recent:
            if seen == text:  # at the speed of memory; a dictionary would hash the text first
                return ledger
        ledger = ledger_of(text)
        self._recent.append((text, ledger))
        return ledger


def _candidate_lines(row: Row) -> dict[str, Line]:
    """The candidates of a condition row, in the order shown."""
    lines: dict[str, Line] = {}
    candidates = row["candidates"]
    for line in candidates if isinstance(candidates, list) else [candidates]:
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
