"""The bridges share a stream that refuses data not meant for training, and the gym's scores."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from evaluation import gym
from evaluation.core.errors import UnknownNameError
from evaluation.gym import bridges
from evaluation.gym.frozen import known_seeds


@pytest.mark.parametrize(
    "path", sorted(Path(bridges.__file__).parent.glob("[a-z]*.py")), ids=lambda path: path.stem
)
def test_a_bridge_is_shorter_than_60_lines(path):
    assert len(path.read_text().splitlines()) < 60


def test_a_stream_is_for_training_unless_it_is_for_judging():
    assert {task.family for task in islice(bridges.stream(7, 0.0), 12)} <= set(gym.TRAINING)
    assert {task.family for task in islice(bridges.stream(7, 0.0, held_out=True), 12)} <= set(gym.HELD_OUT)
    with pytest.raises(gym.FrozenError, match="the family chain is held out"):
        bridges.stream(7, 0.0, ["select_kv", "chain"])
    with pytest.raises(UnknownNameError, match="select_kv"):
        bridges.stream(7, 0.0, ["select_k"])


def test_a_stream_refuses_the_seed_of_a_preset():
    with pytest.raises(gym.FrozenError, match="belongs to a preset"):
        next(bridges.stream(min(known_seeds()), 0.0))


def test_a_key_makes_the_task_again_and_scores_as_the_gym_does():
    task = next(bridges.stream(7, 0.3))
    key = bridges.key(task)
    assert bridges.made(key).sha256 == task.sha256
    scored = gym.score(task, task.oracle.right)
    assert bridges.parts(key, task.oracle.right) == {
        name: value for name, value in scored._asdict().items() if value is not None
    }
