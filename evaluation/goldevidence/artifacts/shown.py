"""Reads the artifacts of a predictions file for the grader: the lines that may be cited, and statistics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evaluation.goldevidence.artifacts.measure import ArtifactStats, measured
from evaluation.goldevidence.data.ledger import Claim, Entry, Line, parse_book
from evaluation.goldevidence.data.shown import Shown


class BuiltShown:
    """The lines that answers from a built book may cite: log lines whose ids occur in the book's ledger.

    The words of a line come from the log, so that a line copied wrongly cannot support a wrong value.
    """

    __slots__ = ("_ids", "_log")

    def __init__(self, log: Shown, ids: Iterable[str]) -> None:
        self._log, self._ids = log, frozenset(ids)

    def line(self, uid: str) -> Line | None:
        return self._log.line(uid) if uid in self._ids else None

    def history(self, key: str) -> list[Claim]:
        return self._log.history(key)

    def has_note(self, key: str) -> bool:
        return self._log.has_note(key)

    def entries(self) -> list[Entry]:
        return self._log.entries()


class Artifacts:
    """The artifacts of a predictions file, by episode. Each artifact is read and measured once."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self._ids: dict[str, frozenset[str]] = {}
        self._stats: dict[str, ArtifactStats] = {}

    def has_read(self, episode: str) -> bool:
        """True if a row of the episode has been graded before."""
        return episode in self._ids

    def shown(self, episode: str, log: Shown) -> BuiltShown:
        """Return the lines that a row of an episode may cite. Without an artifact there are none."""
        if episode not in self._ids:
            text = self.texts.get(episode)
            self._ids[episode] = frozenset(entry.uid for entry in parse_book(text or ""))
            if text is not None:
                self._stats[episode] = measured(episode, text, log.entries())
        return BuiltShown(log, self._ids[episode])

    @property
    def stats(self) -> list[ArtifactStats]:
        """Return the statistics of the artifacts, in the order in which they were read."""
        return list(self._stats.values())
