"""JSON with typical slips of language models is read in one way, or refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.adapters.loose_json import loose_object
from tests.proportion import soon

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "text",
    [
        '{"value": "teal", "support_ids": ["U000002"],}',
        '{"value": "teal", "support_ids": ["U000002",]}',
        "{'value': 'teal', 'support_ids': ['U000002']}",
        "{“value”: “teal”, “support_ids”: [“U000002”]}",
        "{‘value’: ‘teal’, ‘support_ids’: [‘U000002’]}",
        '{value: "teal", support_ids: ["U000002"]}',
        "{`value`: `teal`, `support_ids`: [`U000002`]}",
    ],
)
def test_quotes_of_any_kind_and_a_comma_too_many_are_read(text: str) -> None:
    assert loose_object(text, 0) == ({"value": "teal", "support_ids": ["U000002"]}, len(text))


def test_pythons_names_are_read() -> None:
    assert loose_object("{'value': None, 'sure': True, 'n': -3}", 0) == (
        {"value": None, "sure": True, "n": -3},
        38,
    )


@pytest.mark.parametrize(
    "text",
    [
        "{", "{}}"[:1], '{"value": teal}', '{"value": "teal"', '{"value" "teal"}', '{"value": ...}', "{tag} was set",
        '{"value":: "x"}', '{"a": "b" "c": 1}', "{[1]: 2}", "{'it's': 1}", '{"value": “teal"x”}',
    ],
)  # fmt: skip
def test_what_has_no_reading_is_no_object(text: str) -> None:
    assert loose_object(text, 0) is None


@given(st.dictionaries(st.text(max_size=6), VALUES, max_size=4), st.booleans())
def test_what_is_json_is_read_as_json(value: dict, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    found = loose_object(text, 0)
    assert found is None or found == (value, len(text))
    if len(text) < 200 and "\\" not in text:
        assert found is not None


@given(st.text("{}[]\"':,.01 nulvae“”‘’`\\\n", max_size=80))
def test_reading_never_fails(text: str) -> None:
    found = loose_object("{" + text, 0)
    assert found is None or isinstance(found[0], dict)


@pytest.mark.parametrize("text", ["{'a':", "{", "{'a':[", '{"a": "', "{“a”: “", "{'value': ['b',"])
def test_a_text_without_end_costs_no_time(text: str) -> None:
    long = (text * 20_000)[:20_000]
    with soon(5):
        for at in range(0, len(long), 7):
            loose_object(long, at)
