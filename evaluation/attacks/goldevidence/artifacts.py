"""Attackers of versions whose systems build an artifact first: without one every citation would be nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import cast

from evaluation.attacks.plan import Answers, Example, PublicLine
from evaluation.core.files.artifacts import ArtifactLine
from evaluation.core.records import Prediction
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.systems.two_phases import scribed

Build = Callable[[Sequence[Example]], Answers]


def with_artifacts(build: Build) -> Build:
    """An attacker whose answers are preceded, once an episode, by the book of a perfect scribe.

    Args:
        build: The attacker without one.
    """

    def built(examples: Sequence[Example]) -> Answers:
        answers, known = build(examples), set[str]()

        def answer(line: PublicLine) -> Iterable[Prediction]:
            yield from artifact_of(line, known)
            yield from answers(line)

        return answer

    return built


def artifact_of(line: PublicLine, known: set[str]) -> Iterator[Prediction]:
    """The artifact of a row's episode, where it is not known yet.

    Args:
        line: The row.
        known: The episodes that have theirs; this one's is entered.
    """
    row = cast(EpisodeRow, line.row)
    episode, document = row["episode_id"], row["document"]
    if episode not in known:
        known.add(episode)
        yield cast(Prediction, ArtifactLine(episode, scribed(document, episode)).as_json())
