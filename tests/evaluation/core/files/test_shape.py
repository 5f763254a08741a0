"""The shape of a JSON text is checked before it is parsed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.files.shape import Shape, fault
from tests.proportion import soon

SMALL = Shape(depth=4, values=10)


def code(text: bytes, shape: Shape = SMALL) -> str | None:
    result = fault(text, shape)
    return result and result.code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"a": [[[1]]]}', None),
        (b'{"a": [[[[1]]]]}', "nested_too_deeply"),
        (b"[" * 5, "nested_too_deeply"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "too_many_values"),
        (b"[1,2,3,4,5,6,7,8,9]", None),
        (b"[1,2,3,4,5,6,7,8,9,10,11]", "too_many_values"),
        (b"[" + b",".join([b"[]"] * 6) + b"]", "too_many_values"),
        (b"{" + b",".join(b'"%d":1' % n for n in range(11)) + b"}", "too_many_values"),
        (b"[],[],[],[],", None),
    ],
)
def test_depth_and_values_are_bounded(text, expected) -> None:
    assert code(text) == expected


@pytest.mark.parametrize(
    "inside", ["[" * 50, "{,[" * 50, 'a "quoted" [[[[[[', "\\", "\\\\[[[[[[", '\\"[[[[[[{{{,,,']
)
def test_what_stands_in_a_text_is_no_nesting(inside) -> None:
    assert code(json.dumps({"output": inside, "value": inside}).encode()) is None


def test_the_reason_says_the_bound() -> None:
    assert fault(b"[" * 9, SMALL).reason == "the JSON is nested too deeply: at most 4 levels are accepted"
    assert fault(b"," * 99, SMALL).reason == "the JSON has too many values: at most 10 are accepted"


def depth_of(value) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return max(map(depth_of, inner), default=0) + isinstance(value, (dict, list))


def values_of(value) -> int:
    """The number of commas and containers."""
    if not isinstance(value, (dict, list)):
        return 0
    inner = list(value.values() if isinstance(value, dict) else value)
    return 1 + max(0, len(inner) - 1) + sum(map(values_of, inner))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('a"\\[]{},:é'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('a"\\[{,'), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=300)
@given(value=JSON, indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_any_json_is_measured_as_it_is(value, indent, ascii_only) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
    depth, values = depth_of(value), values_of(value)
    assert fault(text, Shape(depth, max(values, text.count(b'"')))) is None
    if depth:
        assert fault(text, Shape(depth - 1, 10_000)).code == "nested_too_deeply"
    if values:
        assert fault(text, Shape(100, values - 1)).code == "too_many_values"


@given(text=st.binary(max_size=60))
def test_bytes_that_are_no_json_are_no_fault_of_ours(text) -> None:
    fault(text, SMALL)


@pytest.mark.parametrize(
    "unit", [b"[", b"{", b'"', b'"",', b'{"a":', b"[],", b"\\", b'\\"', b",", b"[[]]", b'"[",']
)
def test_a_megabyte_of_anything_is_measured_at_once(unit) -> None:
    text = unit * ((1 << 20) // len(unit))
    with soon(0.25):
        fault(text, Shape())
