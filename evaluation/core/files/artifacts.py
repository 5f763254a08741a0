"""Lines of a predictions file that hold no answer but what its system built first: `{"episode_id", "artifact"}`.

A version whose systems work in two phases takes them beside the answers, one a text that was built from. Any other
version knows no such line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from evaluation.core import jsonl
from evaluation.core.records import JsonObject

if TYPE_CHECKING:
    from evaluation.core.suite import Column, Problem, Settings

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


def is_artifact(line: JsonObject) -> bool:
    """Whether a line of a predictions file holds an artifact instead of an answer."""
    return ARTIFACT in line and "id" not in line


def artifact_in(line: JsonObject) -> ArtifactLine | None:
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


@runtime_checkable
class BuildsArtifacts(Protocol):
    """What a suite offers besides where systems of some of its versions build an artifact first. None has to."""

    artifact_columns: Sequence[
        Column
    ]  # the figures over all artifacts of a report, by their keys in `Report.metrics`

    def has_artifacts(self, settings: Settings) -> bool:
        """Whether the systems of a version with these settings build first."""

    def artifact_problem(self, artifact: Any, source: str) -> Problem | None:
        """Why an artifact is refused.

        Args:
            artifact: What a system built; of any type.
            source: The text that it was built from.

        Returns:
            The problem; None where answers may come from the artifact.
        """

    def artifact_stats(
        self, records: Iterable[JsonObject], artifacts: Mapping[str, str]
    ) -> list[Mapping[str, Any]]:
        """What artifacts hold of the truth.

        Args:
            records: Grading records of a version.
            artifacts: By the id of what they were built from.

        Returns:
            A mapping of counts an artifact, each with its `episode_id`.
        """


def builder(suite: object, settings: Settings | None = None) -> BuildsArtifacts | None:
    """The suite as one whose systems build first.

    Args:
        suite: Any suite.
        settings: Those of a version; None asks of the suite alone.

    Returns:
        The suite; None where it builds nothing, or its version does not.
    """
    if not isinstance(suite, BuildsArtifacts):
        return None
    return suite if settings is None or suite.has_artifacts(settings) else None
