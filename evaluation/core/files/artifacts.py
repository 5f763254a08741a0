"""Artifact lines of a predictions file. Systems build an artifact (a text) from an episode and answer from it alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from evaluation.core import jsonl
from evaluation.core.records import GradingRecord

if TYPE_CHECKING:
    from evaluation.core.suite import Column, Problem, Settings, Suite

EPISODE, ARTIFACT = "episode_id", "artifact"
#: Keys of `artifact_stats` that depend on the artifact alone, the same in every suite. All others compare it with gold.
OF_TEXT = (EPISODE, "tokens", "sections", "lines")
_MARK = f'"{ARTIFACT}"'.encode()


class ArtifactLine(NamedTuple):
    """An artifact that a system built from the text of one episode."""

    episode_id: str
    artifact: str

    def as_json(self) -> dict[str, str]:
        return {EPISODE: self.episode_id, ARTIFACT: self.artifact}


def is_artifact(line: Mapping[str, object]) -> bool:
    return ARTIFACT in line and "id" not in line


def artifact_in(line: Mapping[str, object]) -> ArtifactLine | None:
    if not is_artifact(line):
        return None
    episode, artifact = line.get(EPISODE), line[ARTIFACT]
    return ArtifactLine(episode, artifact) if isinstance(episode, str) and isinstance(artifact, str) else None


def parted(lines: Iterable[Any], artifacts: dict[str, str]) -> Iterator[Any]:
    """Yield the answer lines. Store artifact lines in `artifacts` by episode id; the last one of an episode counts."""
    for line in lines:
        if isinstance(line, dict) and ARTIFACT in line and (made := artifact_in(line)):
            artifacts[made.episode_id] = made.artifact
        else:
            yield line


def read_artifacts(path: str | Path) -> dict[str, str]:
    """Read the artifacts of a predictions file, by episode id; malformed artifacts are skipped.

    Raises RowError for a line that contains `"artifact"` and is not a JSON object.
    """
    artifacts: dict[str, str] = {}
    for number, line in jsonl.lines(path):
        # a cheap test on bytes first: answers need no parsing here
        if _MARK in line and (made := artifact_in(jsonl.parse_row(line, path=str(path), number=number))):
            artifacts[made.episode_id] = made.artifact
    return artifacts


class BuildsArtifacts(Protocol):
    """Checks and statistics of artifacts, for suites whose systems build an artifact before they answer."""

    columns: Sequence[Column]  # the figures over all artifacts of a report, by their keys in `Report.metrics`

    def are_built(self, settings: Settings) -> bool:
        """True if a version with these settings asks systems to build artifacts and answer from them."""

    def problem(self, artifact: Any, source: str) -> Problem | None:
        """Check an artifact (any JSON value) built from the text `source`. Returns None for an accepted artifact."""

    def stats(
        self, records: Iterable[GradingRecord], artifacts: Mapping[str, str]
    ) -> list[Mapping[str, object]]:
        """Return the `episode_id` and size of each artifact, and figures that compare it with the gold in `records`."""


def builder(suite: Suite, settings: Settings) -> BuildsArtifacts | None:
    """Return `suite.artifacts`, or None if a version with these settings does not ask systems to build artifacts."""
    return suite.artifacts if suite.artifacts and suite.artifacts.are_built(settings) else None
