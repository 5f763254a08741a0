"""Figures of a sealed version are shown no finer than their interval."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.sealing.rounding import (
    COARSEST,
    count_levels,
    expected_step,
    own_step,
    rounded,
    rounded_interval,
    rounded_number,
    rounding_step,
)


@given(st.floats(1e-4, 1.0))
def test_a_step_is_at_most_the_half_width_and_more_than_a_third_of_it(half_width: float) -> None:
    step = rounding_step(half_width)
    assert step <= half_width * (1 + 1e-9)
    assert step * 3 > half_width


@given(st.floats(0, 1), st.sampled_from([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1]))
def test_rounding_moves_a_figure_by_half_a_step_and_repeats_itself(value: float, step: float) -> None:
    assert abs(rounded(value, step) - value) <= step / 2 + 1e-9
    assert rounded(rounded(value, step), step) == rounded(value, step)
    assert 0 <= rounded(value, step) <= 1


@pytest.mark.parametrize(
    ("half_width", "step"), [(0.04, 0.02), (0.05, 0.05), (0.1, 0.1), (0.3, 0.2), (1, 1), (37, 20)]
)
def test_steps_are_those_that_readers_count_in(half_width: float, step: float) -> None:
    assert rounding_step(half_width) == step


def test_a_step_of_a_fiftieth_has_fifty_one_values() -> None:
    assert count_levels(0.02) == 51
    assert len({rounded(row / 1000, 0.02) for row in range(1001)}) == 51


@pytest.mark.parametrize(("low", "high"), [(0.301, 0.417), (0.3, 0.42), (-0.07, 0.003), (0.0, 1.0)])
def test_an_interval_is_rounded_outward_and_stays_on_the_grid(low: float, high: float) -> None:
    ends = rounded_interval(low, high, 0.02)
    assert ends[0] <= low
    assert ends[1] >= high
    assert low - ends[0] < 0.02
    assert ends[1] - high < 0.02
    assert rounded_interval(*ends, 0.02) == ends


def test_a_difference_keeps_its_sign_and_a_mean_may_be_above_one() -> None:
    assert rounded_number(-0.031, 0.02) == pytest.approx(-0.04)
    assert rounded_number(1.234, 0.05) == pytest.approx(1.25)


@pytest.mark.parametrize("rows", [6, 50, 300, 1200])
def test_a_figure_has_the_step_of_its_own_rows_and_never_one_finer_than_its_interval(rows: int) -> None:
    whole = expected_step(120, 1200)
    assert own_step(120, rows, None, at_least=whole) == expected_step(120, rows) >= whole
    assert own_step(120, rows, (0.1, 0.9), at_least=whole) >= 0.2
    assert own_step(120, rows, (0.99, 1.0), at_least=whole) == expected_step(120, rows), "however near to 1"
    assert expected_step(120, rows) <= COARSEST
