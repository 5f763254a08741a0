"""`gymnasium`: its own checker, then a bandit that learns from reward alone which of four reading rules to follow."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

from tests.bridges.recipes import recipe

NAME = "evaluation.gym.bridges.gymnasium:GoldEvidenceBench-v0"
EXPLORED, EPISODES = 200, 600  # rules are drawn first, then the best one is taken
_LINE = re.compile(r"\[(U[0-9A-F]{6})\] step=(\d+) (?:SET|CLEAR) (\S+?)(?: = (\S+))?(?: \(|\n|$)")
_ASKED = re.compile(r"current \w+ of (\S+)\?")


class Line(NamedTuple):
    """A candidate line as shown in a prompt."""

    uid: str
    step: int
    tag: str
    value: str | None


def _latest(lines: list[Line], tag: str) -> Line:
    return max((line for line in lines if line.tag == tag), key=lambda line: line.step, default=lines[0])


RULES: dict[str, Callable[[list[Line], str], Line | None]] = {
    "first line": lambda lines, tag: lines[0],
    "last line": lambda lines, tag: lines[-1],
    "latest of the tag": _latest,
    "silence": lambda lines, tag: None,
}


def steps() -> Iterator[tuple[str, str]]:
    """(action, result): lines of the table."""
    exec(recipe("import gymnasium", {}), {})
    env = gymnasium.make(NAME, level=0.2, families=["select_kv", "select_counter"])
    check_env(env.unwrapped)
    yield "`check_env`", "passed"
    rewards, chosen = learn(env, np.random.default_rng(0))
    first, last = (float(np.mean(each)) for each in (rewards[:EXPLORED], rewards[EXPLORED:]))
    assert last > first + 0.1, (first, last)
    assert chosen == "latest of the tag", chosen
    yield (
        f"{EPISODES} episodes of a bandit over four rules of reading, level 0.2",
        f"mean reward {first:.3f} of rules drawn ({EXPLORED}) → {last:.3f} of the rule learnt, {chosen}",
    )


def learn(env: gymnasium.Env[str, str], rng: np.random.Generator) -> tuple[list[float], str]:
    """The rewards of a bandit that explores, then takes the best rule; and its final rule."""
    names, sums, tries, rewards = list(RULES), np.zeros(len(RULES)), np.ones(len(RULES)), []
    for number in range(EPISODES):
        text, _ = env.reset(seed=0 if number == 0 else None)
        arm = int(rng.integers(len(names)) if number < EXPLORED else np.argmax(sums / tries))
        _, reward, *_ = env.step(reply(RULES[names[arm]], text))
        sums[arm] += float(reward)
        tries[arm] += 1
        rewards.append(float(reward))
    return rewards, names[int(np.argmax(sums / tries))]


def reply(rule: Callable[[list[Line], str], Line | None], text: str) -> str:
    """The answer of a rule to a question."""
    lines = [Line(uid, int(step), tag, value or None) for uid, step, tag, value in _LINE.findall(text)]
    asked = _ASKED.search(text)
    assert lines, text
    assert asked, text
    line = rule(lines, asked[1])
    return json.dumps({"value": line and line.value, "support_ids": [line.uid] if line else []})
