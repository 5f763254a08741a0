"""Accuracy as texts grow: effective lengths, paired ratios, and areas under curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.statistics import KEEP, area_weights, length_figures, rate_limits
from tests.evaluation.core.statistics.ladders import CURVES, TOKENS, ladders, shown_in_full
from tests.evaluation.core.statistics.versions import boards

FOUR = (2048, 8192, 32_768, 131_072)


def right(shares: tuple[float, ...], units: int = 60, rows: int = 10) -> np.ndarray:
    """[rungs, units, 2] of a system that gets the same share of rows right in every unit of a length."""
    table = [[[share * rows, rows]] * units for share in shares]
    return np.array(table, dtype=np.float64)


def drawn(logits: tuple[float, ...], units: int = 60, seed: int = 1) -> np.ndarray:
    return boards(versions=1, systems=np.array(logits), units=units, rows=8, seed=seed)[0]


def test_a_system_that_ignores_length_holds_up_to_the_longest():
    figures = length_figures(FOUR, right((0.9,) * 4))
    assert (figures.shown, figures.possible, figures.area) == (4, 4, pytest.approx(0.9))
    assert figures.ratios == pytest.approx((1, 1, 1, 1))


def test_the_first_length_that_breaks_ends_it_whatever_longer_ones_do():
    figures = length_figures(FOUR, right((1.0, 0.3, 1.0, 1.0)))
    assert (figures.shown, figures.possible) == (1, 1)


def test_four_fifths_of_the_shortest_are_enough_only_where_the_interval_says_so():
    assert length_figures(FOUR, drawn((2.2, 2.2, 1.9, -1.0), units=200)).shown == 3
    near = length_figures(FOUR, drawn((2.2, 2.2, 1.1, -1.0), units=60))
    assert near.ratios[2] > KEEP > near.ratio_intervals[2][0]
    assert (near.shown, near.possible) == (2, 3)


def test_a_length_below_four_fifths_stays_possible_until_its_interval_is_below_at_a_split_level():
    few, many = (length_figures(FOUR, drawn((2.2, 2.2, 0.1, -1.0), units=units)) for units in (8, 60))
    assert few.ratios[2] < KEEP < few.ratio_intervals[2][1]
    assert (few.possible, many.possible) == (3, 2)
    near = length_figures(FOUR, drawn((2.2, 2.2, 0.3, -1.0), units=20, seed=3))
    assert near.ratio_intervals[2][1] < KEEP, "by itself it would be refuted"
    assert near.possible > 2


def test_what_is_no_better_than_a_floor_is_not_shown_to_hold():
    floor = right((0.5, 0.5, 0.5, 0.5))
    equal = length_figures(FOUR, right((0.5,) * 4), floors=[floor])
    assert (equal.shown, equal.possible) == (0, 4), "equal to it as far as is known"
    above = length_figures(FOUR, right((0.6, 0.6, 0.5, 0.5)), floors=[right((0.1,) * 4), floor])
    assert (above.shown, above.possible) == (2, 4)
    below = length_figures(FOUR, right((0.6, 0.6, 0.5, 0.5)), floors=[right((0.1, 0.1, 0.1, 0.7))])
    assert (below.shown, below.possible) == (2, 3)
    assert length_figures(FOUR, right((0.5,) * 4), floors=[right((0.7,) * 4)]).possible == 0


def test_a_rate_that_guesses_reach_is_not_shown_to_hold():
    guessed = length_figures(FOUR, right((0.05,) * 4), guessing=0.05)
    assert (guessed.shown, guessed.possible) == (0, 4)
    assert length_figures(FOUR, right((0.05,) * 4), guessing=(0.05, 0.05, 0.2, 0.05)).possible == 2
    near = length_figures(FOUR, drawn((0.0, 0.0, 0.0, 0.0)), guessing=0.45)
    assert near.intervals[0][0] < 0.45 < near.rates[0]
    assert (near.shown, near.possible) == (0, 4)
    assert length_figures(FOUR, right((0.9,) * 4), guessing=0.5).shown == 4


def test_without_an_error_or_with_nothing_right_intervals_are_bounds():
    all_right, all_wrong = length_figures(FOUR, right((1.0,) * 4)), length_figures(FOUR, right((0.0,) * 4))
    assert all_right.shown == 4
    assert all_right.area_interval[0] < all_right.area_interval[1] == 1
    assert 0.9 < all_right.ratio_intervals[3][0] < 1
    assert (all_wrong.shown, all_wrong.possible, all_wrong.area) == (0, 4, 0)
    assert all_wrong.ratios == all_wrong.ratio_intervals == (None,) * 4
    assert all_wrong.area_interval[1] > 0


def test_few_units_leave_it_open_and_one_unit_shows_nothing():
    few = length_figures(FOUR, right((1.0, 1.0, 1.0, 1.0), units=3, rows=2))
    assert few.possible == 4
    assert few.shown < 4
    alone = length_figures(FOUR, right((1.0,) * 4, units=1))
    assert (alone.shown, alone.possible, alone.area_interval) == (0, 4, None)


def test_a_length_that_is_not_answered_shows_nothing_refutes_nothing_and_leaves_no_area():
    table = right((0.9,) * 4)
    table[2] = 0
    figures = length_figures(FOUR, table)
    assert (figures.answered, figures.shown, figures.possible) == (2, 2, 4)
    assert (figures.area, figures.area_interval) == (None, None)
    assert figures.rates[2] is None
    assert figures.rates[3] == pytest.approx(0.9)
    table[0] = 0
    nothing = length_figures(FOUR, table)
    assert (nothing.answered, nothing.shown, nothing.possible) == (0, 0, 4)


def test_the_curve_has_the_intervals_that_every_rate_has():
    table = drawn((2.0, 1.0, 0.0, -1.0))
    low, high = rate_limits(table)
    assert length_figures(FOUR, table).intervals == tuple(zip(low.tolist(), high.tolist(), strict=True))


def test_repeats_that_differ_widen_every_interval():
    table = drawn((2.0, 1.8, 0.5, -1.0))
    rates = table[..., 0].sum(axis=1) / table[..., 1].sum(axis=1)
    one = length_figures(FOUR, table)
    same = length_figures(FOUR, table, runs=[rates, rates, rates])
    apart = length_figures(FOUR, table, runs=[rates, rates - 0.05, rates + 0.05])
    assert same.area_interval == pytest.approx(one.area_interval)
    assert apart.area_interval[0] < one.area_interval[0]
    assert apart.intervals[2][1] > one.intervals[2][1]
    assert apart.ratio_intervals[2][0] < one.ratio_intervals[2][0]


def test_the_area_is_over_the_logarithm_of_the_length():
    assert area_weights(FOUR) == pytest.approx([1 / 6, 1 / 3, 1 / 3, 1 / 6])
    assert area_weights((1024, 2048, 32_768)) == pytest.approx([1 / 10, 1 / 2, 4 / 10])
    assert area_weights((4096,)).tolist() == [1]


@given(st.integers(0, 2**32 - 1), st.integers(2, 30), st.integers(1, 5))
def test_the_low_end_is_never_above_the_high_one(seed, units, rungs):
    random = np.random.default_rng(seed)
    rows = random.integers(0, 4, (rungs, units))
    table = np.stack([random.binomial(rows, random.random((rungs, 1))), rows], axis=-1).astype(float)
    figures = length_figures(tuple(1024 * 2**at for at in range(rungs)), table)
    assert 0 <= figures.shown <= min(figures.possible, figures.answered)
    assert figures.possible <= rungs
    assert figures.possible < figures.answered or figures.possible == rungs
    for ratio, ends in zip(figures.ratios, figures.ratio_intervals, strict=True):
        assert ends is None or ends[0] <= ratio + 1e-9 <= ends[1] + 2e-9
    if figures.area_interval:
        assert figures.area_interval[0] - 1e-9 <= figures.area <= figures.area_interval[1] + 1e-9


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_a_length_is_seldom_overstated_and_its_interval_ratios_and_areas_are_covered(curve):
    result = ladders(curve, units=40, rows=4, versions=80, seed=3)
    assert result.overstated <= 0.09  # .05 and two Monte-Carlo errors; `make calibrate` draws thousands
    assert result.covered >= 0.9
    assert result.ratios >= 0.88
    assert result.areas >= 0.88
    assert len(TOKENS) >= curve.length >= 0


def test_twelve_questions_a_unit_show_what_three_do_not():
    size = {"rungs": 8, "units": 40, "versions": 40, "seed": 7}
    assert shown_in_full(0.97, 0.15, rows=3, **size) < 0.5
    assert shown_in_full(0.97, 0.15, rows=12, **size) > 0.9
