"""Repeats of the same rows: their mean, the run variance, and an interval that holds when runs differ as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.core.statistics import (
    few_repeats,
    mean_of_repeats,
    paired_contrast,
    rate_limits,
    repeated_rate,
    run_variance,
    widened,
)
from tests.evaluation.core.statistics.versions import repeated

TRUE = 0.8


def coverage(repeats, noise, run_sd, icc=0.1, versions=400):
    """The share of versions whose interval holds the true mean: with the run variance, and from the rows alone."""
    drawn = repeated(
        versions=versions, repeats=repeats, units=40, rows=12, rate=TRUE, icc=icc, noise=noise, run_sd=run_sd, seed=7
    )  # fmt: skip
    rates = [repeated_rate(table) for table in drawn]
    alone = rate_limits(mean_of_repeats(drawn.swapaxes(0, 1)))
    return (
        np.mean([each.low <= TRUE <= each.high for each in rates if each]),
        np.mean((alone.low <= TRUE) & (alone.high >= TRUE)),
    )


@pytest.mark.parametrize("repeats", [2, 3, 5])
@pytest.mark.parametrize("noise", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("run_sd", [0.0, 0.02, 0.05])
def test_the_interval_holds_with_and_without_run_variance(repeats, noise, run_sd):
    assert coverage(repeats, noise, run_sd)[0] >= 0.93


@pytest.mark.parametrize("repeats", [2, 3, 5])
def test_rows_alone_do_not_tell_how_much_runs_differ(repeats):
    held, by_rows = coverage(repeats, noise=0.5, run_sd=0.05)
    assert by_rows < 0.85 < held


def test_the_mean_is_of_the_repeats_averaged_within_units():
    first = np.array([[3, 4], [1, 4], [4, 4]])
    second = np.array([[1, 4], [3, 4], [4, 4]])
    mean = mean_of_repeats(np.stack([first, second]))
    assert mean.tolist() == [[2, 4], [2, 4], [4, 4]]
    result = repeated_rate(np.stack([first, second]))
    assert result.value == pytest.approx(8 / 12)
    assert result.run_variance == 0
    assert result.run_sd == 0
    assert (result.repeats, result.df) == (2, 1)


def test_runs_that_are_equal_add_nothing_to_the_interval():
    once = np.array([[3, 4], [1, 4], [4, 4], [2, 4]], dtype=float)
    result, (low, high) = repeated_rate(np.stack([once] * 3)), rate_limits(once[None])
    assert (result.low, result.high) == pytest.approx((low[0], high[0]))


def test_the_run_variance_has_one_degree_of_freedom_less_than_there_are_runs():
    assert run_variance([0.7, 0.8, 0.9]) == pytest.approx(0.01)
    table = np.array([[[7, 10], [7, 10]], [[8, 10], [8, 10]], [[9, 10], [9, 10]]])
    result = repeated_rate(table)
    assert result.run_sd == pytest.approx(0.1)
    assert result.df == 2
    with pytest.raises(ValueError, match="two runs"):
        run_variance([0.5])


def test_squares_of_both_arms_are_added():
    low, high = widened(0.5, (0.47, 0.54), variance=0.0, repeats=3)
    assert (low, high) == pytest.approx((0.47, 0.54))
    low, high = widened(0.5, (0.47, 0.54), variance=3 * 0.01**2, repeats=3)
    assert 0.5 - low == pytest.approx(np.hypot(0.03, 4.302653 * 0.01))
    assert high - 0.5 == pytest.approx(np.hypot(0.04, 4.302653 * 0.01))


def test_a_mean_stays_within_zero_and_one():
    result = repeated_rate(np.array([[[10, 10], [9, 10]], [[6, 10], [5, 10]]]))
    assert (result.low, result.high) == (0.0, 1.0)


def test_a_run_without_rows_has_no_mean():
    assert repeated_rate(np.array([[[1, 2], [2, 2]], [[0, 0], [0, 0]]])) is None
    assert repeated_rate(np.array([[[1, 2]], [[2, 2]]])) is None


def test_two_runs_are_said_to_be_too_few():
    assert "are too few" in few_repeats(2)
    assert few_repeats(3) == ""


def test_means_of_repeats_are_compared_unit_by_unit():
    runs = repeated(versions=2, repeats=3, units=40, rows=12, rate=0.8, icc=0.1, noise=0.5, run_sd=0, seed=3)
    first, second = (mean_of_repeats(each) for each in runs)
    of_means = paired_contrast(first, second)
    singly = [paired_contrast(a, b) for a, b in zip(*runs, strict=True)]
    assert of_means.value == pytest.approx(np.mean([each.value for each in singly]))
    assert of_means.high - of_means.low < np.mean([each.high - each.low for each in singly])
