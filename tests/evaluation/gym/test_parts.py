"""A score is the verdict of the suite's own grader, in total and part by part."""

from __future__ import annotations

import random

import pytest

from evaluation import gym
from evaluation.core.errors import BenchmarkError
from tests.evaluation.gym.grading import graded_total, verdict_of
from tests.evaluation.gym.replies import random_reply

LEVELS = (0.0, 0.25, 0.5)


@pytest.mark.parametrize("family", gym.FAMILIES)
def test_the_total_of_random_replies_is_the_graders_verdict(family):
    draw = random.Random(family)
    task = gym.task(draw.randrange(10, 2**40), draw.choice(LEVELS[:2]), family)
    for _ in range(6):
        reply = random_reply(task, draw)
        assert gym.score(task, reply).total == graded_total(task, reply), reply


def test_the_parts_are_those_of_the_verdict():
    draw = random.Random(4)
    for number in range(40):
        task = gym.task(100 + number, {"k": 0.3, "notes": 0.8, "spoofed": 0.8}, "select_kv_commentary")
        reply = random_reply(task, draw)
        scored, verdict = gym.score(task, reply), verdict_of(task, reply)
        if not scored.readable or not verdict["gold_present"]:
            continue
        assert scored.line_chosen == verdict["picks_gold"]
        assert scored.value_right == verdict["value_ok"]
        assert scored.authority_kept in (None, not verdict["authority_violation"])


@pytest.mark.parametrize("family", gym.FAMILIES)
def test_the_right_reply_has_the_full_score(family):
    for seed in (11, 12):
        task = gym.task(seed, {"drops": 1.0, "spoofed": 0.5, "hops": 0.5}, family)
        scored = gym.score(task, task.oracle.right)
        assert scored.total == 1
        assert {scored.value_right, scored.citation_right, scored.authority_kept} <= {1.0, None}


def test_silence_is_right_where_the_line_is_dropped_and_an_answer_where_it_is_shown():
    found = set()
    for seed in range(20, 50):
        task = gym.task(seed, {"drops": 1.0, "k": 0.2}, "select_kv")
        silent = gym.score(task, '{"value": null, "support_ids": []}')
        shown = silent.evidence_shown
        assert (silent.total, silent.abstained_rightly) == (1 - shown, 1 - shown)
        found.add(shown)
    assert found == {0.0, 1.0}


def test_a_reply_that_cannot_be_read_scores_nothing():
    task = gym.task(9, 0.2, "select_kv")
    assert gym.score(task, "the last one") == gym.Score(0.0, 0.0, tokens=3)
    assert gym.score(task, '{"value": ' + "[" * 100_000).total == 0


def test_the_fields_of_a_prediction_are_scored_as_a_text_is():
    task = gym.task(9, 0.2, "select_kv")
    uid, value = task.row["candidates"][0]["uid"], task.row["candidates"][0]["value"]
    fields = gym.score(task, {"value": value, "support_ids": [uid]})
    assert fields.total == gym.score(task, f'{{"value": "{value}", "support_ids": ["{uid}"]}}').total


def test_evidence_that_a_system_did_not_retrieve_was_not_shown_to_it():
    task = gym.task(9, 0.2, "book_kv")
    [gold] = task.oracle.case.gold_ids
    others = [entry.uid for entry in task.oracle.lines.entries() if entry.uid != gold]
    answer = {"value": "x", "support_ids": []}
    assert gym.score(task, {**answer, "shown_uids": others}).evidence_shown == 0
    assert gym.score(task, {**answer, "shown_uids": [gold]}).evidence_shown == 1


def test_always_taking_the_first_line_gives_another_answer_in_another_order():
    task = gym.task(9, {"k": 0.5}, "select_kv")
    first, last = task.reordered("gold_first"), task.reordered("gold_last")

    def first_line(task):
        return f'{{"value": "x", "support_ids": ["{task.row["candidates"][0]["uid"]}"]}}'

    scored = gym.score(first, first_line(first), reordered=(last, first_line(last)))
    assert (scored.line_chosen, scored.same_in_another_order) == (1, 0)
    right = gym.score(first, first.oracle.right, reordered=(last, last.oracle.right))
    assert right.same_in_another_order == 1


def test_another_task_is_no_other_order():
    one, other = (gym.task(seed, {"k": 0.5}, "select_kv") for seed in (9, 10))
    with pytest.raises(BenchmarkError, match="in another order"):
        gym.score(one, "{}", reordered=(other, "{}"))
