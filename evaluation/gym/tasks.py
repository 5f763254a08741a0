"""Tasks: one question to a model, as messages, with an oracle."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from itertools import count
from typing import cast

from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError
from evaluation.core.records import GradingRecord, JsonObject, Row
from evaluation.core.rng import Stream
from evaluation.core.suite import LARGEST_THOUGHT_OF, SuiteVersion
from evaluation.gym.families import TRAINING, get_family
from evaluation.gym.frozen import refuse_seed
from evaluation.gym.levels import Level
from evaluation.gym.parts import Made, Message, Oracle, Reply, Score

#: Suite -> module with a function `made`.
MAKERS = {"goldevidence": "evaluation.gym.goldevidence", "statebench": "evaluation.gym.statebench"}
_LARGEST = 2**63


@dataclass(frozen=True)
class Task:
    """One question to a model.

    `row` is the input of a system, without gold. `messages` is the row as a chat in the suite's prompt, and `schema`
    the JSON schema of the reply. `record` and `oracle` are for grading only.
    """

    id: str
    seed: int
    level: Level
    family: str
    order: str
    row: Row
    messages: Sequence[Message]
    schema: JsonObject
    asks: str = field(repr=False)
    record: GradingRecord = field(repr=False)
    version: SuiteVersion = field(repr=False)
    oracle: Oracle = field(repr=False)

    @cached_property
    def sha256(self) -> str:
        """Hash of messages and schema."""
        return hashlib.sha256(jsonl.dumps({"messages": self.messages, "schema": self.schema})).hexdigest()

    @property
    def text(self) -> str:
        return "\n\n".join(message["content"] for message in self.messages)

    @property
    def coordinates(self) -> dict[str, object]:
        """The arguments of `task` that reproduce this task."""
        return {"seed": self.seed, "level": self.level.as_dict(), "family": self.family, "order": self.order}

    def reordered(self, order: str) -> Task:
        """The same question with its candidates in another `order` (`perturb.ORDERS`). Raises the errors of `task`."""
        return task(self.seed, self.level, self.family, order=order)


def task(seed: int, level: float | Mapping[str, float] | Level, family: str, *, order: str = "") -> Task:
    """Generate one task; equal arguments give equal tasks on every machine.

    Args:
        seed: Below 2**63, and not the seed of a preset.
        level: Difficulty: a number from 0 to 1, or dials by name.
        family: One of `FAMILIES`; it may be held out.
        order: Order of the candidates; shuffled if empty.

    Raises:
        FrozenError: The seed belongs to a preset.
        SettingsError: The level or the seed is invalid.
        UnknownNameError: There is no such family or order.
        BenchmarkError: An `order` is given for a family without candidates.
    """
    chosen, dials = get_family(family), Level.read(level)
    refuse_seed(seed)
    drawn = Stream("gym", family, seed)
    own_seed = LARGEST_THOUGHT_OF + drawn.below(_LARGEST - LARGEST_THOUGHT_OF)
    refuse_seed(own_seed)
    maker = import_module(MAKERS[chosen.suite])
    made: Made = maker.made(chosen, dials, own_seed, drawn, order)
    name = hashlib.sha256(jsonl.dumps([family, seed, dials.as_dict(), order])).hexdigest()[:16]
    return Task(
        f"gym-{family}-{name}",
        seed,
        dials,
        family,
        order,
        made.row,
        made.messages,
        made.schema,
        made.asks,
        made.record,
        made.version,
        made.oracle,
    )


def tasks(
    seed: int,
    level: float | Mapping[str, float] | Level | None = None,
    families: Sequence[str] = TRAINING,
    *,
    order: str = "",
) -> Iterator[Task]:
    """An endless stream of tasks. It takes the families in turn, and each task has another seed.

    Args:
        seed: Seed of the stream, not the seed of a preset.
        level: Difficulty. If None, it is drawn uniformly from [0, 1] for each task.
        families: Names of families; by default all for training.
        order: As in `task`.

    Raises:
        The errors of `task`.
    """
    refuse_seed(seed)
    if not families:
        raise BenchmarkError("a stream of tasks needs at least one family")
    for number in count():
        drawn = Stream("gym stream", seed, number)
        own = LARGEST_THOUGHT_OF + drawn.below(_LARGEST - LARGEST_THOUGHT_OF)
        hard = drawn.random() if level is None else level
        yield task(own, hard, families[number % len(families)], order=order)


def score(task: Task, reply: Reply, *, reordered: tuple[Task, Reply] | None = None) -> Score:
    """Score a reply with the suite's own grader.

    Args:
        task: The task.
        reply: The text of a model, thinking included; or the fields of a line of a predictions file.
        reordered: The same task with its lines in another order (`Task.reordered`), and the reply to that task.

    Raises:
        BenchmarkError: The task in `reordered` is a different one.
    """
    scored = task.oracle.score(reply)
    if reordered is None:
        return scored
    other, said = reordered
    if other.asks != task.asks:
        raise BenchmarkError(f"task {other.id} is not task {task.id} in another order")
    return scored._replace(
        same_in_another_order=float(task.oracle.choice(reply) == other.oracle.choice(said))
    )


def remade(coordinates: Mapping[str, object]) -> Task:
    """Generate the task with these coordinates again. Raises BenchmarkError if they are malformed."""
    match coordinates:
        case {"seed": int(seed), "level": {**level}, "family": str(family), "order": str(order)}:
            return task(seed, cast(Mapping[str, float], level), family, order=order)
        case _:
            raise BenchmarkError("the coordinates of a task must have seed, level, family and order")


def secret_seed() -> int:
    return LARGEST_THOUGHT_OF + secrets.randbelow(_LARGEST - LARGEST_THOUGHT_OF)
