"""Exports: each form from the same mined tasks, with a card, without frozen or held-out data."""

from __future__ import annotations

import hashlib
import json
from itertools import islice

import pytest

from evaluation import gym
from evaluation.core import jsonl
from evaluation.core.errors import BenchmarkError, RowError, UnknownNameError
from evaluation.goldevidence.selectors.linear import train
from evaluation.gym.learners import get_learner
from evaluation.gym.loop.exports import FORMS, card_path, export, lines_of_form, read_examples
from evaluation.gym.loop.mining import mine, mine_at, read_mined

SEED = 2**40
SELECTOR = get_learner("selector")


@pytest.fixture(scope="module")
def mined():
    return list(mine_at(SELECTOR, SELECTOR.start(1), 0.3, SEED, 20))


@pytest.fixture(scope="module")
def talks():
    families = [name for name in gym.TRAINING if gym.FAMILIES[name].suite == "statebench"]
    chosen = islice(gym.tasks(SEED, 0.1, families), 6)
    return list(mine(chosen, lambda task: "It is unclear.", lambda score: score.total))


@pytest.mark.parametrize("form", FORMS)
def test_a_form_is_written_with_a_card_that_says_what_it_holds(form, mined, tmp_path):
    path = tmp_path / "data.jsonl"
    card = export(mined, form, path, gym.Frozen())
    lines = list(read_examples(path, gym.Frozen()))
    assert card["lines"] == len(lines) == card["right"] + card["mistakes"] > 0
    assert card["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert set(card["families"]) <= set(SELECTOR.training)
    assert json.loads(card_path(path).read_text()) == card


def test_chat_and_preferences_answer_the_task_as_it_is_asked(mined, talks):
    for each in [*mined, *talks]:
        [chat] = lines_of_form("chat", each)
        assert chat["messages"][:-1] == each.task.messages
        assert gym.score(each.task, chat["messages"][-1]["content"]).total == 1
        for pair in lines_of_form("preferences", each):
            assert gym.score(each.task, pair["chosen"][0]["content"]).total == 1
            assert gym.score(each.task, pair["rejected"][0]["content"]).total == 0


def test_a_conversation_has_no_lines_to_choose_among(talks):
    for form in ("reranker", "selector", "gate", "abstain"):
        assert [line for each in talks for line in lines_of_form(form, each)] == []


def test_hard_negatives_are_not_the_line_that_answers(mined):
    for each in mined:
        for line in lines_of_form("reranker", each):
            assert line["positive_uid"] == each.task.oracle.case.gold_ids[0]
            assert line["positive"] not in line["negatives"]
            assert 0 < len(line["negatives"]) <= 8


def test_examples_of_the_selector_are_those_that_the_linear_one_reads(mined):
    lines = [line for each in mined for line in lines_of_form("selector", each)]
    assert train(lines, epochs=2).meta["train_examples"] > 0


def test_what_is_frozen_is_left_out_and_a_planted_line_is_refused(mined, tmp_path):
    frozen = gym.Frozen.from_rows(each.task.row for each in mined[:3])
    card = export(mined, "gate", tmp_path / "data.jsonl", frozen)
    assert card["left_out"] == 3
    assert list(read_examples(tmp_path / "data.jsonl", frozen))
    planted = [*jsonl.read(tmp_path / "data.jsonl"), *lines_of_form("gate", mined[0])]
    jsonl.write(tmp_path / "planted.jsonl", planted)
    with pytest.raises(gym.FrozenError, match="frozen version"):
        list(read_examples(tmp_path / "planted.jsonl", frozen))


def test_tasks_of_families_that_are_held_out_are_neither_mined_nor_read(tmp_path):
    task = gym.task(SEED, 0.1, "select_set")
    with pytest.raises(gym.FrozenError, match="held out"):
        list(mine([task], lambda task: "{}", lambda score: score.total))
    line = {"id": task.id, "sha256": task.sha256, "task": task.coordinates, "reply": "{}"}
    jsonl.write(tmp_path / "mined.jsonl", [line])
    with pytest.raises(gym.FrozenError, match="held out"):
        list(read_mined(tmp_path / "mined.jsonl", SELECTOR.success))


def test_mined_tasks_are_read_as_they_were_written(mined, tmp_path):
    jsonl.write(tmp_path / "mined.jsonl", (each.as_line() for each in mined))
    again = list(read_mined(tmp_path / "mined.jsonl", SELECTOR.success))
    assert [each.as_line() for each in again] == [each.as_line() for each in mined]
    jsonl.write(tmp_path / "changed.jsonl", [mined[0].as_line() | {"sha256": "0"}])
    with pytest.raises(BenchmarkError, match="has changed since"):
        list(read_mined(tmp_path / "changed.jsonl", SELECTOR.success))
    jsonl.write(tmp_path / "none.jsonl", [{"id": "x"}])
    with pytest.raises(RowError, match="not in the suite's format"):
        list(read_mined(tmp_path / "none.jsonl", SELECTOR.success))


def test_another_form_is_unknown(mined):
    with pytest.raises(UnknownNameError, match="chat"):
        list(lines_of_form("chatt", mined[0]))
