"""The artifacts of a predictions file as the grader reads them: what their rows could cite, and what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evaluation.goldevidence.artifacts.measure import ArtifactStats, measured
from evaluation.goldevidence.data.ledger import Claim, Entry, Line, parse_book
from evaluation.goldevidence.data.shown import Shown


class BuiltShown:
    """What a built book lets its answers cite: lines of the log whose ids its ledger holds.

    The lines say what the log says: a line that the artifact has wrong establishes nothing wrong.
    """

    __slots__ = ("_ids", "_log")

    def __init__(self, log: Shown, ids: Iterable[str]) -> None:
        self._log, self._ids = log, frozenset(ids)

    def line(self, uid: str) -> Line | None:
        """The line of an id, None where the artifact does not hold it."""
        return self._log.line(uid) if uid in self._ids else None

    def history(self, key: str) -> list[Claim]:
        """What the lines of the log about one key say, in its order."""
        return self._log.history(key)

    def has_note(self, key: str) -> bool:
        """Whether the log has a NOTE about one key."""
        return self._log.has_note(key)

    def entries(self) -> list[Entry]:
        """Every line of the log."""
        return self._log.entries()


class Artifacts:
    """The artifacts of a predictions file, by episode. Each is read and measured once."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self._ids: dict[str, frozenset[str]] = {}
        self._stats: dict[str, ArtifactStats] = {}

    def has_read(self, episode: str) -> bool:
        """Whether a row of the episode was there before."""
        return episode in self._ids

    def shown(self, episode: str, log: Shown) -> BuiltShown:
        """What a row of an episode could cite.

        Args:
            episode: Its id; one without an artifact lets nothing be cited.
            log: The lines of its log.
        """
        if episode not in self._ids:
            text = self.texts.get(episode)
            self._ids[episode] = frozenset(entry.uid for entry in parse_book(text or ""))
            if text is not None:
                self._stats[episode] = measured(episode, text, log.entries())
        return BuiltShown(log, self._ids[episode])

    @property
    def stats(self) -> list[ArtifactStats]:
        """Those of the episodes that were asked for, in that order."""
        return list(self._stats.values())
