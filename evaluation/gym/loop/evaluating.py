"""Evaluation: a learner's success rate on unseen tasks, before and after training, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from evaluation.core.statistics import paired_contrast, rate_intervals
from evaluation.gym.learners import Learner
from evaluation.gym.learners.network import Network
from evaluation.gym.loop.mining import tasks_at
from evaluation.gym.tasks import Task, score

#: Difficulties of evaluation tasks, in turn.
LEVELS = (0.25, 0.5, 0.75, 1.0)


class Rate(TypedDict):
    """A share of tasks with its 95% interval, which assumes independent tasks."""

    rate: float
    low: float
    high: float
    tasks: int


class Gain(TypedDict):
    """Success rate after training minus before, over the same tasks, with its 95% interval, and both rates."""

    before: Rate
    after: Rate
    gain: float
    low: float
    high: float
    p: float
    by_level: dict[str, list[float]]  # before and after


@lru_cache(maxsize=8)  # a loop evaluates every round on the same tasks
def unseen(learner: Learner, seed: int, tasks: int, *, held_out: bool) -> tuple[Task, ...]:
    """Generate evaluation tasks, equally many per level, from held-out or training families. Keep the seed secret."""
    each = -(-tasks // len(LEVELS))
    streams = [
        islice(tasks_at(learner, at, seed + place, held_out=held_out), each)
        for place, at in enumerate(LEVELS)
    ]
    return tuple(task for group in zip(*streams, strict=True) for task in group)[:tasks]


def successes(learner: Learner, network: Network, tasks: Iterable[Task]) -> NDArray[np.float64]:
    """Answer each task: (success, 1), or (0, 0) if the learner's measure does not apply to the task, [tasks, 2].

    Args:
        tasks: Evaluation tasks, such as `unseen`.
    """
    found = [learner.success(score(task, learner.reply(network, task))) for task in tasks]
    return np.array([(0.0, 0.0) if each is None else (each, 1.0) for each in found]).reshape(-1, 2)


def rate_of(table: NDArray[np.float64]) -> Rate:
    """The success rate with its interval.

    Args:
        table: From `successes`.
    """
    [interval] = rate_intervals(table[None], icc=0.0)
    if interval is None:
        return {"rate": 0.0, "low": 0.0, "high": 1.0, "tasks": 0}
    return {
        "rate": interval.value,
        "low": interval.low,
        "high": interval.high,
        "tasks": int(table[:, 1].sum()),
    }


def gain(before: NDArray[np.float64], after: NDArray[np.float64], tasks: Sequence[Task] = ()) -> Gain:
    """The gain of one network over another on the same tasks.

    Args:
        before: From `successes`, for the network before training.
        after: From `successes`, for the trained network.
        tasks: The tasks, in the order of `unseen`, to report rates by level. If empty, there are no rates by level.
    """
    contrast = paired_contrast(after, before)
    value, low, high, p = (0.0, -1.0, 1.0, 1.0) if contrast is None else contrast[:4]
    by_level: dict[str, list[float]] = {}
    for place, at in enumerate(LEVELS):
        rows = slice(place, len(tasks), len(LEVELS))
        if before[rows, 1].sum():
            by_level[f"{at:g}"] = [
                float(each[rows, 0].sum() / each[rows, 1].sum()) for each in (before, after)
            ]
    return {
        "before": rate_of(before),
        "after": rate_of(after),
        "gain": value,
        "low": low,
        "high": high,
        "p": p,
        "by_level": by_level,
    }
