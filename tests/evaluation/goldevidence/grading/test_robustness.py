"""The condition that suits a system least, and why none can be left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.goldevidence.grading.robustness import worst_condition

NAMES = ["first", "last", "shuffle"]


def cells(**exact: int):
    """Ten rows of one unit for every condition named."""
    return {("whole", name): {"E1": (float(right), 10)} for name, right in exact.items()}


def test_the_worst_condition_decides_and_the_first_of_equals_is_named():
    assert worst_condition(cells(first=9, last=3, shuffle=3), NAMES) == ("last", {"E1": (3.0, 10)})


def test_a_file_that_leaves_a_condition_out_has_no_worst_one():
    assert worst_condition(cells(first=9, shuffle=8), NAMES) is None
    assert worst_condition({}, NAMES) is None
    assert worst_condition(cells(first=9), []) is None


@given(st.tuples(*[st.integers(0, 10)] * 3), st.sampled_from(NAMES))
def test_leaving_a_condition_out_never_helps(right, left_out):
    whole = cells(**dict(zip(NAMES, right, strict=True)))
    assert worst_condition(whole, NAMES) is not None
    del whole["whole", left_out]
    assert worst_condition(whole, NAMES) is None
