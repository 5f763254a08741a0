"""The authority gate: classifies lines as updates, notes (without effect on the state) or unclear."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from evaluation.goldevidence.conditions.perturb import UNMARKED
from evaluation.goldevidence.data.ledger import AUTHORITATIVE
from evaluation.goldevidence.mistakes.record import LineShown
from evaluation.gym.learners.base import Learner, Line, latest
from evaluation.gym.learners.lines import NAMES, line_features
from evaluation.gym.learners.network import Examples, Network
from evaluation.gym.levels import Level

UPDATE, REMARK, UNCLEAR = CLASSES = ("update", "note", "unclear")


def class_of(op: str) -> str:
    """Class of a line, by its marker `op`. Only the marker decides whether a line changes the state."""
    return UPDATE if op in AUTHORITATIVE else UNCLEAR if op == UNMARKED else REMARK


class Gate(Learner):
    """Answers with the latest line of the tag, except notes, and abstains if this line is classified as unclear.

    An untrained gate classifies every line as an update.
    """

    name, form = "gate", "gate"
    about = (
        "Sorts lines into updates, notes and lines without a marker, no matter what a remark in a line says."
    )
    names = NAMES
    outputs = len(CLASSES)

    def level(self, at: float) -> Level:
        return Level(length=at / 2, k=at, rivals=at, notes=at, spoofed=at)

    def chosen(self, network: Network, lines: Sequence[LineShown], key: str) -> LineShown | None:
        found = np.argmax(network(line_features(lines, key)), axis=1)
        kept = [
            (line, CLASSES[each])
            for line, each in zip(lines, found.tolist(), strict=True)
            if line["key"] == key and CLASSES[each] != REMARK
        ]
        last = latest([line for line, _ in kept])
        is_clear = any(line is last and kind == UPDATE for line, kind in kept)
        return last if is_clear else None

    def examples(self, lines: Iterable[Line]) -> Examples:
        features, right = [np.zeros((0, len(NAMES)))], list[int]()
        for line in lines:
            features.append(line_features(line["candidates"], line["key"]))
            right += [CLASSES.index(each) for each in line["labels"]]
        return Examples(np.concatenate(features), np.array(right, dtype=np.int64))
