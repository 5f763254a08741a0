"""The abstainer: decides whether the lines shown establish an answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluation.goldevidence.mistakes.record import LineShown
from evaluation.goldevidence.mistakes.training import ABSTAIN, ANSWER
from evaluation.gym.learners.base import Learner, Line, latest, latest_update
from evaluation.gym.learners.lines import MARKERS
from evaluation.gym.learners.network import Examples, Network
from evaluation.gym.levels import Level

CLASSES = (ANSWER, ABSTAIN)
NAMES = (
    "lines",
    "asked",
    "none_asked",
    *(f"asked_{marker}" for marker in ("set", "clear", "note", "unmarked")),
    *(f"latest_is_{marker}" for marker in ("set", "clear", "note", "unmarked")),
    "remarks",
    "last_asked_step",
)


class Abstain(Learner):
    """Answers with the latest line of the asked tag that is not a NOTE, or abstains. Untrained, it never abstains."""

    name, form = "abstain", "abstain"
    about = "Abstains if the line that answers is not shown, or if its authority is unclear."
    names = NAMES
    outputs = len(CLASSES)

    def level(self, at: float) -> Level:
        return Level(length=at / 2, k=at, rivals=at / 3, notes=at, spoofed=at, drops=0.5 + at / 2)

    def chosen(self, network: Network, lines: Sequence[LineShown], key: str) -> LineShown | None:
        found = int(np.argmax(network(row_features(lines, key)[None])[0]))
        return None if CLASSES[found] == ABSTAIN else latest_update(lines, key)

    def examples(self, lines: Iterable[Line]) -> Examples:
        features, right = list[NDArray[np.float64]](), list[int]()
        for line in lines:
            features.append(row_features(line["candidates"], line["key"]))
            right.append(CLASSES.index(line["label"]))
        return Examples(np.array(features).reshape(-1, len(NAMES)), np.array(right, dtype=np.int64))


def row_features(lines: Sequence[LineShown], key: str) -> NDArray[np.float64]:
    """Features of all lines together, [features] as in `NAMES`, each scaled approximately to [0, 1].

    Args:
        lines: In the order shown.
        key: The tag of the question.
    """
    asked = [line for line in lines if line["key"] == key]
    last, most = latest([line for line in asked if line["op"] != "NOTE"]), max(len(lines), 1)
    end = max((line["step"] for line in lines), default=1) or 1
    return np.array(
        [
            len(lines) / 16,
            len(asked) / most,
            float(not asked),
            *(sum(line["op"] == marker for line in asked) / most for marker in MARKERS),
            *(float(last is not None and last["op"] == marker) for marker in MARKERS),
            sum("remark" in line for line in lines) / most,
            last["step"] / end if last else 0.0,
        ]
    )
