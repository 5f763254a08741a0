"""DataFrames of lines that no table describes, and their columns as plain Python again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.frames import plain, tidy

COLUMNS = ["text", "whole", "number", "yes"]
LINES = st.tuples(
    st.none() | st.text(max_size=8),
    st.none() | st.integers(-(2**53), 2**53),
    st.none() | st.floats(allow_nan=False),
    st.none() | st.booleans(),
)


@given(lines=st.lists(LINES, max_size=6))
def test_lines_come_back_as_they_were(lines) -> None:
    frame = tidy(iter(lines), COLUMNS)
    assert list(frame.columns) == COLUMNS
    assert list(zip(*(plain(frame[name]) for name in COLUMNS), strict=True)) == lines


def test_a_column_is_of_the_kind_that_its_values_are() -> None:
    frame = tidy(
        [("a", 1, 1, True, None), (None, 2, 0.5, None, None)], ["text", "whole", "mixed", "yes", "none"]
    )
    assert [str(dtype) for dtype in frame.dtypes] == ["string", "Int64", "Float64", "boolean", "Float64"]


def test_a_line_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        tidy([("a", 1), ("b",)], ["name", "value"])
