"""A network with one hidden layer: starts without preference, learns to rank and to sort, and is stored as JSON."""

from __future__ import annotations

import json

import numpy as np
import pytest

from evaluation.core.errors import BenchmarkError
from evaluation.gym.learners import network as networks
from evaluation.gym.learners.network import Examples, Network, load

NAMES = ("a", "b")


def ranked(groups: int) -> Examples:
    """Groups of three things; the one with the smallest product of features is right."""
    things = np.random.default_rng(0).uniform(-1, 1, (groups, 3, 2))
    return Examples(things.reshape(-1, 2), things.prod(axis=2).argmin(axis=1), np.arange(groups) * 3)


def share_right(network: Network, examples: Examples) -> float:
    scores = network(examples.features)[:, 0].reshape(-1, 3)
    return float((scores.argmax(axis=1) == examples.right).mean())


def test_untrained_it_tells_nothing_apart():
    assert not Network.start(NAMES, 3, seed=1)(np.ones((4, 2))).any()


def test_it_learns_to_rank_what_no_line_divides():
    learnt = Network.start(NAMES, 1, seed=1).trained(ranked(150))
    assert share_right(learnt, ranked(150)) > 0.95


def test_it_learns_to_sort():
    things = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    classes = (things[:, 0] > 0).astype(np.int64) + (things[:, 1] > 0)
    learnt = Network.start(NAMES, 3, seed=1).trained(Examples(things, classes))
    assert (learnt(things).argmax(axis=1) == classes).mean() > 0.95


@pytest.mark.parametrize("starts", [None, np.array([0, 2])])
def test_the_slopes_are_those_of_the_loss(starts):
    things = np.random.default_rng(3).normal(size=(5, 2))
    right = np.array([0, 2, 1, 1, 0]) if starts is None else np.array([1, 2])
    start = Network.start(NAMES, 3 if starts is None else 1, seed=4)
    drawn = np.random.default_rng(5)
    weights = [
        each + drawn.normal(size=each.shape)
        for each in (start.first, start.first_bias, start.last, start.last_bias)
    ]
    examples = Examples(things, right, starts)

    def loss() -> float:
        outputs = Network(NAMES, *weights)(things)
        if starts is None:
            chances = np.exp(outputs) / np.exp(outputs).sum(axis=1, keepdims=True)
            picked = chances[np.arange(5), right]
        else:
            picked = np.array(
                [
                    np.exp(group[at]) / np.exp(group).sum()
                    for group, at in zip(np.split(outputs[:, 0], [2]), right, strict=True)
                ]
            )
        decay = networks.DECAY / 2 * ((weights[0] ** 2).sum() + (weights[2] ** 2).sum())
        return float(-np.log(picked).mean() + decay)

    for place, slope in enumerate(networks._slopes(weights, examples)):
        spot = tuple(0 for _ in weights[place].shape)
        weights[place][spot] += 1e-6
        above = loss()
        weights[place][spot] -= 2e-6
        below = loss()
        weights[place][spot] += 1e-6
        assert slope[spot] == pytest.approx((above - below) / 2e-6, abs=1e-5)


def test_a_file_holds_all_of_it(tmp_path):
    learnt = Network.start(NAMES, 1, seed=1).trained(ranked(20), epochs=5)
    learnt.save(tmp_path / "model.json", {"learner": "selector"})
    again = load(tmp_path / "model.json", NAMES, "selector")
    assert (again(np.ones((2, 2))) == learnt(np.ones((2, 2)))).all()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"learner": "gate"}, "the learner 'gate', not 'selector'"),
        ({"features": ["a"]}, "not those of the learner 'selector'"),
        ({"weights": 3}, "not a tr"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path, change, reason):
    Network.start(NAMES, 1, seed=1).save(tmp_path / "model.json", {"learner": "selector"})
    data = json.loads((tmp_path / "model.json").read_text()) | change
    (tmp_path / "model.json").write_text(json.dumps(data))
    with pytest.raises(BenchmarkError, match=reason):
        load(tmp_path / "model.json", NAMES, "selector")


def test_without_examples_there_is_nothing_to_learn():
    with pytest.raises(BenchmarkError, match="no example"):
        Network.start(NAMES, 1, seed=1).trained(Examples(np.zeros((0, 2)), np.zeros(0, dtype=np.int64)))
