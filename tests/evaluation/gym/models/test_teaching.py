"""`make gym`: models are trained with JAX, one from another, and a repeated call trains none again."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.gym.models import __main__ as command
from evaluation.gym.models.recipes import RECIPES

ROOT = Path(__file__).parents[4]
PYTHON = ROOT / "build/gym/bin/python"
#: Run where JAX is: a recipe of two steps, of which so many starts are given up after the first.
RULED = """
import sys
from pathlib import Path
from evaluation.core.errors import BenchmarkError
from evaluation.gym.models import teaching
from evaluation.gym.models.recipes import Recipe, Stage, TakeOff

class Fails(TakeOff):
    def fails(self, curve):
        return len(curve) == 1 and len(given_up) < int(sys.argv[2]) and not given_up.append(1)

given_up = []
teaching.EVERY = 1
teaching.RECIPES["tiny"] = Recipe("Tiny", "-", (Stage(2, take_off=Fails(steps=1, right=0.9, starts=2)),))
try:
    teaching.teach("tiny", Path(sys.argv[1]), seed=5, share=1.0, tell=print)
except BenchmarkError as error:
    print(error)
"""


def test_models_are_trained_from_those_before_them():
    names = list(RECIPES)
    for place, recipe in enumerate(RECIPES.values()):
        needed = {recipe.begins_as, *(stage.mistakes_of for stage in recipe.stages)} - {""}
        assert needed <= set(names[:place])


@pytest.mark.skipif(importlib.util.find_spec("jax") is not None, reason="JAX is installed beside the tests")
def test_without_jax_the_command_says_how_to_get_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["models", "--out", str(tmp_path)])
    assert command.main() == 1
    assert "JAX is not installed here: use make gym" in capsys.readouterr().out


@pytest.mark.skipif(not PYTHON.exists(), reason="this machine has no JAX in build/gym (make build/gym.stamp)")
def test_a_model_is_trained_once_and_needs_those_before_it(tmp_path):
    def train(name, *more):
        ran = [
            PYTHON,
            "-m",
            "evaluation.gym.models",
            "--out",
            tmp_path,
            "--share",
            "0.01",
            "--only",
            name,
            *more,
        ]
        return subprocess.run(ran, cwd=ROOT, capture_output=True, text=True)

    refused = train("gym-authority")
    assert refused.returncode == 1
    assert "gym-order is not in" in refused.stdout
    assert train("gym-last").returncode == 0
    told = json.loads((tmp_path / "gym-last.json").read_text())
    assert [point["steps"] for point in told["curve"]] == [3]
    assert set(told["judged"]) == {"rows", "orders", "worst", "best"}
    assert (tmp_path / "gym-last.gguf").stat().st_size < 4_000_000
    assert train("gym-last").stdout == "gym-last: already trained\n"
    refused = train("gym-last", "--seed", "2")
    assert refused.returncode == 1
    assert "was started with --seed 1 --share 0.01: use these again" in refused.stdout


@pytest.mark.skipif(not PYTHON.exists(), reason="this machine has no JAX in build/gym (make build/gym.stamp)")
def test_a_start_that_does_not_take_off_is_followed_by_the_next_seed_and_counted(tmp_path):
    def train(folder, fails):
        ran = [PYTHON, "-c", RULED, tmp_path / folder, fails]
        done = subprocess.run(ran, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "starting again with seed 6" in train("once", "1")
    told = json.loads((tmp_path / "once/tiny.json").read_text())
    assert told["seed"] == 6
    assert [(each["seed"], each["steps"]) for each in told["given_up"]] == [(5, 1)]
    assert [point["steps"] for point in told["curve"]] == [1, 2]
    assert train("once", "0") == "tiny: already trained\n"
    assert "tiny: none of 2 starts was accurate enough" in train("never", "9")
    assert not (tmp_path / "never/tiny.gguf").exists()
