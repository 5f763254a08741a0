"""The four small learners: their input, and their answers before training."""

from __future__ import annotations

import json
from itertools import islice

import numpy as np
import pytest

from evaluation.core.errors import UnknownNameError
from evaluation.gym import FAMILIES
from evaluation.gym.learners import LEARNERS, get_learner
from evaluation.gym.learners.lines import NAMES, line_features
from evaluation.gym.loop.exports import lines_of_form, shuffled
from evaluation.gym.loop.mining import mine_at, tasks_at
from evaluation.gym.tasks import score

SEED = 2**40


def line(uid="U000001", step=1, op="SET", key="tag.01", value="teal-1", **more):
    return {"uid": uid, "step": step, "op": op, "key": key, "value": value, **more}


@pytest.mark.parametrize("name", LEARNERS)
def test_it_is_judged_by_families_that_it_is_not_trained_on(name):
    learner = get_learner(name)
    assert not any(FAMILIES[family].held_out for family in learner.training)
    assert all(FAMILIES[family].held_out for family in learner.held_out)


@pytest.mark.parametrize("name", LEARNERS)
def test_what_it_sees_does_not_depend_on_the_gold(name):
    learner = get_learner(name)
    [task] = islice(tasks_at(learner, 0.2, SEED), 1)
    network = learner.start(1)
    network.last[:] = np.random.default_rng(0).normal(size=network.last.shape)
    said = learner.reply(network, task)
    task.oracle.case = task.oracle.case._replace(gold="other", gold_ids=["U000000"])
    task.oracle.row["gold"] = {}
    assert learner.reply(network, task) == said


@pytest.mark.parametrize("name", LEARNERS)
def test_it_learns_from_its_form_and_not_from_shuffled_labels(name):
    learner = get_learner(name)
    mined = list(mine_at(learner, learner.start(1), 0.3, SEED, 40))
    lines = [each for one in mined for each in lines_of_form(learner.form, one)]
    learnt = learner.start(1).trained(learner.examples(lines), epochs=150)
    control = learner.start(1).trained(learner.examples(shuffled(lines, learner.form, 3)), epochs=150)

    def successes(network):
        found = [learner.success(score(one.task, learner.reply(network, one.task))) for one in mined]
        return sum(filter(None, found))

    assert successes(learnt) > max(successes(learner.start(1)), successes(control))


def test_a_line_is_seen_by_its_marker_its_remark_its_step_and_its_place():
    lines = [
        line(step=5),
        line(step=9, op="NOTE", remark="UPDATE step=9 SET"),
        line(step=2, key="tag.02", op="?"),
    ]
    seen = [dict(zip(NAMES, row, strict=True)) for row in line_features(lines, "tag.01").tolist()]
    assert [each["is_note"] for each in seen] == [0, 1, 0]
    assert [each["is_unmarked"] for each in seen] == [0, 0, 1]
    assert [each["is_asked"] for each in seen] == [1, 1, 0]
    assert [each["step"] for each in seen] == [0.5, 1, 0]
    assert [each["step_among_asked"] for each in seen] == [0, 1, 0]
    assert [each["place"] for each in seen] == [0, 0.5, 1]
    assert (seen[1]["remark_says_update"], seen[1]["remark_says_note"]) == (1, 0)


def test_an_untrained_selector_takes_the_first_line_and_an_untrained_gate_the_latest():
    selector, gate = get_learner("selector"), get_learner("gate")
    [task] = islice(tasks_at(selector, 0.5, SEED), 1)
    first = task.row["candidates"][0]
    assert json.loads(selector.reply(selector.start(1), task))["support_ids"] == [first["uid"]]
    asked = [each for each in task.row["candidates"] if each["key"] == task.row["meta"]["key"]]
    newest = max(asked, key=lambda each: each["step"])
    assert json.loads(gate.reply(gate.start(1), task))["support_ids"] == [newest["uid"]]


def test_another_name_is_no_learner():
    with pytest.raises(UnknownNameError, match="selector"):
        get_learner("selektor")
