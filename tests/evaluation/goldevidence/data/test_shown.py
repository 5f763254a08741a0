"""Candidates in rows: ours are taken at once, others checked for their form."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.core.errors import RowError
from evaluation.goldevidence.data.rubrics import RUBRICS
from evaluation.goldevidence.data.shown import Candidates, ShownReader

LINE = {"uid": "U000001", "step": 1, "op": "SET", "key": "tag.00", "value": "amber-0001"}


def lines(*candidates: Any) -> dict[str, Any]:
    shown = ShownReader(RUBRICS["strict"])({"id": "a", "candidates": list(candidates)})  # type: ignore[typeddict-item]
    assert isinstance(shown, Candidates)
    return shown.lines


class Line(dict):  # type: ignore[type-arg]
    """A candidate that is not a plain dictionary."""


@pytest.mark.parametrize(
    "candidate",
    [
        LINE,
        {**LINE, "remark": "NOTE: in passing"},
        {**LINE, "value": None},
        {**LINE, "step": True},
        Line(LINE),
    ],
    ids=["ours", "disguised", "cleared", "a truth for a step", "another mapping"],
)
def test_a_candidate_is_read_whatever_holds_it(candidate: Any) -> None:
    expected = (candidate["step"], "SET", "tag.00", candidate["value"])
    assert lines(candidate, {**LINE, "uid": "U000002"})["U000001"] == expected


@pytest.mark.parametrize(
    "candidate",
    [
        {name: value for name, value in LINE.items() if name != "op"},
        {**LINE, "step": "1"},
        {**LINE, "value": 1},
        {**LINE, "uid": None},
        "a text",
        None,
    ],
    ids=["no operation", "step as text", "number as value", "no id", "text", "nothing"],
)
def test_a_candidate_without_its_fields_is_refused(candidate: Any) -> None:
    with pytest.raises(RowError, match="has a candidate without uid, step, op, key or value"):
        lines(LINE, candidate)
