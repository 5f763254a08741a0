"""The gym for external trainers, with one module for each library: `verifiers`, `trl` and `gymnasium`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache

from evaluation.gym.families import HELD_OUT, TRAINING
from evaluation.gym.frozen import refuse_held_out
from evaluation.gym.parts import Reply
from evaluation.gym.tasks import Task, remade, score, tasks


def stream(
    seed: int, level: float | None = None, families: Sequence[str] = (), *, held_out: bool = False
) -> Iterator[Task]:
    """An endless stream of tasks for training or, with `held_out`, for evaluation.

    If `families` is empty, tasks are from all families for this purpose. If `level` is None, each task has a random
    level. Raises UnknownNameError for an unknown family; FrozenError for the seed of a preset, or for a held-out family
    without `held_out`.
    """
    chosen = tuple(families) or (HELD_OUT if held_out else TRAINING)
    if not held_out:
        for name in chosen:
            refuse_held_out(name)
    return tasks(seed, level, chosen)


def key(task: Task) -> str:
    """Encode the seed, level, family and order of a task as JSON for datasets. `made` generates the task from it."""
    return json.dumps(task.coordinates)


@lru_cache(maxsize=256)
def made(key: str) -> Task:
    return remade(json.loads(key))


def parts(key: str, reply: Reply) -> dict[str, float]:
    """Score a reply to the task with this key. Returns the applicable parts of the score, by name."""
    scored = score(made(key), reply)
    return {name: float(value) for name, value in scored._asdict().items() if value is not None}
