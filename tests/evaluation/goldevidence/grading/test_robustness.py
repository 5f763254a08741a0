"""The worst condition of a system, and why no condition can be left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.statistics import UnitSums
from evaluation.goldevidence.grading.robustness import in_all_orders, lowest_part
from evaluation.goldevidence.suite import SUITE
from evaluation.goldevidence.systems.registry import get_system

NAMES = ["first", "last", "shuffle"]


def worst(exact: dict[str, int], names=NAMES):
    """Ten rows of one unit for each condition named, none for the others."""
    pairs = [(exact.get(name, 0), 10 if name in exact else 0) for name in NAMES]
    sums = UnitSums(tuple(NAMES), np.array([pairs], dtype=np.float64))
    return lowest_part(sums, ["E1"], names)


def test_the_worst_condition_decides_and_the_first_of_equals_is_named():
    assert worst({"first": 9, "last": 3, "shuffle": 3}) == ("last", {"E1": (3.0, 10)})


def test_a_file_that_leaves_a_condition_out_has_no_worst_one():
    assert worst({"first": 9, "shuffle": 8}) is None
    assert worst({"first": 9}, []) is None
    assert worst({"first": 9}, ["first", "unheard of"]) is None
    assert lowest_part(None, [], NAMES) is None


@given(st.tuples(*[st.integers(0, 10)] * 3), st.sampled_from(NAMES))
def test_leaving_a_condition_out_never_helps(right, left_out):
    whole = dict(zip(NAMES, right, strict=True))
    assert worst(whole) is not None
    del whole[left_out]
    assert worst(whole) is None


def orders(permutation, answer, exact, covered=None):
    """(permuted, same, right) of each row"""
    columns = {"permutation": permutation, "answer": answer, "exact": exact}
    table = in_all_orders(
        {name: np.array(values) for name, values in columns.items()},
        np.array(covered or [True] * len(exact), dtype=np.bool_),
    )
    return list(zip(*(table[name].tolist() for name in table), strict=True))


def test_a_question_is_counted_once_and_right_only_where_all_of_its_orders_are():
    assert orders([0, 0, 1, 1, -1], [3, 3, 3, 4, -1], [1, 1, 1, 0, 1]) == [
        (0, 0, 0),
        (1, 1, 1),
        (0, 0, 0),
        (1, 0, 0),
        (0, 0, 0),
    ]


def test_questions_without_an_answer_are_not_the_same_in_all_orders():
    assert orders([0, 0], [-1, -1], [0, 0])[1] == (1, 0, 0)
    assert orders([0, 0], [2, -1], [1, 0])[1] == (1, 0, 0)


def test_one_order_alone_and_a_condition_that_is_left_out_say_nothing():
    assert orders([0, 1, 1], [2, 2, 2], [1, 1, 1], [True, True, False]) == [(0, 0, 0)] * 3
    assert orders([], [], []) == []


ORDERED = SUITE.settings.checked(
    {
        "generator": {"episodes": 5, "steps": 60, "keys": 6, "queries": 3, "chapters": 2, "revision": 2},
        "conditions": [
            {"k": 3, "exact": True, "order": order} for order in ("gold_first", "gold_middle", "gold_last")
        ],
    }
)


@pytest.mark.parametrize(
    ("system", "same", "right"),
    [("ledger", 1.0, 1.0), ("positional_last", 0.0, 0.0), ("latest_step", 1.0, None)],
)
def test_a_reader_is_the_same_in_all_orders_and_a_positional_system_is_not(system, same, right):
    items, predict = list(SUITE.version(ORDERED).generate()), get_system(system).build().predict
    rows = [SUITE.public_row(row) for item in items for row in item.rows]
    rows = [row for row in rows if row.get("candidates") is not None]
    report = SUITE.version(ORDERED).grade([item.gold for item in items], [predict(row) for row in rows])
    metrics, intervals = report.metrics, report.intervals
    assert metrics["order_consistency"] == same
    assert right is None or metrics["order_robust_acc"] == right
    assert report.sums["order_consistency"].sums[..., 1].sum() == len(rows) / 3
    low, high = intervals["order_consistency"]
    assert low < high
    assert low <= same <= high


def test_files_in_another_order_say_the_same():
    items, predict = list(SUITE.version(ORDERED).generate()), get_system("latest_step").build().predict
    records = [item.gold for item in items]
    answers = [predict(SUITE.public_row(row)) for item in items for row in item.rows]
    one, other = (
        SUITE.version(ORDERED).grade(list(order), answers) for order in (records, reversed(records))
    )
    for name in ("order_consistency", "order_robust_acc", "instr_effect"):
        assert one.metrics[name] == pytest.approx(other.metrics[name])
