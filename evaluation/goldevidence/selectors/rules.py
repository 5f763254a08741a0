"""Selectors that apply one rule and ignore question and key. Of lines with equal steps they take the first shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.generator import queries
from evaluation.goldevidence.generator.queries import Query


def first_shown(shown: Sequence[Entry], question: str = "", key: str = "") -> Entry | None:
    """The first line shown, or None if no line is shown."""
    return shown[0] if shown else None


def last_occurrence(shown: Sequence[Entry], question: str = "", key: str = "") -> Entry | None:
    """The last line shown."""
    return shown[-1] if shown else None


def latest_step(shown: Sequence[Entry], question: str = "", key: str = "") -> Entry | None:
    """The line with the greatest step, even if it is a NOTE on an earlier UPDATE."""
    return max(shown, key=attrgetter("step"), default=None)


def prefer_set_latest(shown: Sequence[Entry], question: str = "", key: str = "") -> Entry | None:
    """The latest SET, or the latest line if no line is a SET. This choice is wrong after a CLEAR."""
    return latest_step([entry for entry in shown if entry.op == "SET"] or shown)


def prefer_update_latest(shown: Sequence[Entry], question: str = "", key: str = "") -> Entry | None:
    """The latest line that is not a NOTE, or the latest NOTE if there are only NOTEs."""
    return latest_step([entry for entry in shown if entry.op != "NOTE"] or shown)


def latest_note(shown: Sequence[Entry], question: str = "", key: str = "") -> Entry | None:
    """The latest NOTE, or the latest line if there is no NOTE. A control that prefers lines without authority."""
    return latest_step([entry for entry in shown if entry.op == "NOTE"] or shown)


def authority_filter(entries: Iterable[Entry]) -> list[Entry]:
    """The lines that may change state. If the list is empty, authority is unclear, and callers should abstain."""
    return [entry for entry in entries if entry.authoritative]


def answer(line: Entry, derived_op: str | None) -> str | None:
    """The value that a line establishes. Returns None for a CLEAR, and for `reports`, which asks about all keys."""
    value = None if line.op == "CLEAR" or derived_op == "reports" else line.value
    return queries.answer(Query(line.key, derived_op), value)
