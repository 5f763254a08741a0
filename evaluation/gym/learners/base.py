"""A learner: what it is asked, what it answers, and what it learns from. Each module here has one."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, cast

from evaluation.goldevidence.data.ledger import Entry
from evaluation.goldevidence.mistakes.record import LineShown
from evaluation.goldevidence.records import EpisodeRow
from evaluation.goldevidence.selectors.rules import answer as line_answer
from evaluation.gym.goldevidence import EpisodeOracle
from evaluation.gym.learners.network import Examples, Network
from evaluation.gym.levels import Level
from evaluation.gym.parts import Reply, Score
from evaluation.gym.tasks import Task

Line = Mapping[str, Any]  # of training data
SILENT: dict[str, object] = {"value": None, "support_ids": []}


class Learner(ABC):
    """Answers tasks with a network, and learns it from lines of one exported form."""

    name: ClassVar[str]
    about: ClassVar[str]
    form: ClassVar[str]  # what it learns from, one of `loop.exports.FORMS`
    names: ClassVar[tuple[str, ...]]  # of its features
    outputs: ClassVar[int] = 1
    training: ClassVar[tuple[str, ...]]  # families
    held_out: ClassVar[tuple[str, ...]]

    @abstractmethod
    def level(self, at: float) -> Level:
        """The dials that it is asked at.

        Args:
            at: How hard, from 0 to 1.
        """

    @abstractmethod
    def reply(self, network: Network, task: Task) -> Reply:
        """Its answer to a task.

        Args:
            network: Trained or not.
            task: The task, of which it reads `row`.
        """

    @abstractmethod
    def success(self, score: Score) -> float | None:
        """The part of a score that it is judged by; None where the task is none of its own."""

    @abstractmethod
    def examples(self, lines: Iterable[Line]) -> Examples:
        """Its training examples.

        Args:
            lines: Of its form.
        """

    def start(self, seed: int) -> Network:
        """The network before it has learnt anything."""
        return Network.start(self.names, self.outputs, seed)


def lines_of(task: Task) -> list[LineShown]:
    """The candidates of a task, as shown."""
    return cast(list[LineShown], cast(EpisodeRow, task.row).get("candidates") or [])


def key_of(task: Task) -> str:
    """The tag that a task asks about, as its public row says."""
    return str(cast(EpisodeRow, task.row)["meta"]["key"])


def answered(line: LineShown | None) -> str:
    """The reply that a line implies; silence for none."""
    if line is None:
        return json.dumps(SILENT)
    entry = Entry(line["uid"], line["step"], line["op"], line["key"], line["value"])
    return json.dumps({"value": line_answer(entry, None), "support_ids": [line["uid"]]})


def latest(lines: Sequence[LineShown]) -> LineShown | None:
    """The line of the greatest step."""
    return max(lines, key=lambda line: line["step"], default=None)


def oracle_of(task: Task) -> EpisodeOracle:
    """The oracle of a task of GoldEvidenceBench."""
    return cast(EpisodeOracle, task.oracle)
