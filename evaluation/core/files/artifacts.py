"""Lines of a predictions file that hold no answer but what its system built first: `{"episode_id", "artifact"}`.

A version whose systems work in two phases takes them beside the answers, one a text that was built from. Any other
version knows no such line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from evaluation.core import jsonl
from evaluation.core.records import GradingRecord

if TYPE_CHECKING:
    from evaluation.core.suite import Column, Problem, Settings, Suite

EPISODE, ARTIFACT = "episode_id", "artifact"
#: Of `artifact_stats`: counts of the text alone, by the names that every suite uses. All others judge it by the gold.
OF_TEXT = (EPISODE, "tokens", "sections", "lines")
_MARK = f'"{ARTIFACT}"'.encode()


class ArtifactLine(NamedTuple):
    """What a system built of one text. The parts have the right types once they were checked."""

    episode_id: str
    artifact: str

    def as_json(self) -> dict[str, str]:
        """The line of a predictions file."""
        return {EPISODE: self.episode_id, ARTIFACT: self.artifact}


def is_artifact(line: Mapping[str, object]) -> bool:
    """Whether a line of a predictions file holds an artifact instead of an answer."""
    return ARTIFACT in line and "id" not in line


def artifact_in(line: Mapping[str, object]) -> ArtifactLine | None:
    """The artifact that a line holds; None for an answer, and for a line that is neither."""
    if not is_artifact(line):
        return None
    episode, artifact = line.get(EPISODE), line[ARTIFACT]
    return ArtifactLine(episode, artifact) if isinstance(episode, str) and isinstance(artifact, str) else None


def parted(lines: Iterable[Any], artifacts: dict[str, str]) -> Iterator[Any]:
    """The answers among the lines of a predictions file.

    Args:
        lines: All its lines.
        artifacts: The artifacts are entered here as they come, by episode; of several for one the last.
    """
    for line in lines:
        if isinstance(line, dict) and ARTIFACT in line and (made := artifact_in(line)):
            artifacts[made.episode_id] = made.artifact
        else:
            yield line


def read_artifacts(path: str | Path) -> dict[str, str]:
    """The artifacts in a predictions file, by episode. Lines that cannot hold one are not read.

    Raises RowError for a line that looks like one and is no JSON object.
    """
    artifacts: dict[str, str] = {}
    for number, line in jsonl.lines(path):
        if _MARK in line and (made := artifact_in(jsonl.parse_row(line, path=str(path), number=number))):
            artifacts[made.episode_id] = made.artifact
    return artifacts


class BuildsArtifacts(Protocol):
    """Artifacts of a suite, in some versions of which systems build one before they answer."""

    columns: Sequence[Column]  # the figures over all artifacts of a report, by their keys in `Report.metrics`

    def are_built(self, settings: Settings) -> bool:
        """Whether the systems of a version with these settings build first."""

    def problem(self, artifact: Any, source: str) -> Problem | None:
        """Why an artifact is refused.

        Args:
            artifact: What a system built; of any type.
            source: The text that it was built from.

        Returns:
            The problem; None where answers may come from the artifact.
        """

    def stats(
        self, records: Iterable[GradingRecord], artifacts: Mapping[str, str]
    ) -> list[Mapping[str, object]]:
        """What artifacts hold of the truth.

        Args:
            records: Grading records of a version.
            artifacts: By the id of what they were built from.

        Returns:
            A mapping of counts an artifact, each with its `episode_id`.
        """


def builder(suite: Suite, settings: Settings) -> BuildsArtifacts | None:
    """The artifacts of a version; None where its systems build none.

    Args:
        suite: Any suite.
        settings: Those of the version.
    """
    return suite.artifacts if suite.artifacts and suite.artifacts.are_built(settings) else None
