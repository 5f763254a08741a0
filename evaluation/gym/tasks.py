"""Tasks: one question to one model, as messages, with an oracle that knows the answer."""

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

#: By suite: the module that makes its tasks, with a function `made`.
MAKERS = {"goldevidence": "evaluation.gym.goldevidence", "statebench": "evaluation.gym.statebench"}
_LARGEST = 2**63


@dataclass(frozen=True)
class Task:
    """One question.

    `row` is what a system is handed, without gold; `messages` the same as the suite's prompt has it, and `schema` the
    form of the reply (JSON schema). `record` and `oracle` are for grading alone.
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
        """Of its content: messages and schema."""
        return hashlib.sha256(jsonl.dumps({"messages": self.messages, "schema": self.schema})).hexdigest()

    @property
    def text(self) -> str:
        """All that is shown."""
        return "\n\n".join(message["content"] for message in self.messages)

    @property
    def coordinates(self) -> dict[str, object]:
        """What it is made from: `task(**coordinates)` makes it again."""
        return {
            "seed": self.seed,
            "level": self.level.as_dict(),
            "family": self.family,
            "order": self.order,
        }

    def reordered(self, order: str) -> Task:
        """The same question about the same lines in another order.

        Args:
            order: One of `goldevidence.conditions.perturb.ORDERS`; those with a name say where the right line stands.

        Raises:
            BenchmarkError: Its text has an order of its own.
        """
        return task(self.seed, self.level, self.family, order=order)


def task(seed: int, level: float | Mapping[str, float] | Level, family: str, *, order: str = "") -> Task:
    """One task, the same for the same arguments everywhere.

    Args:
        seed: What it is drawn from, below 2**63; no seed of a preset or of a shipped version.
        level: How hard it is: a number from 0 to 1, or dials by name.
        family: One of `FAMILIES`, those held out included.
        order: Of the lines to choose among; empty: shuffled.

    Raises:
        FrozenError: Something frozen has the seed.
        SettingsError: The level or the seed does not validate.
        UnknownNameError: There is no such family or order.
        BenchmarkError: The family has texts, whose order nobody chooses.
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
    """Tasks without end, family after family, each of a seed of its own.

    Args:
        seed: What the stream is drawn from; no seed of a preset or of a shipped version.
        level: How hard they are; None: each as hard as it is drawn, evenly from 0 to 1.
        families: Those of training, where nothing else is said.
        order: As of `task`.

    Raises:
        As `task`.
    """
    refuse_seed(seed)
    if not families:
        raise BenchmarkError("a stream of tasks needs a family")
    for number in count():
        drawn = Stream("gym stream", seed, number)
        own = LARGEST_THOUGHT_OF + drawn.below(_LARGEST - LARGEST_THOUGHT_OF)
        hard = drawn.random() if level is None else level
        yield task(own, hard, families[number % len(families)], order=order)


def score(task: Task, reply: Reply, *, reordered: tuple[Task, Reply] | None = None) -> Score:
    """What a reply is worth, by the suite's own grader.

    Args:
        task: The task.
        reply: What was written, thinking and remarks included; or the fields of a line of a predictions file.
        reordered: The same task with its lines in another order (`Task.reordered`), and the reply to that.

    Raises:
        BenchmarkError: The other task is not the same one in another order.
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
    """A task by its coordinates. Raises BenchmarkError where they are none."""
    match coordinates:
        case {"seed": int(seed), "level": {**level}, "family": str(family), "order": str(order)}:
            return task(seed, cast(Mapping[str, float], level), family, order=order)
        case _:
            raise BenchmarkError("a task is named by seed, level, family and order")


def secret_seed() -> int:
    """A seed that nobody has seen."""
    return LARGEST_THOUGHT_OF + secrets.randbelow(_LARGEST - LARGEST_THOUGHT_OF)
