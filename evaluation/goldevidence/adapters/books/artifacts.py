"""Builds and checks the books that two-phase systems make from an episode log, once per episode."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from evaluation.adapters.base import Adapter, ShouldStop, Stopped
from evaluation.adapters.kinds import OnArtifact
from evaluation.core.errors import AdapterError, BenchmarkError
from evaluation.goldevidence.artifacts.check import checked
from evaluation.goldevidence.data import book
from evaluation.goldevidence.data.ledger import LEDGER_HEADING, Entry
from evaluation.goldevidence.protocols import TEXTS, Protocol, from_artifact, protocol_of
from evaluation.goldevidence.public import public_row
from evaluation.goldevidence.records import EpisodeRow


class ArtifactShelf:
    """Prepares rows for a run: each row keeps only the log (`open_book`) or only the book (`closed_book`).

    If the system builds books itself, its own book replaces that of the row.
    """

    def __init__(self, adapter: Any, protocol: str) -> None:
        self._build: Callable[[str, str, str], str] | None = getattr(adapter, "build_artifact", None)
        self._protocol = protocol
        # Kept until the run ends: the rows of an episode need not be adjacent.
        self._books: dict[str, str] = {}

    def prepared(self, row: EpisodeRow) -> EpisodeRow:
        if protocol_of(row) is not None or row.get("candidates") is not None:
            return row  # as the suite has made it
        if self._protocol == "open_book":
            return _showing(row, "document", row.get("document"))
        if self._build is None or not (document := row.get("document")):
            return _showing(row, "book", row.get("book"))
        key = hashlib.sha256(f"{row['episode_id']}\x1f{document}".encode()).hexdigest()
        if key not in self._books:
            episode = row["episode_id"]
            artifact = check_artifact(_build(self._build, document, episode, self._protocol), episode)
            self._books[key] = checked(artifact, document, episode)
        return _showing(row, "book", self._books[key])


def _showing(row: EpisodeRow, field: str, text: str | None) -> EpisodeRow:
    shown = {**row, field: text}
    public = public_row(cast(EpisodeRow, shown), labels=False) if "meta" in row else shown
    kept = {name: value for name, value in public.items() if name not in TEXTS or name == field}
    return cast(EpisodeRow, kept)


def first_phase(
    rows: Sequence[EpisodeRow],
    adapter: Adapter,
    built: Mapping[str, str],
    *,
    on_artifact: OnArtifact,
    should_stop: ShouldStop,
) -> list[EpisodeRow]:
    """Build all artifacts before the system sees any question, and return the rows to answer from them.

    Rows of a protocol other than `build` are returned unchanged. `built` maps episode ids to artifacts of an earlier
    run. `should_stop` is called before each artifact; if it returns True, Stopped is raised. Raises AdapterError if the
    system has no `build_artifact`, or if its result is not a book or copies the log.
    """
    artifacts = dict(built)
    for row in rows:
        if protocol_of(row) is not Protocol.BUILD or (episode := row["episode_id"]) in artifacts:
            continue
        if should_stop():
            raise Stopped
        build = getattr(adapter, "build_artifact", None)
        if not callable(build):
            raise AdapterError(
                "these rows have the protocol 'build': the system needs build_artifact(document, episode_id, …)"
            )
        artifact = checked(
            _build(build, row["document"], episode, Protocol.BUILD.value), row["document"], episode
        )
        artifacts[episode] = artifact
        on_artifact(episode, artifact)
    return [
        from_artifact(row, artifacts[row["episode_id"]]) if protocol_of(row) is Protocol.BUILD else row
        for row in rows
    ]


def _build(build: Callable[[str, str, str], str], document: str, episode_id: str, protocol: str) -> str:
    try:
        return build(document, episode_id, protocol)
    except (BenchmarkError, Stopped):
        raise
    except Exception as error:
        reason = f"build_artifact() raised {type(error).__name__}: {error}"
        raise AdapterError(f"episode {episode_id}: {reason}") from error


def check_artifact(artifact: Any, episode_id: str) -> str:
    """Return the artifact if it is a book with a state ledger. Raises AdapterError naming the episode and the rule."""
    if not isinstance(artifact, str):
        kind = type(artifact).__name__
        raise AdapterError(f"episode {episode_id}: build_artifact must return a text, not {kind}")
    if LEDGER_HEADING not in artifact:
        raise AdapterError(f"episode {episode_id}: the artifact has no {LEDGER_HEADING!r} section")
    return artifact


def book_of(entries: list[Entry], episode_id: str) -> str:
    """Return a book of these entries without narrative: title, rules, glossary and ledger."""
    keys = sorted({entry.key for entry in entries})
    lines = [entry.line() for entry in entries]
    return book.render(f"# GoldEvidenceBench Episode {episode_id}", keys, ["\n## Chapter 1"], lines)
