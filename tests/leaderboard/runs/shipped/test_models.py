"""The models trained by `make gym`, asked as boards ask them: their choices of lines show what each learnt."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from evaluation.gym.models.boards import seeds
from evaluation.gym.models.recipes import RECIPES
from leaderboard.runs.shipped import HERE
from tests.benchmarks.gym.models import judged, rows_of

FOLDER = HERE / "models"


@pytest.fixture(scope="module")
def found():
    """How often each model chooses rightly under each condition of two presets, over an unseen seed."""
    [seed] = islice(seeds("shipped models"), 1)
    rows = {preset: rows_of(preset, [seed]) for preset in ("order_bias_short", "authority_short")}
    return {
        name: {preset: judged(FOLDER / f"{name}.gguf", own) for preset, own in rows.items()}
        for name in RECIPES
    }


def test_the_files_are_small_and_say_how_they_came_about():
    for name, recipe in RECIPES.items():
        told = json.loads((FOLDER / f"{name}.json").read_text())
        steps = sum(stage.steps for stage in recipe.stages)
        assert (told["title"], told["curve"][-1]["steps"]) == (recipe.title, steps)
        assert (FOLDER / f"{name}.gguf").stat().st_size < 2_000_000


@pytest.mark.llama
def test_order_bias_is_made_and_unmade(found):
    last = found["gym-last"]["order_bias_short"]["rates"]
    assert {rate for name, rate in last.items() if "at_4" not in name} == {0.0}
    assert min(rate for name, rate in last.items() if "at_4" in name) > 0.99
    assert found["gym-order"]["order_bias_short"]["worst"] > 0.85


@pytest.mark.llama
def test_authority_is_learnt_and_unlearnt_and_silence_has_its_price(found):
    right = {name: each["authority_short"]["all"] for name, each in found.items()}
    assert right["gym-authority"] > right["gym-order"] + 0.05 > right["gym-believes"] + 0.1
    silent = {name: each["authority_short"]["none"] for name, each in found.items()}
    assert silent["gym-abstain"] > silent["gym-authority"] + 0.05
