"""Books that two-phase systems build from an episode log, once per episode."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from evaluation.adapters.base import Row, Stopped
from evaluation.core.errors import AdapterError, BenchmarkError
from evaluation.goldevidence.data import book
from evaluation.goldevidence.data.ledger import LEDGER_HEADING, Entry


class ArtifactShelf:
    """The artifacts of a run. A row under `closed_book` gets the built book in place of its log and book.

    A book is kept until the run ends, since the rows of an episode need not follow each other.
    """

    def __init__(self, adapter: Any, protocol: str) -> None:
        self._build: Callable[[str, str, str], str] | None = getattr(adapter, "build_artifact", None)
        self._protocol = protocol
        self._books: dict[str, str] = {}

    def prepared(self, row: Row) -> Row:
        """The row as the system sees it in its second phase; unchanged for systems of one phase."""
        if self._build is None or self._protocol != "closed_book" or not row.get("document"):
            return row
        key = hashlib.sha256(f"{row['episode_id']}\x1f{row['document']}".encode()).hexdigest()
        if key not in self._books:
            self._books[key] = self._built(row["document"], row["episode_id"])
        return {**row, "book": self._books[key], "document": None}

    def _built(self, document: str, episode_id: str) -> str:
        assert self._build is not None
        try:
            built = self._build(document, episode_id, self._protocol)
        except (BenchmarkError, Stopped):
            raise
        except Exception as error:
            reason = f"build_artifact() raised {type(error).__name__}: {error}"
            raise AdapterError(f"episode {episode_id}: {reason}") from error
        return check_artifact(built, episode_id)


def check_artifact(artifact: Any, episode_id: str) -> str:
    """The artifact, if it is a book with a state ledger. Raises AdapterError naming episode and rule."""
    if not isinstance(artifact, str):
        kind = type(artifact).__name__
        raise AdapterError(f"episode {episode_id}: build_artifact must return a text, not {kind}")
    if LEDGER_HEADING not in artifact:
        raise AdapterError(f"episode {episode_id}: the artifact has no {LEDGER_HEADING!r} section")
    return artifact


def book_of(entries: list[Entry], episode_id: str) -> str:
    """A book without narrative: title, rules, glossary and the ledger."""
    keys = sorted({entry.key for entry in entries})
    lines = [entry.line() for entry in entries]
    return book.render(f"# GoldEvidenceBench Episode {episode_id}", keys, ["\n## Chapter 1"], lines)
