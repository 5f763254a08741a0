"""Mining: tasks at a level, what a system answers, and what that is worth."""

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

#: How tasks for training are chosen. `boundary` and `uniform` differ in the level; under `gold_last` the line that
#: answers is the last of the candidates, or in the last third of a book; `shuffled` is `boundary` with labels that
#: belong to other examples; under `none` nothing is trained.
BOUNDARY, UNIFORM, GOLD_LAST, NONE, SHUFFLED = ARMS = ("boundary", "uniform", "gold_last", "none", "shuffled")
_LAST_THIRD = 2 / 3


@dataclass(frozen=True)
class Mined:
    """A task with its answer."""

    task: Task
    reply: Reply
    score: Score
    success: float | None  # as its learner is judged; None where the task is none of its own

    @property
    def kinds(self) -> list[str]:
        """The kinds of mistake (docs/mistakes.md), of a task of GoldEvidenceBench; none of a right answer."""
        if not isinstance(self.task.oracle, EpisodeOracle):
            return [] if self.score.total else ["wrong_value"]
        judged = self.task.oracle.judged(self.reply)
        return ["unreadable"] if judged is None else judged.kinds

    def as_line(self) -> JsonObject:
        """As JSON: what the task is made from, and not what it shows."""
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
    """Tasks of a learner without end, family after family.

    Args:
        learner: Whose.
        at: How hard, from 0 to 1; None: each as hard as is drawn.
        seed: What they are drawn from.
        arm: One of `ARMS`.
        held_out: Whether they are of the families that it is not trained on.
    """
    refuse_seed(seed)
    families = learner.held_out if held_out else learner.training
    is_choice = families[0].startswith("select_")
    for number in count():
        drawn = Stream("gym mine", learner.name, seed, number)
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
    """A learner as something that answers.

    Args:
        learner: Who answers.
        network: With what it has learnt.
    """
    return lambda made: learner.reply(network, made)


def mine(
    made: Iterable[Task], answer: Callable[[Task], Reply], success: Callable[[Score], float | None]
) -> Iterator[Mined]:
    """The answers to tasks, whatever answers: a learner, or a model.

    Args:
        made: The tasks.
        answer: Called with each.
        success: What of its score counts.

    Raises:
        FrozenError: A task is of a family that is held out.
    """
    for each in made:
        refuse_held_out(each.family)
        said = answer(each)
        scored = score(each, said)
        yield Mined(each, said, scored, success(scored))


def mine_at(
    learner: Learner, network: Network, at: float | None, seed: int, tasks: int, *, arm: str = BOUNDARY
) -> Iterator[Mined]:
    """So many tasks of a learner with its answers.

    Args:
        learner: Who answers.
        network: With what it has learnt.
        at: How hard, from 0 to 1; None: each as hard as is drawn.
        seed: What the tasks are drawn from.
        tasks: How many.
        arm: One of `ARMS`.
    """
    chosen = islice(tasks_at(learner, at, seed, arm=arm), tasks)
    return mine(chosen, answered_by(learner, network), learner.success)


def read_mined(path: str | Path, success: Callable[[Score], float | None]) -> Iterator[Mined]:
    """The tasks and answers of a file, made and scored again.

    Args:
        path: The file.
        success: What of a score counts.

    Raises:
        RowError: A line is none, or its task is another one now.
        FrozenError: A task is of a family that is held out, or of a frozen seed.
    """
    for number, line in jsonl.read_numbered(path):
        try:
            made, said = remade(line["task"]), line["reply"]
            if made.sha256 != line["sha256"]:
                raise BenchmarkError("the task is another one now: it was mined by another release")
        except FORM_FAULTS as fault:
            raise in_row(fault, number) from fault
        if not isinstance(said, str | Mapping):
            raise in_row(ValueError("a reply is a text or an object"), number)
        yield from mine([made], lambda _, said=said: said, success)  # type: ignore[misc]
