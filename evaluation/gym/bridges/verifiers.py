"""The gym as an endless taskset of `verifiers` 0.4: rewarded by the grader, with each part of the score as a metric."""

from __future__ import annotations

from collections.abc import Iterator

import verifiers.v1 as vf
from verifiers.v1.harnesses.null import NullHarness

from evaluation.gym.bridges import key, made, parts, stream

# A harness that a taskset exports is its default: `null` is one turn without tools, others give models a shell.
__all__ = ["GymTaskset", "NullHarness"]


class GymData(vf.TaskData):
    """A task as `verifiers` stores it."""

    key: str  # makes the task again


class GymTask(vf.Task[GymData]):
    @vf.reward
    async def total(self, trace: vf.Trace) -> float:
        return parts(self.data.key, trace.last_reply)["total"]

    @vf.metric
    async def parts(self, trace: vf.Trace) -> dict[str, float]:
        return parts(self.data.key, trace.last_reply)

    async def validate(self, runtime: vf.Runtime) -> bool:
        """True if the oracle's reply gets the full score."""
        return parts(self.data.key, made(self.data.key).oracle.right)["total"] == 1


class GymConfig(vf.TasksetConfig):
    """Command-line options of the taskset, such as `--env.taskset.level 0.3`. They are the arguments of `stream`."""

    seed: int = 2**40
    level: float | None = None
    families: list[str] = []
    held_out: bool = False


class GymTaskset(vf.Taskset[GymTask, GymConfig]):
    """The endless stream of tasks. The option `-n` limits a run."""

    INFINITE = True

    def load(self) -> Iterator[GymTask]:
        own = self.config
        for task in stream(own.seed, own.level, own.families, held_out=own.held_out):
            system, user = (message["content"] for message in task.messages)
            row = GymData(id=task.id, name=task.family, system_prompt=system, prompt=user, key=key(task))
            yield GymTask(row, own.task)
