"""The selector: which of the lines shown is the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.gym.learners.base import Learner, Line, answered, key_of, lines_of
from evaluation.gym.learners.lines import NAMES, line_features
from evaluation.gym.learners.network import Examples, Network
from evaluation.gym.levels import Level
from evaluation.gym.parts import Reply, Score
from evaluation.gym.tasks import Task


class Selector(Learner):
    """Takes the line of the greatest score; untrained, the first one."""

    name, form = "selector", "selector"
    about = "Chooses the line that is evidence among up to 16, notes and disguises among them."
    names = NAMES
    training = ("select_kv", "select_kv_commentary", "select_counter")
    held_out = ("select_set", "select_relational")

    def level(self, at: float) -> Level:
        return Level(length=at / 2, k=at, rivals=at, notes=at, spoofed=at / 2, aliases=at)

    def reply(self, network: Network, task: Task) -> Reply:
        lines = lines_of(task)
        scores = network(line_features(lines, key_of(task)))[:, 0]
        return answered(lines[int(np.argmax(scores))])

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
    """Groups of things one behind the other.

    Args:
        features: Of each group, [things, features].
        right: The place of the right thing in each.
    """
    sizes = np.array([len(each) for each in features], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    things = np.concatenate(features) if features else np.zeros((0, 0))
    return Examples(things, np.array(right, dtype=np.int64), starts[: len(sizes)])
