"""Verdicts as a person reads them."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from leaderboard.templatetags import readings, runs


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


def test_what_all_questions_end_with_is_told_once(
    client: Any, version: Any, system: Any, submit: Any
) -> None:
    address = reverse("leaderboard:submission_rows", args=[submit(version, system).pk])
    html = client.get(address, {"failure": ""}).content.decode()
    assert html.count("Reply with one JSON object") == 1
    assert html.count('class="question"') > 1
    one = client.get(address, {"failure": "", "q": version.sample["id"]}).content.decode()
    assert one.count("Reply with one JSON object") == 1
    assert "Every question below" not in one


@pytest.mark.parametrize(
    ("rate", "text"), [(1401.23, "1,401 rows/s"), (12.34, "12.3 rows/s"), (0.5, "2.0 s per row"), (None, "")]
)
def test_a_pace_has_as_many_digits_as_it_can_use(rate: float | None, text: str) -> None:
    assert runs.pace(rate) == text
