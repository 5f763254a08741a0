"""Let attackers submit artifacts (books made from the text). Some versions count citations only with artifacts."""

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
    """Make an attacker submit a perfect artifact, a book made from the text, before it answers about an episode."""

    def built(examples: Sequence[Example]) -> Answers:
        answers, known = build(examples), set[str]()

        def answer(line: PublicLine) -> Iterable[Prediction]:
            yield from artifact_of(line, known)
            yield from answers(line)

        return answer

    return built


def artifact_of(line: PublicLine, known: set[str]) -> Iterator[Prediction]:
    """Yield the artifact of the row's episode, and add the episode to `known`. Yields nothing for a known episode."""
    row = cast(EpisodeRow, line.row)
    episode, document = row["episode_id"], row["document"]
    if episode not in known:
        known.add(episode)
        yield cast(Prediction, ArtifactLine(episode, scribed(document, episode)).as_json())
