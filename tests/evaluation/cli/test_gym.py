"""`goldevidencebench gym`: each step alone, and the loop."""

from __future__ import annotations

import json

import pytest

from evaluation.cli import gym as command
from evaluation.cli import main
from evaluation.gym import Frozen, frozen
from evaluation.gym.learners import LEARNERS
from evaluation.gym.loop.exports import FORMS
from evaluation.gym.loop.mining import ARMS

SEED = str(2**40)


@pytest.fixture(autouse=True)
def few_presets(monkeypatch):
    """Use few presets: making them takes seconds, and reading all of them has its own test."""
    monkeypatch.setattr(frozen, "frozen_presets", lambda suite: Frozen())


def gym(action, *words):
    return main(["gym", action, "--learner", "selector", *map(str, words)])


def test_the_choices_are_those_of_the_gym():
    assert sorted(command.LEARNERS) == sorted(LEARNERS)
    assert sorted(command.FORMS) == sorted(FORMS)
    assert command.ARMS == ARMS


def test_each_step_alone_makes_a_learner_that_gains(tmp_path, capsys):
    mined, data, model = tmp_path / "mined.jsonl", tmp_path / "data.jsonl", tmp_path / "model.json"
    assert gym("mine", "--level", 0.2, "--tasks", 40, "--seed", SEED, "--out", mined) == 0
    assert gym("export", "--data", mined, "--out", data) == 0
    assert gym("train", "--data", data, "--seed", SEED, "--out", model) == 0
    report = tmp_path / "report.json"
    assert gym("evaluate", "--model", model, "--tasks", 40, "--seed", int(SEED) + 5, "--out", report) == 0
    assert json.loads(report.read_text())["held_out"]["low"] > 0
    told = capsys.readouterr().out
    assert "40 tasks written" in told
    assert told.count(", significant") == 2


def test_the_loop_says_what_came_of_its_rounds(tmp_path, capsys):
    words = ("--out", tmp_path / "loop", "--rounds", 1, "--tasks", 30, "--unseen", 24)
    assert gym("loop", *words, "--seed", SEED) == 0
    first = capsys.readouterr()
    assert "round 1: level 0.2" in first.err
    assert (tmp_path / "loop" / "report.txt").read_text() == first.out
    assert gym("loop", *words) == 0
    assert capsys.readouterr().out == first.out


def test_a_seed_of_a_preset_and_a_planted_row_are_refused(tmp_path, capsys):
    assert gym("mine", "--level", 0.2, "--tasks", 3, "--seed", 0, "--out", tmp_path / "x.jsonl") == 2
    assert "preset" in capsys.readouterr().err
    assert gym("mine", "--level", 0.2, "--tasks", 3, "--seed", SEED, "--out", tmp_path / "x.jsonl") == 0
    assert gym("export", "--data", tmp_path / "x.jsonl", "--out", tmp_path / "y.jsonl") == 0
    words = (
        "--data",
        tmp_path / "y.jsonl",
        "--frozen",
        tmp_path / "y.jsonl",
        "--out",
        tmp_path / "model.json",
    )
    assert gym("train", *words) == 2
    assert "frozen version" in capsys.readouterr().err
    assert not (tmp_path / "model.json").exists()
