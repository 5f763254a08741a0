"""The gym for `trl`: exports as datasets of SFT and DPO, and prompts with rewards for GRPO."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from datasets import Dataset

from evaluation.core.errors import UnknownNameError
from evaluation.gym.bridges import key, parts, stream
from evaluation.gym.frozen import Frozen
from evaluation.gym.loop.exports import read_examples
from evaluation.gym.parts import Message, Score

Rewards = list[float | None]


def dataset(path: str | Path, frozen: Frozen) -> Dataset:
    """An export as a dataset: `chat` for `SFTTrainer`, `preferences` for `DPOTrainer`.

    `path`: a file of `goldevidencebench gym export`, or of `evaluation.gym.loop.exports.export`. Raises FrozenError if
    a line contains a frozen row, or was downloaded from a site.
    """
    return Dataset.from_list(list(read_examples(path, frozen)))


def prompts(seed: int, count: int, level: float | None = None, families: Sequence[str] = ()) -> Dataset:
    """Prompts for `GRPOTrainer`, with the task keys that `rewards` needs. Arguments are those of `stream`."""
    tasks = islice(stream(seed, level, families), count)
    return Dataset.from_list([{"prompt": list(task.messages), "key": key(task)} for task in tasks])


def rewards(*names: str) -> list[Callable[..., Rewards]]:
    """Make a reward function for each named part of a score, such as `total`. An inapplicable part gives None."""
    for name in names:
        if name not in Score._fields:
            raise UnknownNameError("part of a score", name, Score._fields)
    return [_reward(name) for name in names]


def _reward(name: str) -> Callable[..., Rewards]:
    def reward(completions: Sequence[Sequence[Message]], key: Sequence[str], **_: object) -> Rewards:
        return [parts(one, said[-1]["content"]).get(name) for one, said in zip(key, completions, strict=True)]

    reward.__name__ = name  # by which the trainer logs it
    return reward
