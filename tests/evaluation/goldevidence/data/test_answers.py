"""Both forms of a prediction give the same answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.row_states import UNANSWERED
from evaluation.goldevidence.data.answers import (
    UNPARSED,
    VALUE_FIELDS,
    Answer,
    AnswerError,
    cited_ids,
    normalize,
    read,
    row_state,
)

ANSWER = {"value": "amber-0003", "support_ids": ["U000003"]}


@pytest.mark.parametrize("field", ["output", "text", "completion"])
@pytest.mark.parametrize(
    "frame", ["{}", "Sure:\n```json\n{}\n```", "<think>so {{</think>{}", "the answer {} I think"]
)
def test_an_answer_in_prose_or_fences_is_found(field: str, frame: str) -> None:
    if "{{" in frame:
        frame = frame.replace("{{", "")
    assert read({field: frame.replace("{}", json.dumps(ANSWER))}) == Answer("amber-0003", ["U000003"])


def test_fields_win_over_a_text_and_the_first_text_that_is_not_empty_counts() -> None:
    assert read({"value": "x", "output": '{"value": "y"}'}) == Answer("x", [])
    assert read({"output": "", "text": '{"value": "y"}', "completion": '{"value": "z"}'}) == Answer("y", [])


@pytest.mark.parametrize("data", [{"output": "none"}, {"output": ""}, {"output": 5}, {"text": "[1]"}])
def test_a_text_without_an_object_is_unparsed(data) -> None:
    assert read(data) == UNPARSED


def test_the_choice_of_a_selector_stands_beside_either_form() -> None:
    assert read({"value": "x", "selected_uid": " U000003 "}) == Answer("x", [], selected="U000003")
    assert read({"output": '{"value": "y"}', "selected_uid": "U000003"}).selected == "U000003"
    assert read({"output": "none", "selected_uid": "U000003"}) == UNPARSED._replace(selected="U000003")
    assert (
        read({"value": "x", "selected_uid": None})
        == read({"value": "x", "selected_uid": ""})
        == Answer("x", [])
    )


def test_a_choice_alone_is_no_answer_and_one_within_a_text_is_the_model_s_own_business() -> None:
    assert read({"selected_uid": "U000003"}) is None
    assert read({"output": '{"value": "y", "selected_uid": "U000003"}'}) == Answer("y", [])


def test_a_choice_that_is_no_text_is_an_error() -> None:
    with pytest.raises(AnswerError, match="'selected_uid' must be a text or null"):
        read({"value": "x", "selected_uid": ["U000003"]})


@pytest.mark.parametrize("text", ["{}", '{"answer": "x"}', '{"note": null}'])
def test_an_object_without_an_answer_is_unparsed(text: str) -> None:
    assert read({"output": text}, any_form=False) == UNPARSED


@pytest.mark.parametrize("state", sorted(UNANSWERED))
def test_a_line_that_says_why_there_is_no_answer_holds_none_whatever_else_it_holds(state) -> None:
    for more in ({}, {"value": "amber-0003", "support_ids": ["U000003"]}, {"output": '{"value": "x"}'}):
        assert read({"id": "a", "state": state.value} | more) == UNPARSED._replace(state=state)
        assert row_state({"id": "a", "state": state.value} | more) == state


@pytest.mark.parametrize("state", ["answered", "abstained", "done", "", 5, None, ["cut_off"]])
def test_any_other_state_is_the_sender_s_own_business(state) -> None:
    assert read({"id": "a", "state": state}) is None
    assert read({"id": "a", "state": state, "value": "x"}) == Answer("x", [])


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ({"value": "x"}, "answered"),
        ({"value": None, "support_ids": ["U000003"]}, "answered"),
        ({"value": None, "support_ids": []}, "abstained"),
        ({"value": "null"}, "abstained"),
        ({"output": '{"value": null}'}, "abstained"),
        ({"output": ""}, "empty"),
        ({"output": None, "text": " \n"}, "empty"),
        ({"output": "I cannot tell."}, "unreadable"),
        ({"output": "{}"}, "unreadable"),
    ],
)
def test_the_state_of_a_row_follows_from_its_line(line, state: str) -> None:
    assert row_state(line) == state


def test_a_line_without_any_field_of_an_answer_is_no_answer() -> None:
    assert read({"id": "a", "confidence": 1}) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(12, "12"), ("12", "12"), (12.0, "12.0"), (" a ", "a"), ("", None), (None, None), (True, "True")],
)
def test_values_are_compared_as_texts(value, text) -> None:
    assert normalize(value) == text


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        ({"support_ids": ["U1", " U2 ", None, ""]}, ["U1", "U2"]),
        ({"support_ids": "U1"}, ["U1"]),
        ({"support_ids": [], "support_id": "U1"}, ["U1"]),
        ({"support_id": ["U1"]}, ["U1"]),
        ({"support_ids": ["U1", "U1"]}, ["U1", "U1"]),
        ({}, []),
    ],
)
def test_citations_are_read_from_every_form(data, ids) -> None:
    assert cited_ids(data) == ids


@pytest.mark.parametrize("text", ['{"value": %s}' % ("9" * 5000), '{"value": %s' % ("[" * 100_000)])
def test_what_has_no_end_is_an_answer_error(text: str) -> None:
    with pytest.raises(AnswerError):
        read({"output": text}, any_form=False)
    assert read({"output": text}) == UNPARSED


@given(
    st.dictionaries(st.text(max_size=5), st.text(max_size=10) | st.integers() | st.none(), max_size=4),
    st.text(max_size=9),
)
def test_any_object_is_found_behind_any_prose_without_braces(fields, prose: str) -> None:
    prose = prose.replace("{", "").replace("}", "")
    answer = read({"output": prose + json.dumps(fields) + prose})
    parsed = any(field in fields for field in VALUE_FIELDS)
    assert answer == (read(fields | {"value": fields.get("value")}) if parsed else UNPARSED)
