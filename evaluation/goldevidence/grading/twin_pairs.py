"""Twin pairs: the same question asked in an episode and in its counterfactual twin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from evaluation.goldevidence.data.answers import Answer
from evaluation.goldevidence.data.case import Case
from evaluation.goldevidence.data.rubrics import Rubric
from evaluation.goldevidence.grading.columns import IntArray
from evaluation.goldevidence.grading.verdicts import Verdict


class Pair(NamedTuple):
    """The joint result of two twin rows, stored with the second row."""

    pair: int = 0
    consistent: int = 0  # the answers differ exactly if the golds do
    flips: int = 0  # the golds differ
    flipped: int = 0  # and so do the answers (strict: both are right)


NO_PAIR = Pair()


class TwinPairs:
    """Pairs each row with its twin. Keeps only rows whose twin has not been graded yet."""

    def __init__(self, rubric: Rubric) -> None:
        self._rubric = rubric
        self._waiting: dict[tuple[Any, ...], tuple[Any, ...]] = {}

    def meet(self, case: Case, answer: Answer | None, verdict: Verdict) -> Pair:
        """Add a row. Returns the result of the pair that the row completes, or NO_PAIR if it completes no pair."""
        if case.twin_group is None:
            return NO_PAIR
        place = (case.twin_group, case.condition, case.q_index)
        question, value, gold = _under_episode_names(case, answer)
        other = self._waiting.pop(place, None)
        if other is None:
            self._waiting[place] = (question, bool(verdict.answered), value, gold, verdict.value_ok)
            return NO_PAIR
        question_before, answered, value_before, gold_before, ok_before = other
        rules = self._rubric
        if rules.pairs_ask_the_same and question != question_before:
            return NO_PAIR
        if rules.missing_is_wrong and not (answered and verdict.answered):
            return NO_PAIR
        flips, differ = gold != gold_before, value != value_before
        flipped = bool(ok_before and verdict.value_ok) if rules.flips_are_correct else differ
        return Pair(1, flips == differ, flips, flips and flipped)


def _under_episode_names(case: Case, answer: Answer | None) -> tuple[tuple[Any, ...], str | None, str | None]:
    """The question, the answer and the gold. If the row's text renames things, with the original names."""
    key, op, manager, gold = case.key, case.op, case.manager, case.gold
    value = answer.value if answer else None
    if (before := case.before) is None:
        return (key, op, manager), value, gold
    return (
        (before.tag_before(key), op, manager and before.answer_before(manager)),
        value and before.answer_before(value, op),
        gold and before.answer_before(gold, op),
    )


def couples(group: IntArray, q_index: IntArray) -> IntArray:
    """[rows], 1 where exactly two rows have the same group and question number, else 0. A group of -1 counts as none.

    Args:
        group: [rows], code of each row's twin group and condition.
        q_index: [rows], number of its question.
    """
    coupled = np.zeros_like(group)
    if not (group >= 0).any():  # skip the sort: most versions have no such pairs, and many no twins
        return coupled
    order = np.lexsort((q_index, group))
    ordered = np.stack([group[order], q_index[order]])
    starts = np.ones(len(order), dtype=np.bool_)
    starts[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    run = np.cumsum(starts) - 1
    coupled[order] = (np.bincount(run)[run] == 2) & (ordered[0] >= 0)
    return coupled
