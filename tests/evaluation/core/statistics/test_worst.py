"""The lowest of several rates: who is apart and by how much, whichever part is truly the lowest."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.core.statistics import (
    board,
    paired_contrast,
    rates_with_intervals,
    worst_contrast,
    worst_with_interval,
)

EQUAL, ONE_LOW = (0.68, 0.68, 0.68), (0.68, 0.9, 0.9)
UNITS, ROWS = 40, 6


def answers(random: np.random.Generator, rates: tuple[float, ...]) -> np.ndarray:
    """[units, parts, 2] of a system that finds some units harder than others."""
    ability = 0.8 * random.normal(size=(UNITS, 1)) + 0.6 * random.normal(size=(UNITS, len(rates)))
    logits = np.log(np.array(rates) / (1 - np.array(rates))) + ability
    right = random.binomial(ROWS, 1 / (1 + np.exp(-logits)))
    return np.stack([right, np.full_like(right, ROWS)], axis=-1).astype(np.float64)


def test_of_one_part_everything_is_that_of_the_rate():
    random = np.random.default_rng(1)
    systems = [answers(random, (rate,)) for rate in (0.5, 0.7, 0.9)]
    rates = [system[:, 0] for system in systems]
    by_part, by_rate = board(systems), board(rates)
    assert by_part.critical == by_rate.critical
    assert (by_part.apart == by_rate.apart).all()
    assert (by_part.best == by_rate.best).all()
    (value, interval), (same, ends) = worst_with_interval(systems[0]), rates_with_intervals(rates)[0]
    assert value == same
    assert interval == pytest.approx(ends)
    assert worst_contrast(systems[0], systems[1]) == pytest.approx(paired_contrast(*rates[:2]))


def test_equal_worst_parts_are_hardly_ever_apart_whatever_the_others_are():
    random = np.random.default_rng(2)
    apart = [
        board([answers(random, rates) for rates in (*[EQUAL] * 4, *[ONE_LOW] * 4)]).apart.any()
        for _ in range(60)
    ]
    assert sum(apart) <= 3


def test_a_system_with_a_low_part_is_apart_from_one_that_is_as_high_in_all():
    random = np.random.default_rng(3)
    steady, biased = (0.8, 0.8, 0.8), (0.95, 0.8, 0.3)
    result = board([answers(random, rates) for rates in (biased, steady, biased)])
    assert result.rates.argmax() == 1
    assert result.low.tolist() == [2, 1, 2]
    assert result.best.tolist() == [False, True, False]


def test_the_difference_of_equal_worst_parts_includes_0_and_of_others_does_not():
    random = np.random.default_rng(4)
    pairs = [(answers(random, EQUAL), answers(random, ONE_LOW)) for _ in range(60)]
    wrong = sum(worst_contrast(*pair).excludes_zero for pair in pairs)
    assert wrong <= 6
    shown = worst_contrast(answers(random, (0.8, 0.8, 0.8)), answers(random, (0.95, 0.8, 0.3)))
    assert shown.excludes_zero
    assert shown.low > 0


def test_the_other_way_round_everything_has_the_other_sign():
    random = np.random.default_rng(5)
    first, second = answers(random, EQUAL), answers(random, ONE_LOW)
    there, back = worst_contrast(first, second), worst_contrast(second, first)
    assert (there.value, there.low, there.high) == pytest.approx((-back.value, -back.high, -back.low))
    assert there.p == pytest.approx(back.p)


def test_a_system_that_lacks_a_part_has_no_worst_and_no_difference():
    random = np.random.default_rng(6)
    whole, without = answers(random, EQUAL), answers(random, EQUAL)
    without[:, 1] = 0
    assert np.isnan(worst_with_interval(without)[0])
    assert worst_contrast(whole, without) is None
    assert np.isnan(board([whole, without]).rates[1])


def test_the_lowest_is_the_worst_only_where_higher_is_better():
    system = answers(np.random.default_rng(7), EQUAL)
    with pytest.raises(ValueError, match="need better='higher'"):
        board([system, system], better="lower")
