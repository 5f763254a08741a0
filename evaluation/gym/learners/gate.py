"""The authority gate: which of the lines shown change the state, which do not, and of which that is unclear."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from evaluation.goldevidence.conditions.perturb import UNMARKED
from evaluation.goldevidence.data.ledger import AUTHORITATIVE
from evaluation.gym.learners.base import Learner, Line, answered, key_of, latest, lines_of
from evaluation.gym.learners.lines import NAMES, line_features
from evaluation.gym.learners.network import Examples, Network
from evaluation.gym.levels import Level
from evaluation.gym.parts import Reply, Score
from evaluation.gym.tasks import Task

UPDATE, REMARK, UNCLEAR = CLASSES = ("update", "note", "unclear")


def class_of(op: str) -> str:
    """Kind of a line by its marker, in which alone its authority lies."""
    return UPDATE if op in AUTHORITATIVE else UNCLEAR if op == UNMARKED else REMARK


class Gate(Learner):
    """Answers by the latest line of the tag that is no note, and is silent where that one is unclear.

    Untrained, every line is an update.
    """

    name, form = "gate", "gate"
    about = "Sorts lines into updates, notes and such without a marker, whatever their remarks say."
    names = NAMES
    outputs = len(CLASSES)
    training = ("select_kv", "select_kv_commentary", "select_counter")
    held_out = ("select_set", "select_relational")

    def level(self, at: float) -> Level:
        return Level(length=at / 2, k=at, rivals=at, notes=at, spoofed=at)

    def reply(self, network: Network, task: Task) -> Reply:
        lines, key = lines_of(task), key_of(task)
        found = np.argmax(network(line_features(lines, key)), axis=1)
        kept = [
            (line, CLASSES[each])
            for line, each in zip(lines, found.tolist(), strict=True)
            if line["key"] == key and CLASSES[each] != REMARK
        ]
        chosen = latest([line for line, _ in kept])
        is_clear = any(line is chosen and kind == UPDATE for line, kind in kept)
        return answered(chosen if is_clear else None)

    def success(self, score: Score) -> float | None:
        return score.total

    def examples(self, lines: Iterable[Line]) -> Examples:
        features, right = [np.zeros((0, len(NAMES)))], list[int]()
        for line in lines:
            features.append(line_features(line["candidates"], line["key"]))
            right += [CLASSES.index(each) for each in line["labels"]]
        return Examples(np.concatenate(features), np.array(right, dtype=np.int64))
