"""Intervals of one rate: they cover, are bounds if there is no error, and have fixed strata."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.core.statistics import (
    judge,
    mean_limits,
    rate_intervals,
    rate_limits,
    rates_with_intervals,
    t_quantile,
)
from evaluation.core.statistics.intervals import PRIOR_DF
from evaluation.core.statistics.student import t_quantiles
from tests.benchmarks.regenerated import STUDIES, judged
from tests.evaluation.core.statistics.collapsed import (
    DESIGNS,
    Templates,
    template_cells,
    template_coverage,
    template_differences,
)
from tests.evaluation.core.statistics.coverage import LEAST_CASES, Cell, Coverage, cells, coverage
from tests.evaluation.core.statistics.versions import clustered

UNITS = st.lists(st.tuples(st.integers(0, 6), st.just(6)), min_size=1, max_size=40)


@given(UNITS, st.integers(1, 5))
def test_an_interval_holds_its_rate_and_lies_between_0_and_1(units, strata):
    (interval,) = rate_intervals(np.array([units]), np.arange(len(units)) % strata)
    assert interval is not None
    assert 0 <= interval.low <= interval.value <= interval.high <= 1
    assert interval.high > interval.low


@given(UNITS)
def test_right_and_wrong_are_mirror_images(units):
    right = np.array([units])
    wrong = right.copy()
    wrong[..., 0] = right[..., 1] - right[..., 0]
    (one,), (other,) = rate_intervals(right), rate_intervals(wrong)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low))


def test_all_right_is_a_bound_that_twenty_episodes_can_carry():
    """480 of 480 in 20 episodes means at least about .96, 120 of 120 in 5 about .85 (see docs/statistics.md)."""
    everything_right = np.full((1, 20, 2), 24)
    twenty, five = rate_intervals(everything_right)[0], rate_intervals(everything_right[:, :5])[0]
    assert (twenty.high, five.high) == (1.0, 1.0)
    assert twenty.low == pytest.approx(0.956, abs=0.002)
    assert five.low == pytest.approx(0.845, abs=0.002)


def test_a_system_without_rows_has_no_interval():
    sums = np.array([[[0, 0], [0, 0]], [[1, 2], [2, 2]]])
    none, some = rate_intervals(sums)
    assert none is None
    assert (some.value, some.units, some.rows) == (0.75, 2, 4)
    assert rate_intervals(np.zeros((2, 0, 2))) == [None, None]


def test_differences_between_strata_are_no_noise():
    sums = np.array([[[23 if unit % 2 else 3, 24] for unit in range(40)]])
    strata = np.arange(40) % 2
    (apart,), (together,) = rate_intervals(sums, strata), rate_intervals(sums)
    assert apart.high - apart.low < 0.6 * (together.high - together.low)


def test_strata_of_one_unit_are_taken_together_and_the_others_stay_apart():
    """Two strata of forty units at .1 and .9, and two of one unit: only these two add variance between strata."""
    sums = np.full((1, 42, 2), 24)
    sums[0, :20, 0], sums[0, 20:40, 0], sums[0, 40:, 0] = 2, 22, 12
    strata = np.repeat([0, 1, 2, 3], [20, 20, 1, 1])
    (apart,), (together,) = rate_intervals(sums, strata), rate_intervals(sums)
    assert apart.high - apart.low < 0.5 * (together.high - together.low)
    assert rate_intervals(sums, strata) == rate_intervals(sums, np.repeat([0, 1, 2], [20, 20, 2]))


def test_a_single_stratum_of_one_unit_joins_the_nearest_in_which_several_report():
    sums = np.array([[[1, 4], [3, 4], [4, 4], [4, 4], [3, 4]]])
    assert rate_intervals(sums, np.array([0, 0, 2, 2, 3])) == rate_intervals(sums, np.array([0, 0, 1, 1, 1]))


def test_strata_are_merged_by_the_units_that_each_system_reports():
    strata, sums = np.repeat(np.arange(3), 4), np.full((2, 12, 2), 6)
    sums[:, ::2, 0] = 3
    sums[1, 1:4] = 0  # the second system reports one unit of the first stratum
    both, alone = (
        rate_intervals(sums, strata),
        [rate_intervals(sums[at : at + 1], strata)[0] for at in (0, 1)],
    )
    assert both == alone


@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_over_templates_cover_where_strata_have_one_each(design):
    drawn = [template_coverage(cell, 200, seed) for seed, cell in enumerate(template_cells(design, 12))]
    assert sum(each.held for each in drawn) >= 0.96 * sum(each.inside for each in drawn)
    assert min(each.share for each in drawn if each.inside >= LEAST_CASES) >= 0.92
    assert sum(each.bounds_held for each in drawn) >= 0.95 * sum(each.bounds for each in drawn)


def test_two_equal_systems_over_templates_are_rarely_shown_to_differ():
    cell = Templates("15 strata of one unit", 12, 0.6, 0.8, 0.6)
    assert template_differences(cell, 300, seed=3) >= 0.92


def test_a_correlation_of_copies_makes_fifteen_templates_say_what_fifteen_can():
    """600 of 600 rows in 15 templates mean at least .73, whatever the number of copies, and not .95."""
    everything_right = np.full((1, 15, 2), 40)
    (copies,), (usual,) = (rate_intervals(everything_right, np.arange(15), icc=icc) for icc in (0.8, 0.15))
    assert copies.low == pytest.approx(0.731, abs=0.002)
    assert usual.low == pytest.approx(0.946, abs=0.002)


def test_a_stratum_of_one_unit_is_drawn_with_all_others():
    sums = clustered(systems=1, units=5, rows=12, rate=0.7, icc=0.1, seed=1)
    assert rate_intervals(sums, np.arange(5)) == rate_intervals(sums)


def test_every_cell_covers_and_all_together_no_more_than_they_have_to():
    """Equal and unequal units, one and five strata together: 2,400 versions a cell, a Monte-Carlo error of .0045."""
    drawn: dict[tuple[float, ...], list[Coverage]] = {}
    for seed, cell in enumerate(cells((5, 20, 40, 100), (24,))):
        drawn.setdefault((cell.units, cell.rate, cell.icc), []).append(coverage(cell, 600, seed))
    shares = {
        cell: sum(each.held for each in known) / inside
        for cell, known in drawn.items()
        if (inside := sum(each.inside for each in known)) >= 1000
    }
    assert min(shares.values()) >= 0.93, min(shares, key=shares.__getitem__)
    everything = [each for known in drawn.values() for each in known]
    assert sum(each.held for each in everything) / sum(each.inside for each in everything) <= 0.97
    assert sum(each.bounds_held for each in everything) / sum(each.bounds for each in everything) >= 0.95


@pytest.mark.parametrize(
    "cell",
    [
        Cell(60, 24, 0.03, 0.35),
        Cell(100, 24, 0.97, 0.35, is_unequal=True),
        Cell(10, 24, 0.2, 0.35, is_unequal=True, strata=5),
        Cell(5, 24, 0.5, 0.35, is_unequal=True),
        Cell(100, 24, 0.5, 0.02, is_unequal=True, strata=5),
    ],
    ids=str,
)
def test_the_cells_that_are_hardest_to_cover_are_covered(cell):
    """Few units with all errors, few units in all, unequal sizes within strata: a Monte-Carlo error of .0025."""
    assert coverage(cell, 8000, seed=5).share >= 0.93


@pytest.mark.parametrize(("suite", "preset"), [("goldevidence", "triage"), ("statebench", "smoke")])
def test_intervals_cover_what_a_system_reaches_over_regenerated_versions(suite, preset):
    """Thirty versions, three figures of a system that is right four times in five: an error of .04 at most."""
    (study,) = (each for each in STUDIES if each.suite == suite)
    results = judged(study._replace(systems=()), preset, 30).values()
    assert sum(each.held for each in results) / sum(each.inside for each in results) >= 0.88
    assert sum(each.inside for each in results) >= 30


@given(st.lists(UNITS, min_size=1, max_size=5), st.integers(1, 4))
def test_arrays_hold_the_same_intervals(systems, strata):
    size = min(map(len, systems))
    table = np.array([units[:size] for units in systems])
    codes = np.arange(size) % strata
    low, high = rate_limits(table, codes)
    for at, interval in enumerate(rate_intervals(table, codes)):
        if np.count_nonzero(table[at, :, 1]) > 1:
            assert (low[at], high[at]) == (interval.low, interval.high)
        else:
            assert np.isnan(low[at])
    expected = [None if np.isnan(each) else (each, most) for each, most in zip(low, high, strict=True)]
    assert [ends for _, ends in rates_with_intervals(list(table), codes)] == expected


def test_one_unit_has_no_interval():
    assert rates_with_intervals([np.array([[3, 4], [0, 0]])]) == [(0.75, None)]
    assert rates_with_intervals([np.array([[0, 0], [0, 0]])]) == [(None, None)]
    assert rates_with_intervals([]) == []


def test_a_group_of_one_stratum_is_judged_by_its_own_units():
    """Units of other strata without values neither narrow an interval nor add degrees of freedom."""
    part = clustered(systems=1, units=6, rows=12, rate=0.6, icc=0.1, seed=4)
    whole = np.concatenate([part, np.zeros((1, 18, 2))], axis=1)
    codes = np.repeat(np.arange(4), 6)
    assert np.array(rate_limits(whole, codes)) == pytest.approx(np.array(rate_limits(part)))


def test_quantiles_of_many_are_those_of_each():
    df = np.array([[2.0, 7.5], [np.nan, 400.0]])
    result = t_quantiles(0.975, df)
    assert np.isnan(result[1, 0])
    assert result[0, 1] == t_quantile(0.975, 7.5)
    assert result.shape == df.shape


@pytest.mark.parametrize(("right", "rows"), [(3, 12), (30, 40), (300, 400), (0, 25)])
def test_the_interval_of_independent_rows_is_that_of_wilson_in_scipy(right, rows):
    """With the quantile of t in place of the normal one: its degrees count the rarer outcome, and the prior."""
    sums = np.ones((1, rows, 2))
    sums[0, right:, 0] = 0
    (found,) = rate_intervals(sums)
    df = max(min(right, rows - right) - 1, 0) + PRIOR_DF
    confidence = 1 - 2 * stats.norm.sf(stats.t.ppf(0.975, df))
    expected = stats.binomtest(right, rows).proportion_ci(confidence, method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_the_interval_of_a_mean_is_that_of_t_in_scipy():
    values = np.random.default_rng(5).normal(size=20)
    low, high = mean_limits(np.stack([values, np.ones(20)], axis=1)[None])
    expected = stats.ttest_1samp(values, 0).confidence_interval()
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(
    ("low", "high", "at_least", "verdict"),
    [
        (0.95, 0.99, True, "pass"),
        (0.90, 0.99, True, "undecided"),
        (0.90, 0.94, True, "fail"),
        (0.00, 0.95, False, "pass"),
        (0.90, 0.99, False, "undecided"),
        (0.96, 0.99, False, "fail"),
    ],
)
def test_a_gate_is_judged_by_the_whole_interval(low, high, at_least, verdict):
    assert judge((low, high), 0.95, at_least=at_least) == verdict


def test_what_is_not_reported_is_not_judged():
    assert judge(None, 0.95, at_least=True) == "none"
