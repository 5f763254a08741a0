"""The selector: chooses the evidence among the lines shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.goldevidence.mistakes.record import LineShown
from evaluation.gym.learners.base import Learner, Line
from evaluation.gym.learners.lines import NAMES, line_features
from evaluation.gym.learners.network import Examples, Network
from evaluation.gym.levels import Level
from evaluation.gym.parts import Score


class Selector(Learner):
    """Answers with the line of highest score. Untrained, it answers with the first line."""

    name, form = "selector", "selector"
    about = "Chooses the evidence among up to 16 lines, which include notes and disguised lines."
    names = NAMES

    def level(self, at: float) -> Level:
        return Level(length=at / 2, k=at, rivals=at, notes=at, spoofed=at / 2, aliases=at)

    def chosen(self, network: Network, lines: Sequence[LineShown], key: str) -> LineShown | None:
        return lines[int(np.argmax(network(line_features(lines, key))[:, 0]))] if lines else None

    def success(self, score: Score) -> float | None:
        return score.line_chosen if score.evidence_shown else None

    def examples(self, lines: Iterable[Line]) -> Examples:
        shown = [line for line in lines if line["gold_present"]]
        features = [line_features(line["candidates"], line["key"]) for line in shown]
        right = [
            next(n for n, each in enumerate(line["candidates"]) if each["uid"] == line["correct_uid"])
            for line in shown
        ]
        return grouped(features, right)


def grouped(features: Sequence[NDArray[np.float64]], right: Sequence[int]) -> Examples:
    """Concatenate groups of items into examples for ranking.

    Args:
        features: One array [items, features] for each group.
        right: Index of the right item in each group.
    """
    sizes = np.array([len(each) for each in features], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    things = np.concatenate(features) if features else np.zeros((0, 0))
    return Examples(things, np.array(right, dtype=np.int64), starts[: len(sizes)])
