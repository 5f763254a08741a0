"""Artifacts: texts that a system built before it answered, with statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from evaluation.core.files.artifacts import OF_TEXT, ArtifactLine, builder, parted
from evaluation.core.suite import get_suite
from leaderboard.accounts import permissions
from leaderboard.benchmarks import storage
from leaderboard.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class Artifact:
    """The text that a system built for an episode, with statistics about it.

    On a sealed version, the statistics contain nothing that is computed from the correct answers: numbers of right
    lines per episode would reveal the answers after a few uploads.
    """

    episode_id: str
    text: str
    stats: Mapping[str, object]

    @property
    def is_judged(self) -> bool:
        """True if the statistics include a comparison with the correct state."""
        return self.stats.keys() > set(OF_TEXT)

    @property
    def line(self) -> dict[str, str]:
        return ArtifactLine(self.episode_id, self.text).as_json()


def has_artifacts(submission: Submission) -> bool:
    """True if the version asks systems to build artifacts, and the submission's file is still stored."""
    return (
        not submission.file_removed_at
        and builder(submission.version.suite, submission.version.settings) is not None
    )


def may_be_read_by(submission: Submission, user: Any) -> bool:
    """True if the user may read the artifacts of the submission.

    On a sealed version, the user must be allowed to download the predictions, because an artifact contains the answers
    to all questions of its episode.
    """
    open_answers = submission.version.disclosure.shows_seeds
    return open_answers or submission.is_open_to(user, permissions.DOWNLOAD_PREDICTIONS)


def artifacts(submission: Submission) -> tuple[Artifact, ...]:
    """Return the artifacts, sorted by episode id, so that the order reveals nothing. Raises DamagedFileError."""
    if not has_artifacts(submission):
        return ()
    version = submission.version
    built = _artifacts(version.benchmark.suite, version.gold_sha256, submission.file_sha256)
    return built if version.disclosure.shows_seeds else tuple(map(_unjudged, built))


def _unjudged(artifact: Artifact) -> Artifact:
    return replace(artifact, stats={name: artifact.stats[name] for name in OF_TEXT if name in artifact.stats})


@lru_cache(maxsize=4)  # safe: stored files never change
def _artifacts(suite: str, gold_sha256: str, file_sha256: str) -> tuple[Artifact, ...]:
    texts: dict[str, str] = {}
    for _ in parted(storage.rows(file_sha256), texts):
        pass  # skip the answers; artifacts are collected in `texts`
    builds = get_suite(suite).artifacts
    stats = builds.stats(storage.rows(gold_sha256), texts) if builds else []
    by_episode = {str(each["episode_id"]): each for each in stats}
    return tuple(
        Artifact(name, texts[name], by_episode[name]) for name in sorted(texts.keys() & by_episode.keys())
    )
