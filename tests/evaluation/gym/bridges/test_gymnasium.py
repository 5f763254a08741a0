"""The gym as an environment of the real Gymnasium."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation import gym
from evaluation.gym import bridges
from evaluation.gym.tasks import Task

pytestmark = pytest.mark.gymnasium
NAME = "evaluation.gym.bridges.gymnasium:GoldEvidenceBench-v0"


def make(**options: Any) -> Any:
    import gymnasium

    return gymnasium.make(NAME, **options)


def current_task(env: Any) -> Task:
    """The present task of an environment."""
    task = env.unwrapped._task
    assert isinstance(task, Task)
    return task


def test_its_checker_finds_no_fault():
    from gymnasium.utils.env_checker import check_env

    check_env(make(level=0.2).unwrapped)


@pytest.mark.parametrize("held_out", [False, True])
def test_a_reply_is_rewarded_as_the_gym_scores_it_in_every_family(held_out):
    env = make(level=0.0, held_out=held_out)
    env.reset(seed=1)
    for number, family in enumerate(gym.HELD_OUT if held_out else gym.TRAINING):
        task = current_task(env)
        reply = task.oracle.right if number % 2 else "I do not know."
        scored = gym.score(task, reply)
        text, reward, terminated, truncated, info = env.step(reply)
        assert (task.family, text, reward) == (family, task.text, scored.total)
        assert (terminated, truncated) == (True, False)
        assert info == bridges.parts(bridges.key(task), reply)
        text, info = env.reset()
        assert text in env.observation_space
        assert info["family"] == current_task(env).family


def test_a_seed_starts_the_same_stream_again():
    env = make(level=0.2)
    first = [env.reset(seed=7)[0], env.reset()[0]]
    assert [env.reset(seed=7)[0], env.reset()[0]] == first
    assert env.reset(seed=8)[0] not in first


def test_several_run_at_once():
    import gymnasium

    envs = gymnasium.make_vec(NAME, num_envs=2, vectorization_mode="sync", level=0.0)
    texts, _ = envs.reset(seed=[1, 2])
    assert len(set(texts)) == 2
    assert list(envs.step(("", ""))[1]) == [0.0, 0.0]
    envs.close()


def test_an_answered_question_takes_no_second_answer():
    from gymnasium.error import ResetNeeded

    env = make(level=0.0).unwrapped
    env.reset(seed=1)
    env.step("")
    with pytest.raises(ResetNeeded, match="reset"):
        env.step("")


def test_a_family_that_is_held_out_is_not_for_training():
    with pytest.raises(gym.FrozenError, match="the family chain is held out"):
        make(families=["chain"]).reset(seed=1)
