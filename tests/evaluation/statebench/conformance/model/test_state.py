"""The model on its own: the contract's rules for places and for spoken turns, case by case."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.statebench.conformance.model.facts import SENTENCES, spoken
from evaluation.statebench.conformance.model.state import Model
from tests.evaluation.statebench.writing import (
    enter,
    leave,
    say,
    supersede,
    timeline,
    write,
)

TASK = {"scope": "task", "scope_id": "T-1"}


def model(*events: Any, asked: str = "What is the plan?", **fields: Any) -> Model:
    row = timeline(*events, query=asked)
    row["events"][-1] |= fields
    return Model(row, 0)


def held(*events: Any, **asked: Any) -> list[str]:
    return [fact.value for fact in model(*events, **asked).holds()]


def test_a_write_of_a_task_holds_only_while_the_task_is_active() -> None:
    near = write("plan", "narrow", **TASK)
    assert held(near) == []
    assert held(near, enter("task", "T-1")) == ["narrow"]
    assert held(near, asked="What about t-1?") == ["narrow"]
    assert held(near, **TASK) == ["narrow"]
    assert held(near, enter("task", "T-1"), leave("task", "T-1")) == []


def test_a_place_without_an_id_is_at_hand_from_its_first_write() -> None:
    assert held(write("plan", "narrow", scope="session")) == ["narrow"]


def test_a_narrower_fact_hides_the_wider_unless_that_has_more_authority() -> None:
    near = write("plan", "narrow", scope="session")
    assert held(write("plan", "wide"), near) == ["narrow"]
    assert held(near, write("plan", "wide", authority="policy")) == ["wide"]


def test_what_ended_is_named_by_no_pointer() -> None:
    near = write("plan", "narrow", id="W-1", **TASK)
    after = supersede("plan", "anew", of="W-1", **TASK)
    result = model(near, leave("task", "T-1"), after, enter("task", "T-1"))
    assert [(fact.valid, fact.ended, fact.after) for fact in result.facts] == [
        (False, True, None),
        (True, False, None),
    ]


@pytest.mark.parametrize("form", SENTENCES)
def test_a_sentence_creates_a_fact_or_none(form: str) -> None:
    text, does = SENTENCES[form]
    result = model(say(text.format(key="tall tree", value="oak", old="elm")))
    created = [(fact.key, fact.value, fact.turn) for fact in result.facts]
    assert created == ([] if does == "nothing" else [("tall_tree", "oak", 0)])


def test_a_statement_changes_nothing_and_a_change_does() -> None:
    first = say("The tall tree is oak.")
    assert held(first, say("The tall tree is elm.")) == ["oak"]
    assert held(first, say("The tall tree is now elm.")) == ["elm"]
    assert held(first, say("The tall tree changed from oak to elm.")) == ["elm"]


def test_the_assistant_states_nothing() -> None:
    assert held(say("The tall tree is oak.", speaker="assistant")) == []


def test_what_the_specification_leaves_open_is_noted() -> None:
    status = say("The status is open.")
    assert model(status).open == []
    assert model(status, say("The status is closed.")).open == [1]  # a newer word on what is time-sensitive
    assert model(say("The tall tree is oak.") | {"scope": "draft"}).open == [0]


def test_sentences_are_read_whole() -> None:
    assert spoken("The tall tree is now elm.") is not None
    assert spoken("I heard the tall tree is elm.") is None
    assert spoken("The tall tree is elm, or so they say.") is None
