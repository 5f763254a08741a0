"""The gym: an endless supply of training tasks for both suites, each with its oracle.

    task(seed, level, family)   one task: messages, schema, and a hidden gold
    tasks(seed)                 an endless stream of tasks
    score(task, reply)          total and named parts, by the suite's own grader

Rows, prompts, parsers and graders are the suites' own. `FAMILIES` lists the families of tasks for training and the
held-out families, `Level` sets the difficulty, `Frozen` recognises data that must not be used for training.
`evaluation.gym.loop` trains.
"""

from evaluation.gym.families import FAMILIES, HELD_OUT, TRAINING, Family
from evaluation.gym.frozen import Frozen, FrozenError
from evaluation.gym.levels import DIALS, Level
from evaluation.gym.parts import Message, Score
from evaluation.gym.tasks import Task, score, secret_seed, task, tasks

__all__ = [
    "DIALS",
    "FAMILIES",
    "HELD_OUT",
    "TRAINING",
    "Family",
    "Frozen",
    "FrozenError",
    "Level",
    "Message",
    "Score",
    "Task",
    "score",
    "secret_seed",
    "task",
    "tasks",
]
