"""The gym as an environment of `gymnasium`: an observation is a prompt, an action a reply, an episode one step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import gymnasium
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Text

from evaluation.gym.bridges import key, parts, stream
from evaluation.gym.tasks import Task

#: Latin letters, punctuation, lines and tabs.
CHARACTERS = frozenset(map(chr, [9, 10, *range(32, 127), *range(160, 592), *range(0x2010, 0x2028)]))
Info = dict[str, object]


class GymEnv(gymnasium.Env[str, str]):
    """One question per episode. `info`: id and family of the task after a reset, parts of the score after a step."""

    def __init__(
        self, level: float | None = None, families: Sequence[str] = (), *, held_out: bool = False
    ) -> None:
        self._level, self._families, self._held_out = level, families, held_out
        self._tasks: Iterator[Task] | None = None
        self._task: Task | None = None
        self.observation_space = Text(2**18, charset=CHARACTERS)
        self.action_space = Text(2**12, min_length=0, charset=CHARACTERS)

    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[str, Info]:
        """Ask the next question. A `seed` starts a new stream of questions. `options` are not used."""
        super().reset(seed=seed)
        if seed is not None or self._tasks is None:
            own = int(self.np_random.integers(2**32, 2**63 - 1))  # above the seeds of all presets
            self._tasks = stream(own, self._level, self._families, held_out=self._held_out)
        self._task = next(self._tasks)
        return self._task.text, {"id": self._task.id, "family": self._task.family}

    def step(self, action: str) -> tuple[str, float, bool, bool, Info]:
        if self._task is None:
            raise ResetNeeded("the episode is over: call reset() to get the next question")
        task, self._task = self._task, None
        scored = parts(key(task), action)
        return task.text, scored["total"], True, False, dict(scored)


gymnasium.register("GoldEvidenceBench-v0", entry_point=f"{__name__}:GymEnv")
