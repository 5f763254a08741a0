"""What a row shows a system: the text it may read, and the ledger entries in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.adapters.base import Row
from evaluation.core.errors import AdapterError
from evaluation.goldevidence.conditions.conditions import shown_entries
from evaluation.goldevidence.data.ledger import Entry, parse_book, parse_log


@dataclass(frozen=True, slots=True)
class Shown:
    """The text of a row in the form that a protocol shows, and its ledger entries in the order shown."""

    kind: str  # candidates | book | log
    text: str
    entries: tuple[Entry, ...]

    @property
    def ids(self) -> list[str]:
        """The ids that may be cited, each once, in the order shown."""
        return list(dict.fromkeys(entry.uid for entry in self.entries))


def shown(row: Row, protocol: str) -> Shown:
    """The candidates of a condition row; else the book (`closed_book`) or the log (`open_book`).

    Raises AdapterError for a row that holds nothing to show, or for an unknown protocol.
    """
    if row.get("candidates") is not None:
        entries = shown_entries(row)
        remarks = (item.get("remark") for item in row["candidates"])
        lines = [_with_remark(entry, remark) for entry, remark in zip(entries, remarks, strict=True)]
        return Shown("candidates", "\n".join(lines), tuple(entries))
    match protocol:
        case "closed_book":
            text = _text(row, "book")
            return Shown("book", text, tuple(parse_book(text)))
        case "open_book":
            text = _text(row, "document")
            return Shown("log", text, tuple(parse_log(text)))
    raise AdapterError(f"unknown protocol {protocol!r}: use closed_book or open_book")


def _with_remark(entry: Entry, remark: str | None) -> str:
    return f"{entry.line()} ({remark})" if remark else entry.line()


def citable_ids(row: Mapping[str, Any]) -> set[str]:
    """Every id that exists for this row: its candidates, or the entries of its log and book."""
    if row.get("candidates") is not None:
        return {str(item["uid"]) for item in row["candidates"]}
    entries = parse_log(row.get("document") or "") + parse_book(row.get("book") or "")
    return {entry.uid for entry in entries}


def by_shown_text(rows: Sequence[Mapping[str, Any]]) -> Iterator[list[Any]]:
    """Rows grouped by what they show, in order of first appearance: a group shares its prompt's prefix."""
    groups: dict[str, list[Any]] = {}
    for row in rows:
        groups.setdefault(_group(row), []).append(row)
    yield from groups.values()


def batches_of_shown(rows: Sequence[Mapping[str, Any]], size: int) -> Iterator[list[Any]]:
    """Rows that show the same text, at most `size` at a time; condition rows, which show little, in turn."""
    conditions = [row for row in rows if row.get("candidates") is not None]
    plain = [row for row in rows if row.get("candidates") is None]
    for group in [*by_shown_text(plain), conditions]:
        for start in range(0, len(group), size):
            yield group[start : start + size]


def _group(row: Mapping[str, Any]) -> str:
    if row.get("candidates") is not None:
        return "\x1f".join(["candidates", *(str(item["uid"]) for item in row["candidates"])])
    return "\x1f".join([str(row.get("episode_id")), str(row.get("document")), str(row.get("book"))])


def _text(row: Mapping[str, Any], field: str) -> str:
    text = row.get(field)
    if not isinstance(text, str) or not text:
        raise AdapterError(f"row {row.get('id')}: it has no {field}, and no candidates either")
    return text
