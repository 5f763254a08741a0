"""Finds the text that a system is given for a row, and the ledger entries in this text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.core.errors import AdapterError
from evaluation.goldevidence.conditions.rows import shown_entries
from evaluation.goldevidence.data.families import is_of_family
from evaluation.goldevidence.data.ledger import Entry, ids_in
from evaluation.goldevidence.generator.difficulty.entries import book_entries, log_entries
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.shown_uids import SHOWN


@dataclass(frozen=True, slots=True)
class Shown:
    kind: str  # candidates | book | log
    text: str
    entries: tuple[Entry, ...]

    @property
    def ids(self) -> list[str]:
        """Return the ids that may be cited, each once, in the order shown."""
        uids = (entry.uid for entry in self.entries) if self.entries else ids_in(self.text)
        return list(dict.fromkeys(uids))

    @property
    def told(self) -> dict[str, list[str]]:
        """Return the answer field that lists the ids of the lines shown; empty if a whole text was shown."""
        return {SHOWN: self.ids} if self.kind == "candidates" else {}


def shown(row: EpisodeRow, protocol: str) -> Shown:
    """Return the text that a row shows: its candidate lines, or else its book (`closed_book`) or log (`open_book`).

    `entries` of the result is empty for questions that need many lines (`data.families`). Raises AdapterError for a row
    without text, or an unknown protocol.
    """
    if row.get("candidates") is not None:
        entries = shown_entries(row)
        remarks = (item.get("remark") for item in row["candidates"])
        lines = [
            f"{entry.line()} ({remark})" if remark else entry.line()
            for entry, remark in zip(entries, remarks, strict=True)
        ]
        return Shown("candidates", "\n".join(lines), tuple(entries))
    match protocol:
        case "closed_book":
            text = _text(row, "book")
            return Shown("book", text, () if is_of_family(row.get("meta")) else tuple(book_entries(text)))
        case "open_book":
            text = _text(row, "document")
            return Shown("log", text, () if is_of_family(row.get("meta")) else tuple(log_entries(text)))
    raise AdapterError(f"unknown protocol {protocol!r}: use closed_book or open_book")


def citable_ids(row: EpisodeRow) -> set[str]:
    """Return the ids that an answer may cite: those of the row's candidates, or else those in its log and book."""
    if row.get("candidates") is not None:
        return {str(item["uid"]) for item in row["candidates"]}
    return {uid for text in (row.get("document"), row.get("book")) for uid in ids_in(text or "")}


def by_shown_text(rows: Sequence[EpisodeRow]) -> Iterator[list[Any]]:
    """Group rows that show the same text, so that their prompts begin alike, in order of first appearance."""
    groups: dict[str, list[Any]] = {}
    for row in rows:
        groups.setdefault(_group(row), []).append(row)
    yield from groups.values()


def batches_of_shown(rows: Sequence[EpisodeRow], size: int) -> Iterator[list[Any]]:
    """Yield batches of up to `size` rows whose prompts begin alike. Rows with candidate lines come last."""
    conditions = sorted((row for row in rows if row.get("candidates") is not None), key=_beginning)
    plain = [row for row in rows if row.get("candidates") is None]
    texts = [sorted(group, key=_asked) for group in by_shown_text(plain)]  # questions often begin alike, too
    for group in [*texts, conditions]:
        for start in range(0, len(group), size):
            yield group[start : start + size]


def _asked(row: EpisodeRow) -> str:
    return str(row["question"])


def _beginning(row: EpisodeRow) -> tuple[bool, str, str]:
    """Return a sort key that puts rows next to each other if their prompts begin alike."""
    text, question = "\n".join(entry.line() for entry in shown_entries(row)), _asked(row)
    return (True, question, text) if is_sandwich(row) else (False, text, question)


def is_sandwich(row: EpisodeRow) -> bool:
    """True if the row's prompt asks the question before the text as well as after it."""
    return bool((row.get("meta") or {}).get("query_sandwich"))


def _group(row: EpisodeRow) -> str:
    if row.get("candidates") is not None:
        return "\x1f".join(["candidates", *(str(item["uid"]) for item in row["candidates"])])
    return "\x1f".join([str(row.get("episode_id")), str(row.get("document")), str(row.get("book"))])


def _text(row: EpisodeRow, field: str) -> str:
    text = row.get(field)
    if not isinstance(text, str) or not text:
        raise AdapterError(f"row {row.get('id')} has neither a {field} nor candidates")
    return text
