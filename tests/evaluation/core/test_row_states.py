"""The states of rows: their counts, their words, and when a run pauses."""

from __future__ import annotations

import pytest

from evaluation.core.row_states import (
    ADVICE,
    PAUSE_FROM,
    REASONS,
    RowState,
    advice,
    given_state,
    in_words,
    sentence,
    too_many,
    unanswered,
)


def test_every_state_but_an_answer_has_a_reason_and_advice() -> None:
    assert set(REASONS) == set(ADVICE) == set(RowState) - {RowState.ANSWERED, RowState.ABSTAINED}


@pytest.mark.parametrize(
    ("states", "text"),
    [
        ({"answered": 470, "abstained": 10}, ""),
        ({}, ""),
        (
            {"answered": 443, "unreadable": 7, "cut_off": 30},
            "37 of 480 lines hold no readable answer (30 cut off, 7 unreadable); they will count as wrong.",
        ),
        (
            {"answered": 1, "empty": 1},
            "1 of 2 lines holds no readable answer (1 empty); it will count as wrong.",
        ),
    ],
)
def test_what_holds_no_answer_is_said_in_a_sentence(states: dict[str, int], text: str) -> None:
    assert sentence(states, "lines") == text


def test_after_the_grading_the_sentence_is_in_the_present() -> None:
    states = {"answered": 8, "cut_prompt": 2}
    assert sentence(states, graded=True).endswith("(2 with too long a prompt); they count as wrong.")
    assert in_words(states) == "2 with too long a prompt"
    assert unanswered(states) == 2


def test_advice_begins_with_what_is_most_frequent() -> None:
    first, second = advice({"answered": 9, "unreadable": 1, "cut_prompt": 4})
    assert "num_ctx" in first
    assert "constrain" in second


@pytest.mark.parametrize(
    ("answered", "cut", "pauses"),
    [(49, 0, False), (0, 49, False), (48, 2, True), (49, 1, False), (98, 2, False)],
)
def test_a_run_pauses_above_two_in_a_hundred_of_at_least_fifty(answered: int, cut: int, pauses: bool) -> None:
    assert PAUSE_FROM == 50
    assert too_many({"answered": answered, "cut_off": cut}) is pauses


@pytest.mark.parametrize(
    "data", [{}, {"state": "answered"}, {"state": "abstained"}, {"state": []}, {"state": 5}]
)
def test_no_other_state_is_a_reason(data: dict[str, object]) -> None:
    assert given_state(data) is None
