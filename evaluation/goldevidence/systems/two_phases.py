"""Runs a deterministic system under any protocol. Under `build` the artifact is a book of the log's UPDATE lines."""

from __future__ import annotations

from typing import Any

from evaluation.core.files.artifacts import ArtifactLine
from evaluation.goldevidence.adapters.books.artifacts import book_of
from evaluation.goldevidence.artifacts.check import checked, count_words
from evaluation.goldevidence.generator.difficulty.entries import log_entries
from evaluation.goldevidence.protocols import Protocol, from_artifact, protocol_of
from evaluation.goldevidence.records import EpisodeRow


class TwoPhases:
    """Runs a system on the text that a row's protocol shows. Under `build`, the episode's artifact is built first."""

    def __init__(self, system: Any) -> None:
        self.system = system
        self._artifacts: dict[str, str] = {}
        self._built_for: set[str] = set()  # ids of rows for which an artifact was built

    def __getattr__(self, name: str) -> Any:
        """Delegate `provenance` and settings to the system."""
        return getattr(self.system, name)

    def predict(self, row: EpisodeRow, *, protocol: str = "closed_book") -> Any:
        """The prediction of a row. Under `build`, a list of the artifact, if it is new, and the prediction."""
        own = protocol_of(row)
        if own is None:
            return self.system.predict(row, protocol=protocol)
        if own is not Protocol.BUILD:
            return self.system.predict(row, protocol=own.reads)
        episode, lines = row["episode_id"], list[Any]()
        if episode not in self._artifacts:
            self._artifacts[episode] = checked(scribed(row["document"], episode), row["document"], episode)
            lines.append(ArtifactLine(episode, self._artifacts[episode]).as_json())
            self._built_for.add(row["id"])
        answer = self.system.predict(from_artifact(row, self._artifacts[episode]), protocol=own.reads)
        return [*lines, answer]

    def reads(self, row: EpisodeRow) -> int | None:
        """Number of words that the system read for an answered row, or None if it read the whole row.

        Under `build` every question counts the artifact, and the first question of an episode also the log.
        """
        inner = getattr(self.system, "reads", None)
        if protocol_of(row) is not Protocol.BUILD:
            return None if inner is None else int(inner(row))
        artifact = self._artifacts[row["episode_id"]]
        built = count_words(row["document"]) if row["id"] in self._built_for else 0
        answering = count_words(artifact) if inner is None else int(inner(from_artifact(row, artifact)))
        return built + answering


def scribed(document: str, episode: str) -> str:
    """A book of all UPDATE lines of a log, in order, which is the best possible artifact."""
    return book_of(list(log_entries(document)), episode)
