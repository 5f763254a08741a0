"""The base class of learners: tasks, answers and training examples. Each learner has a module here."""

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
    """Base class: answers tasks with a network, and converts training data of the form `form` into examples."""

    name: ClassVar[str]
    about: ClassVar[str]
    form: ClassVar[str]  # of its training data, one of `loop.exports.FORMS`
    names: ClassVar[tuple[str, ...]]  # of its features
    outputs: ClassVar[int] = 1
    training: ClassVar[tuple[str, ...]] = ("select_kv", "select_kv_commentary", "select_counter")  # families
    held_out: ClassVar[tuple[str, ...]] = ("select_set", "select_relational")

    @abstractmethod
    def level(self, at: float) -> Level:
        """The level of tasks for a difficulty `at` from 0 to 1."""

    def shown(self, network: Network, lines: Sequence[LineShown], question: str) -> Sequence[LineShown]:
        """Select the lines to choose from, by default all lines. `question` does not contain the instructions."""
        return lines

    @abstractmethod
    def chosen(self, network: Network, lines: Sequence[LineShown], key: str) -> LineShown | None:
        """Choose the line that answers a question about the tag `key`. Returns None to abstain."""

    def reply(self, network: Network, task: Task) -> Reply:
        return answered(self.chosen(network, lines_of(task), key_of(task)))

    def success(self, score: Score) -> float | None:
        """The part of a score that measures this learner. Returns None if this part does not apply to the task."""
        return score.total

    @abstractmethod
    def examples(self, lines: Iterable[Line]) -> Examples:
        """Training examples from lines of the learner's `form`."""

    def start(self, seed: int) -> Network:
        return Network.start(self.names, self.outputs, seed)


def lines_of(task: Task) -> list[LineShown]:
    return cast(list[LineShown], cast(EpisodeRow, task.row).get("candidates") or [])


def key_of(task: Task) -> str:
    return str(cast(EpisodeRow, task.row)["meta"]["key"])


def answered(line: LineShown | None) -> str:
    """Write a reply that gives the value of a line and cites the line. If `line` is None, the reply abstains."""
    if line is None:
        return json.dumps(SILENT)
    return json.dumps({"value": line_answer(entry_of(line), None), "support_ids": [line["uid"]]})


def entry_of(line: LineShown) -> Entry:
    return Entry(line["uid"], line["step"], line["op"], line["key"], line["value"])


def latest(lines: Sequence[LineShown]) -> LineShown | None:
    return max(lines, key=lambda line: line["step"], default=None)


def latest_update(lines: Sequence[LineShown], key: str) -> LineShown | None:
    """Find the latest line of a tag that is not a NOTE. If the tag has none, lines of all tags are searched."""
    updates = [line for line in lines if line["op"] != "NOTE"]
    return latest([line for line in updates if line["key"] == key]) or latest(updates)


def oracle_of(task: Task) -> EpisodeOracle:
    return cast(EpisodeOracle, task.oracle)
