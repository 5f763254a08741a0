"""The worst condition covers the same rows as the whole, unanswered ones counted wrong: it cannot be better."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.goldevidence.suite import SUITE

ORDERS = ("gold_first", "gold_last", "shuffle")
SMALL = {
    "generator": {"episodes": 2, "steps": 24, "queries": 3, "keys": 4, "chapters": 2, "twins": True},
    "conditions": [{"k": 3, "order": order} for order in ORDERS],
}
#: A row is right, wrong, left without an answer, or not in the file.
OUTCOMES = ("right", "wrong", "unanswered", "missing")


@cache
def small_version(protocol: str, rubric: str) -> tuple[dict[str, Any], list[Any], list[Any], list[str]]:
    """(settings, grading records, right answers, the condition of each)"""
    chosen = SUITE.settings.checked(SMALL | {"protocol": protocol, "rubric": rubric})
    items = list(SUITE.version(chosen).generate())
    system = SUITE.systems()["ledger"].build()
    answers = [system.predict(row) for item in items for row in item.rows]
    records = [item.gold for item in items]
    splits = SUITE.expected(records).splits
    return chosen, records, answers, [splits[answer["id"]] for answer in answers]


def graded(protocol: str, rubric: str, outcomes: list[str]) -> Any:
    chosen, records, answers, _ = small_version(protocol, rubric)
    sent = []
    for answer, outcome in zip(answers, outcomes, strict=True):
        match outcome:
            case "right":
                sent.append(answer)
            case "wrong":
                sent.append(answer | {"value": "spoilt"})
            case "unanswered":
                sent.append({"id": answer["id"], "value": None, "support_ids": [], "state": "cut_prompt"})
    return SUITE.version(chosen).grade(records, sent)


def rate(units: dict[str, tuple[float, int]]) -> float:
    right, rows = (sum(side) for side in zip(*units.values(), strict=True))
    return right / rows


@pytest.mark.parametrize("rubric", ["strict", "reference"])
@pytest.mark.parametrize("protocol", ["closed", "open"])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_the_worst_condition_is_never_better_than_the_whole(protocol: str, rubric: str, data: Any) -> None:
    names = small_version(protocol, rubric)[3]
    # by condition, as systems differ by condition, and row by row
    usual = {name: data.draw(st.sampled_from(OUTCOMES)) for name in dict.fromkeys(names)}
    odd = data.draw(st.lists(st.sampled_from(OUTCOMES), min_size=len(names), max_size=len(names)))
    keep = data.draw(st.sampled_from((0, 2, 5)))
    outcomes = [each if keep and at % keep == 0 else usual[names[at]] for at, each in enumerate(odd)]
    report = graded(protocol, rubric, outcomes)
    worst, whole = report.metrics.get("worst_condition_exact_acc"), report.metrics["exact_acc"]
    if worst is not None:
        assert whole is not None
        assert worst <= whole + 1e-12
        assert rate(report.robustness) == pytest.approx(worst)
    else:
        assert not report.robustness


def test_unanswered_whole_texts_are_the_worst_condition() -> None:
    """As with a model whose window fits no book: candidates are partly right, whole texts score 0."""
    names = small_version("closed", "strict")[3]
    report = graded(
        "closed", "strict", ["unanswered" if name == "closed_book" else "right" for name in names]
    )
    assert report.metrics["exact_acc"] == 0.0
    assert report.metrics["worst_condition_exact_acc"] == 0.0
    assert rate(report.robustness) == 0.0


def test_a_file_without_the_whole_texts_has_no_worst_condition() -> None:
    names = small_version("closed", "strict")[3]
    report = graded("closed", "strict", ["missing" if name == "closed_book" else "right" for name in names])
    assert report.metrics["worst_condition_exact_acc"] is None
    assert not report.robustness
