"""When a start of training a model is abandoned."""

from __future__ import annotations

import json

import pytest

from evaluation.gym.models.recipes import RECIPES, TakeOff
from leaderboard.runs.shipped import HERE

RULE = TakeOff(steps=400, right=0.75)


def curve(*rights):
    return [{"steps": 100 * number, "right": right} for number, right in enumerate(rights, 1)]


@pytest.mark.parametrize(
    ("rights", "is_given_up"),
    [
        ((), False),
        ((0.3, 0.5, 0.6), False),  # may still take off
        ((0.4, 0.6, 0.64, 0.66), True),
        ((0.4, 0.6, 0.64, 0.75), False),
        ((0.4, 0.6, 0.64, 0.8, 0.7), False),  # it has been judged
    ],
)
def test_a_start_is_given_up_that_guesses_when_it_is_judged(rights, is_given_up):
    assert RULE.fails(curve(*rights)) is is_given_up


def test_only_the_first_stage_from_random_weights_has_the_rule_and_is_judged_before_its_rates_are_spent():
    ruled = [
        (recipe, place, stage)
        for recipe in RECIPES.values()
        for place, stage in enumerate(recipe.stages)
        if stage.take_off
    ]
    assert ruled
    for recipe, place, stage in ruled:
        assert (place, recipe.begins_as) == (0, "")
        assert stage.take_off.steps % 100 == 0
        assert stage.take_off.steps < stage.steps


def test_the_seed_that_is_shipped_takes_off():
    shipped = json.loads((HERE / "models/gym-order.json").read_text())["curve"]
    rule = RECIPES["gym-order"].stages[0].take_off
    assert not any(rule.fails(shipped[:number]) for number in range(len(shipped) + 1))
    assert rule.fails([each | {"right": each["right"] * 0.75} for each in shipped[: rule.steps // 100]])
