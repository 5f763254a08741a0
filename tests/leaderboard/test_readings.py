"""Verdicts as a person reads them."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.templatetags import readings


@pytest.mark.parametrize(
    ("verdict", "answer"),
    [
        ({"value": "amber-1", "cited": ["U1"]}, {"value": "amber-1", "support_ids": ["U1"]}),
        ({"value": None, "cited": ["U1"]}, {"value": None, "support_ids": ["U1"]}),
        ({"value": None, "cited": []}, None),
        ({"value": "amber-1"}, {"value": "amber-1"}),
        ({"response": "It was cancelled."}, "It was cancelled."),
        ({}, None),
    ],
)
def test_an_answer_is_read_from_its_verdict(verdict: dict[str, Any], answer: Any) -> None:
    assert readings.answered(verdict) == answer


def test_text_stays_text_and_data_becomes_one_line_of_json() -> None:
    assert readings.json_line("as it is") == "as it is"
    assert readings.json_line({"value": "é"}) == '{"value": "é"}'
