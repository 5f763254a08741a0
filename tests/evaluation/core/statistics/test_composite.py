"""Figures of several rates: their intervals cover, and a spread begins at 0 unless parts clearly differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.statistics import (
    Parts,
    linearized,
    mean_limits,
    rate_limits,
    smooth_limits,
    spread_limits,
    worst_limits,
)
from evaluation.core.statistics.composite import gradient
from tests.evaluation.core.statistics.versions import boards, true_rates

VERSIONS = 300  # the Monte-Carlo error of a share of .95 is .0126
SUMS = st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=2, max_size=25)


def lowest(rates):
    return rates.min(axis=-1)


def gap(rates):
    return rates[..., 0] - rates[..., 1]


def parts_of(table):
    """The parts of one figure, from their sums [parts, units, 2]."""
    strata = np.zeros(table.shape[1])
    return Parts(*linearized(table, strata), lambda level: rate_limits(table, strata, confidence=level))


def table_of(sums):
    return np.array([[[unit[part], 5] for unit in sums] for part in range(3)], dtype=float)


@given(SUMS)
def test_every_interval_holds_its_figure(sums):
    table = table_of(sums)
    parts = parts_of(table)
    for figure, (low, high) in (
        (lowest(parts.rates), worst_limits(lowest, parts, range(3))),
        (np.ptp(parts.rates), spread_limits([range(3)], parts)),
        (gap(parts.rates), smooth_limits(gap, parts)),
    ):
        assert low - 1e-12 <= figure <= high + 1e-12
        assert low < high


@given(SUMS)
def test_a_spread_begins_at_0_or_above_it(sums):
    low, _ = spread_limits([range(3)], parts_of(table_of(sums)))
    assert low >= 0


def test_parts_without_an_error_have_a_bound_and_no_spread():
    parts = parts_of(np.full((3, 20, 2), 12.0))
    assert spread_limits([range(3)], parts)[0] == 0
    assert 0.01 < spread_limits([range(3)], parts)[1] < 0.15
    low, high = worst_limits(lowest, parts, range(3))
    assert (0.85 < low < 0.99, high) == (True, 1)
    low, high = smooth_limits(gap, parts)
    assert low == pytest.approx(-high)
    assert 0.01 < high < 0.15


def test_parts_that_were_answered_alike_need_not_be_in_the_next_units():
    parts = parts_of(np.repeat(np.array([[[unit % 5, 5] for unit in range(40)]], dtype=float), 3, axis=0))
    low, high = spread_limits([range(3)], parts)
    assert low == 0
    assert 0 < high < 0.1


def test_parts_of_different_families_are_not_compared():
    table = np.array([[[unit % 2 + 2 * part, 5] for unit in range(40)] for part in (0, 0, 1, 1)], dtype=float)
    parts = parts_of(table)
    assert spread_limits([[0, 1], [2, 3]], parts)[0] == 0
    assert spread_limits([[0, 2], [1, 3]], parts)[0] > 0.3


def test_a_gradient_is_that_of_the_figure_and_0_where_a_part_has_no_rate():
    assert gradient(gap, np.array([0.4, 0.9])) == pytest.approx([1, -1])
    assert gradient(lowest, np.array([0.4, 0.9])) == pytest.approx([1, 0])
    assert gradient(lambda rates: np.nanmin(rates, axis=-1), np.array([0.4, np.nan])).tolist()[1] == 0


@pytest.mark.parametrize("units", [5, 20, 40])
@pytest.mark.parametrize("logits", [(1.0, 1.0, 1.0), (1.0, 0.5, 0.0), (3.0, 3.0, 3.0)])
def test_intervals_of_worst_spread_and_difference_cover(units, logits):
    true = true_rates(np.array(logits))
    hits = np.zeros(3)
    shown = 0
    for version in boards(versions=VERSIONS, systems=np.array(logits), units=units, rows=24, seed=units):
        parts = parts_of(version)
        intervals = (
            (lowest(true), worst_limits(lowest, parts, range(3))),
            (np.ptp(true), spread_limits([range(3)], parts)),
            (gap(true), smooth_limits(gap, parts)),
        )
        hits += [low <= figure + 1e-12 and figure - 1e-12 <= high for figure, (low, high) in intervals]
        shown += intervals[1][1].low > 0
    assert (hits / VERSIONS >= 0.915).all(), hits / VERSIONS
    if len(set(logits)) == 1:
        assert shown / VERSIONS <= 0.05


def test_intervals_of_skewed_means_cover_and_stay_above_0():
    random = np.random.default_rng(7)
    rows = random.poisson(4, (1000, 20)) + 1.0
    table = np.stack([random.lognormal(5, 0.5, (1000, 20)) * rows, rows], axis=-1)
    low, high = mean_limits(table)
    assert (low > 0).all()
    assert 0.915 <= np.mean((low <= np.exp(5.125)) & (np.exp(5.125) <= high)) <= 0.97


def test_importance_counts_a_unit_as_one_row():
    ones = np.stack([np.arange(40) % 4 > 0, np.ones(40)], axis=-1).astype(float)[None]
    assert np.array(rate_limits(10 * ones, is_importance=True)) == pytest.approx(np.array(rate_limits(ones)))
    heavier = ones * np.where(np.arange(40) % 2, 1, 9)[None, :, None]
    widths = [np.subtract(*rate_limits(table, is_importance=True)[::-1]) for table in (ones, heavier)]
    assert widths[1] > widths[0], "rows that matter unequally say less"
