"""Intervals cover, paired tests agree with exact ones, ranks tie what cannot be told apart."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core import statistics
from evaluation.core.statistics import (
    ENOUGH_UNITS,
    paired_difference,
    rank,
    rates_with_intervals,
    resample_counts,
)

UNITS = st.lists(st.tuples(st.integers(0, 5), st.just(5)), min_size=2, max_size=30)


def system(*sums: float, rows: int = 10) -> np.ndarray:
    """[units, 2] from the sums of its units."""
    return np.array([[found, rows] for found in sums], dtype=np.float32)


def ratio_interval(sums: np.ndarray, rows: np.ndarray) -> tuple[float, float] | None:
    """The interval of one system, [units] each."""
    ((_, interval),) = rates_with_intervals([np.stack([sums, rows], axis=1)])
    return interval


@given(st.integers(1, 50), st.integers(1, 40))
@settings(max_examples=30, deadline=None)
def test_every_resample_draws_as_many_units_as_there_are(units: int, resamples: int) -> None:
    counts = np.concatenate(list(resample_counts(units, resamples)))
    assert counts.shape == (resamples, units)
    assert (counts.sum(axis=1) == units).all()
    assert (counts >= 0).all()


def test_resamples_are_the_same_everywhere() -> None:
    (counts,) = resample_counts(8, 3)
    assert counts.astype(int).tolist() == [
        [3, 1, 3, 1, 0, 0, 0, 0],
        [0, 3, 1, 1, 1, 1, 1, 0],
        [1, 0, 1, 1, 1, 1, 1, 2],
    ]


def test_resamples_do_not_depend_on_the_size_of_blocks(monkeypatch) -> None:
    whole = np.concatenate(list(resample_counts(10, 20)))
    monkeypatch.setattr(statistics, "_BLOCK", 30)
    assert (np.concatenate(list(resample_counts(10, 20))) == whole).all()


@given(UNITS)
@settings(max_examples=50, deadline=None)
def test_an_interval_holds_its_rate_and_stays_between_the_extremes(units) -> None:
    sums, rows = np.array(units, dtype=float).T
    low, high = ratio_interval(sums, rows)
    assert (sums / rows).min() - 1e-12 <= low <= high <= (sums / rows).max() + 1e-12
    assert low - 1e-12 <= sums.sum() / rows.sum() <= high + 1e-12


def test_an_interval_is_as_wide_as_the_theory_says() -> None:
    units = np.tile([0.0, 1.0], 200)
    low, high = ratio_interval(units, np.ones(400))
    assert (high - low) / 2 == pytest.approx(1.96 * np.sqrt(0.25 / 400), rel=0.1)


def test_one_unit_has_no_interval() -> None:
    assert ratio_interval(np.array([3.0, 0.0]), np.array([4.0, 0.0])) is None


@given(UNITS, UNITS)
@settings(max_examples=40, deadline=None)
def test_a_paired_difference_turns_round_with_its_systems(first, second) -> None:
    size = min(len(first), len(second))
    a, b = np.array(first[:size], dtype=float), np.array(second[:size], dtype=float)
    there, back = paired_difference(a, b), paired_difference(b, a)
    assert there.value == pytest.approx(-back.value)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert there.p == pytest.approx(back.p)
    assert 0 < there.p <= 1


def test_equal_systems_do_not_differ() -> None:
    assert paired_difference(system(1, 5, 9), system(1, 5, 9)) == (0.0, 0.0, 0.0, 1.0, 3)


def test_a_steady_difference_is_found_however_much_units_differ() -> None:
    worse = system(*(number % 9 for number in range(40)))
    better = worse + np.array([1, 0], dtype=np.float32)
    found = paired_difference(better, worse)
    assert found.value == pytest.approx(0.1)
    assert found.low > 0
    assert found.p < 0.01


def test_only_shared_units_are_compared() -> None:
    first, second = system(10, 0, 10, 0), system(0, 0, 5, 5)
    first[0, 1] = second[1, 1] = 0
    assert paired_difference(first, second).value == 0.0
    assert paired_difference(first[:2], second[:2]) is None


@given(st.integers(2, 60))
@settings(max_examples=30, deadline=None)
def test_over_too_few_units_no_difference_is_said_to_exclude_zero(units: int) -> None:
    worse = system(*(number % 9 for number in range(units)))
    better = worse + np.array([1, 0], dtype=np.float32)
    found = paired_difference(better, worse)
    assert (found.units, found.low > 0) == (units, True)
    assert found.is_enough == found.excludes_zero == (units >= ENOUGH_UNITS)


def test_a_difference_counts_the_units_that_both_report() -> None:
    first, second = system(*[5] * 30), system(*[4] * 30)
    first[:12, 1] = 0
    assert paired_difference(first, second).units == 18


def test_ranks_tie_what_cannot_be_told_apart() -> None:
    best, second = system(*[9, 10] * 20), system(*[10, 9] * 20)
    last = system(*[3, 2] * 20)
    found = rank([best, second, last])
    assert [place.rank for place in found] == [1, 1, 3]
    assert [place.tied_with_next for place in found] == [True, False, False]
    assert (found[0].low, found[0].high) == (1, 2)
    assert (found[2].low, found[2].high) == (3, 3)


def test_ranks_can_be_turned_round() -> None:
    found = rank([system(*[1, 2] * 20), system(*[8, 9] * 20)], better="lower")
    assert [place.rank for place in found] == [1, 2]


def test_systems_that_report_nothing_come_last_either_way() -> None:
    silent = system(*[0] * 20, rows=0)
    for better in ("higher", "lower"):
        found = rank([system(*[5] * 20), silent], better=better)
        assert [place.rank for place in found] == [1, 2]


def test_a_tie_group_is_measured_from_its_leader_and_does_not_drift() -> None:
    noise = np.random.default_rng(1).integers(0, 2, (60, 12))
    systems = [system(*(50 - 2 * step + noise[:, step]), rows=100) for step in range(12)]
    found = rank(systems)
    assert found[0].rank == 1
    assert found[-1].rank > 1


@given(st.lists(st.integers(0, 12), min_size=40, max_size=40))
@settings(max_examples=60, deadline=None)
def test_two_systems_tie_exactly_where_the_interval_of_their_difference_includes_zero(lead) -> None:
    second = system(*([3, 4, 5, 6] * 10), rows=20)
    first = second + np.array([[ahead - 4, 0] for ahead in lead], dtype=np.float32)
    if first[:, 0].sum() < second[:, 0].sum():
        first, second = second, first
    assert rank([first, second])[0].tied_with_next == (paired_difference(first, second).low <= 0)


@given(st.lists(UNITS, min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_ranks_rise_and_lie_in_their_intervals(systems) -> None:
    size = min(map(len, systems))
    tables = [np.array(units[:size], dtype=float) for units in systems]
    tables.sort(key=lambda table: -table[:, 0].sum())
    found = rank(tables)
    places = [place.rank for place in found]
    assert places == sorted(places)
    assert places[0] == 1
    assert all(1 <= place.low <= place.rank <= place.high <= len(found) for place in found)
    for place, following in pairwise(found):
        assert place.tied_with_next == (following.rank == place.rank)
    assert not found[-1].tied_with_next


def test_no_systems_have_no_ranks_and_systems_without_units_all_tie() -> None:
    assert rank([]) == []
    assert [place.rank for place in rank([np.zeros((0, 2))] * 2)] == [1, 1]


def test_rounding_makes_no_interval():
    better = np.array([[9, 10], [8, 10], [7, 10]] * 8)
    worse = better - np.array([5, 0])
    found = paired_difference(better, worse)
    assert found is not None
    assert found.low == found.high == pytest.approx(0.5)
    thirds = np.array([[0.1 * 3, 3], [0.3 * 1, 3], [0.1 + 0.2, 3]] * 8)
    [(_, interval)] = rates_with_intervals([thirds])
    assert interval is not None
    assert interval[0] == interval[1]
    same = paired_difference(thirds, np.full((24, 2), (0.3, 3)))
    assert same is not None
    assert (same.low, same.high, same.p) == (0, 0, 1)
