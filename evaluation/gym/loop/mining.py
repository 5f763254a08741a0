"""Mining: tasks at a level, answers of a system, and their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from evaluation.core import jsonl
from evaluation.core.errors import FORM_FAULTS, BenchmarkError, in_row
from evaluation.core.records import JsonObject
from evaluation.core.rng import Stream
from evaluation.core.suite import LARGEST_THOUGHT_OF
from evaluation.gym.frozen import refuse_held_out, refuse_seed
from evaluation.gym.goldevidence import EpisodeOracle
from evaluation.gym.learners import Learner
from evaluation.gym.learners.base import oracle_of
from evaluation.gym.learners.network import Network
from evaluation.gym.parts import Reply, Score
from evaluation.gym.tasks import Task, remade, score, task

#: Choices of training tasks. `boundary` and `uniform` differ in the level; with `gold_last` the gold line is the last
#: candidate, or in the last third of a book; `shuffled` is `boundary` with labels of other examples; `none` trains
#: nothing.
BOUNDARY, UNIFORM, GOLD_LAST, NONE, SHUFFLED = ARMS = ("boundary", "uniform", "gold_last", "none", "shuffled")
_LAST_THIRD = 2 / 3


@dataclass(frozen=True)
class Mined:
    task: Task
    reply: Reply
    score: Score
    success: float | None  # by the learner's measure; None if the task does not suit it

    @property
    def kinds(self) -> list[str]:
        """Kinds of the mistakes in the answer (docs/mistakes.md). A right answer has none."""
        if not isinstance(self.task.oracle, EpisodeOracle):
            return [] if self.score.total else ["wrong_value"]
        judged = self.task.oracle.judged(self.reply)
        return ["unreadable"] if judged is None else judged.kinds

    def as_line(self) -> JsonObject:
        """Return a JSON line, with the seed, level, family and order of the task instead of its text."""
        return {
            "id": self.task.id,
            "sha256": self.task.sha256,
            "task": self.task.coordinates,
            "reply": self.reply,
            "score": self.score._asdict(),
            "success": self.success,
            "kinds": self.kinds,
        }


def tasks_at(
    learner: Learner, at: float | None, seed: int, *, arm: str = BOUNDARY, held_out: bool = False
) -> Iterator[Task]:
    """Yield training or held-out tasks of difficulty `at` without end. If `at` is None, the difficulty is random.

    The arm `GOLD_LAST` yields only tasks with the gold line late in the text.
    """
    refuse_seed(seed)
    families = learner.held_out if held_out else learner.training
    is_choice = families[0].startswith("select_")
    for number in count():
        drawn = Stream("gym mine", learner.name, seed, number)
        # seeds above all that a person would think of, so that none is that of a version or test
        own = LARGEST_THOUGHT_OF + drawn.below(2**62)
        level = learner.level(drawn.random() if at is None else at)
        order = GOLD_LAST if arm == GOLD_LAST and is_choice else ""
        made = task(own, level, families[number % len(families)], order=order)
        if arm != GOLD_LAST or is_choice or _stands_late(made):
            yield made


def _stands_late(made: Task) -> bool:
    oracle = oracle_of(made)
    uids = [entry.uid for entry in oracle.lines.entries()]
    return all(uids.index(uid) >= _LAST_THIRD * len(uids) for uid in oracle.case.gold_ids)


def answered_by(learner: Learner, network: Network) -> Callable[[Task], Reply]:
    return lambda made: learner.reply(network, made)


def mine(
    made: Iterable[Task], answer: Callable[[Task], Reply], success: Callable[[Score], float | None]
) -> Iterator[Mined]:
    """Answer and score tasks; `success` selects a part of the score. Raises FrozenError for a held-out family."""
    for each in made:
        refuse_held_out(each.family)
        said = answer(each)
        scored = score(each, said)
        yield Mined(each, said, scored, success(scored))


def mine_at(
    learner: Learner, network: Network, at: float | None, seed: int, tasks: int, *, arm: str = BOUNDARY
) -> Iterator[Mined]:
    chosen = islice(tasks_at(learner, at, seed, arm=arm), tasks)
    return mine(chosen, answered_by(learner, network), learner.success)


def read_mined(path: str | Path, success: Callable[[Score], float | None]) -> Iterator[Mined]:
    """Read a file of mined tasks. The tasks are generated and scored again.

    Raises RowError if a line is malformed or its task is generated differently now, FrozenError for a held-out family
    or the seed of a preset.
    """
    for number, line in jsonl.read_numbered(path):
        try:
            made, said = remade(line["task"]), line["reply"]
            if made.sha256 != line["sha256"]:
                raise BenchmarkError("the task has changed since it was mined: use the release that mined it")
        except FORM_FAULTS as fault:
            raise in_row(fault, number) from fault
        if not isinstance(said, str | Mapping):
            raise in_row(ValueError("the reply is neither a text nor an object"), number)
        yield from mine([made], lambda _, said=said: said, success)  # type: ignore[misc]
