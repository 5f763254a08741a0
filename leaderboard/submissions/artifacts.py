"""What the system of a submission built before it answered: the artifacts in its file, each with what it holds."""

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
    """The artifact of one episode, with counts of it, which a suite names.

    A version that keeps its answers tells those of the text alone, to everybody: how many lines are right, for each
    episode, is an answer key after ten uploads.
    """

    episode_id: str
    text: str
    stats: Mapping[str, object]

    @property
    def is_judged(self) -> bool:
        """Whether its counts compare it with the gold, too."""
        return self.stats.keys() > set(OF_TEXT)

    @property
    def line(self) -> dict[str, str]:
        """The line of the predictions file."""
        return ArtifactLine(self.episode_id, self.text).as_json()


def has_artifacts(submission: Submission) -> bool:
    """Whether the systems of its version build first."""
    return builder(submission.version.suite, submission.version.settings) is not None


def may_be_read_by(submission: Submission, user: Any) -> bool:
    """Whether the reader may look at them: on a sealed version only who may have its predictions too.

    An artifact answers every question of its episode, so that a copy of it is a copy of the answers.

    Args:
        submission: Whose artifacts.
        user: The reader, signed in or not.
    """
    open_answers = submission.version.disclosure.shows_seeds
    return open_answers or submission.is_open_to(user, permissions.DOWNLOAD_PREDICTIONS)


def artifacts(submission: Submission) -> tuple[Artifact, ...]:
    """The artifacts of a submission, in the order of their episodes' ids: that says not which belong together.

    Raises:
        storage.DamagedFileError: A stored file is missing or changed.
    """
    if not has_artifacts(submission):
        return ()
    version = submission.version
    built = _artifacts(version.benchmark.suite, version.gold_sha256, submission.file_sha256)
    return built if version.disclosure.shows_seeds else tuple(map(_unjudged, built))


def _unjudged(artifact: Artifact) -> Artifact:
    """An artifact without what compares it with the gold."""
    return replace(artifact, stats={name: artifact.stats[name] for name in OF_TEXT if name in artifact.stats})


@lru_cache(maxsize=4)  # stored files never change; a page of each would read both files again
def _artifacts(suite: str, gold_sha256: str, file_sha256: str) -> tuple[Artifact, ...]:
    texts: dict[str, str] = {}
    for _ in parted(storage.rows(file_sha256), texts):
        pass  # the answers; what is wanted is entered into `texts`
    builds = get_suite(suite).artifacts
    stats = builds.stats(storage.rows(gold_sha256), texts) if builds else []
    by_episode = {str(each["episode_id"]): each for each in stats}
    return tuple(
        Artifact(name, texts[name], by_episode[name]) for name in sorted(texts.keys() & by_episode.keys())
    )
