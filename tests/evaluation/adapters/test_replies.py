"""A reply becomes an answer, or a state that says why there is no answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.adapters.base import Usage
from evaluation.adapters.replies import Reply, object_in, prose_in, response_output
from evaluation.core.row_states import RowState
from tests.proportion import soon

ANSWER = {"value": "teal-0002", "support_ids": ["U000002"]}
TEXT = json.dumps(ANSWER)
CUT = RowState.CUT_OFF


def reply(text: str, trouble: RowState | None = None) -> Reply:
    return Reply(text, Usage(), trouble)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"```json\n{TEXT}\n```",
        f"Sure! {TEXT} I hope {{this}} helps.",
        f'<think>or {{"value": "x"}}?</think>{TEXT}',
        f'A draft {{"value": "x"}}, and now: {TEXT}',
        f'{TEXT} {{"confidence": 0.9}}',
        f'{{"answer": {TEXT}}}',
        f"{{broken {TEXT}",
        f"{TEXT[:-1]},}}",
        str(ANSWER),
        TEXT.replace('"', "“"),
        f"`{TEXT}`",
        '{"Value": "teal-0002", "Support_IDs": ["U000002"]}',
        '{"answer": "teal-0002", "support_ids": ["U000002"]}',
        f'{{"name": "answer", "arguments": {TEXT}}}',
        json.dumps({"name": "answer", "arguments": TEXT}),
        f'{TEXT} This has the form {{"value": "...", "support_ids": ["..."]}}.',
        f'{TEXT} as asked: {{"value": "<value>", "support_ids": ["<id>"]}}',
    ],
)
def test_the_last_object_that_is_an_answer_counts(text: str) -> None:
    assert object_in(reply(text)) == ANSWER


def test_an_object_within_an_answer_is_no_answer() -> None:
    result = {"value": "teal-0002", "why": {"value": "wrong"}}
    assert object_in(reply(json.dumps(result))) == result


def test_the_thinking_of_a_whole_object_is_its_value() -> None:
    assert object_in(reply('{"value": "<think>"}')) == {"value": "<think>"}


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("", RowState.EMPTY),
        (" \n", RowState.EMPTY),
        (f"<think>{TEXT}", RowState.EMPTY),
        (f"<think>{TEXT}</think>", RowState.EMPTY),
        ("I do not know.", RowState.UNREADABLE),
        ("{}", RowState.UNREADABLE),
        ('{"value": "teal-00', RowState.UNREADABLE),
        ('{"value": ["teal-0002"]}', RowState.UNREADABLE),
        ('{"value": {"value": ["x"]}}', RowState.UNREADABLE),
        ('{"support_ids": ["U000002"]}', RowState.UNREADABLE),
        ("[1, 2]", RowState.UNREADABLE),
    ],
)
def test_anything_else_is_a_state_and_never_null(text: str, state: RowState) -> None:
    assert object_in(reply(text)) == state


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", CUT),
        ("<think>so I", CUT),
        (f"<think>{TEXT} or", CUT),
        ('{"value": "teal-00', CUT),
        (f'{{"value": "draft"}} no: {TEXT[:20]}', CUT),
        (TEXT, ANSWER),
        (f"{TEXT} This follows from", ANSWER),
        (f"<think>hm</think>{TEXT}", ANSWER),
    ],
)
def test_at_the_token_limit_only_a_complete_last_object_is_an_answer(text: str, expected: object) -> None:
    assert object_in(reply(text, CUT)) == expected


@pytest.mark.parametrize("state", [RowState.CUT_PROMPT, RowState.REFUSED, RowState.ERROR])
def test_what_the_server_says_against_an_answer_counts(state: RowState) -> None:
    assert object_in(reply(TEXT, state)) == state
    assert prose_in(reply("Yes.", state)) == state


@pytest.mark.parametrize(
    ("text", "trouble", "output"),
    [
        ("Yes. It holds.", None, {"response": "Yes. It holds."}),
        ("<think>It was Friday.</think>\nIt is Monday. ", None, {"response": "It is Monday."}),
        ("<think>It was Friday.", None, {"state": "empty"}),
        ("", None, {"state": "empty"}),
        ("It was Friday, but then", CUT, {"state": "cut_off"}),
    ],
)
def test_an_answer_in_words_is_what_stands_beside_the_thinking(
    text: str, trouble: RowState | None, output: dict[str, str]
) -> None:
    assert response_output(reply(text, trouble)) == output


@given(st.text('{}[]":,01 nulvae<>think/\n', max_size=60), st.sampled_from([None, CUT]))
def test_reading_never_fails_and_never_makes_a_null(text: str, trouble: RowState | None) -> None:
    result = object_in(reply(text, trouble))
    assert isinstance(result, RowState) or '"value"' in text


@given(
    st.text(max_size=40).filter(lambda text: "{" not in text), st.none() | st.text(max_size=9) | st.integers()
)
def test_an_answer_is_found_behind_any_prose(prose: str, value: object) -> None:
    assert object_in(reply(f"{prose}\n{json.dumps({'value': value})}")) == {"value": value}


@pytest.mark.parametrize("text", ['{"a":', "{", '{"value":' + "[" * 1000, '{"value": %s}' % ("9" * 5000)])
def test_a_model_that_repeats_itself_is_no_answer_and_costs_no_time(text: str) -> None:
    with soon(5):
        assert object_in(reply((text * 20_000)[:1_000_000])) == RowState.UNREADABLE
