"""Which systems are told apart: equal ones rarely, all rank ranges hold at once, and board and pair agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluation.core.statistics import board, composite_contrast, paired_contrast
from tests.evaluation.core.statistics.versions import boards

SUMS = st.lists(st.tuples(*[st.integers(0, 5)] * 3), min_size=2, max_size=25)


def systems_of(sums: list[tuple[int, ...]]) -> list[np.ndarray]:
    """[units, 2] of each of three systems."""
    return [np.array([[unit[at], 5] for unit in sums]) for at in range(3)]


@given(SUMS)
def test_what_a_board_says_fits_together(sums):
    result = board(systems_of(sums))
    assert not np.diag(result.apart).any()
    assert not (result.apart & result.apart.T).any()
    assert (result.low <= result.high).all()
    assert result.best[np.nanargmax(result.rates)]
    better = np.argwhere(result.apart)
    assert all(result.rates[i] > result.rates[j] for i, j in better)


@given(SUMS)
def test_lower_is_better_turns_everything_round(sums):
    systems = systems_of(sums)
    wrong = [np.stack([s[:, 1] - s[:, 0], s[:, 1]], axis=1) for s in systems]
    higher, lower = board(systems), board(wrong, better="lower")
    assert (higher.apart == lower.apart).all()
    assert (higher.low == lower.low).all()


def test_the_same_answers_are_never_apart_and_share_every_range():
    answers = np.array([[at % 5, 5] for at in range(30)])
    result = board([answers] * 6)
    assert not result.apart.any()
    assert result.best.all()
    assert set(result.low) == {1}
    assert set(result.high) == {6}


def test_a_system_far_ahead_is_first_alone():
    weak = np.array([[at % 3, 5] for at in range(40)])
    strong = np.array([[4 + at % 2, 5] for at in range(40)])
    result = board([strong, weak, weak])
    assert result.best.tolist() == [True, False, False]
    assert (result.low.tolist(), result.high.tolist()) == ([1, 2, 2], [1, 3, 3])


def test_a_system_without_rows_is_behind_all_others():
    answers = np.array([[at % 5, 5] for at in range(30)])
    result = board([answers, np.zeros_like(answers)])
    assert not result.apart[1, 0]
    assert result.best[0]


@pytest.mark.parametrize(("systems", "units"), [(2, 40), (16, 20), (16, 40), (40, 40)])
def test_of_equal_systems_hardly_ever_one_is_apart(systems, units):
    """At most 5% of boards. Over 120 boards the Monte-Carlo error is 2%, so more than 10% are a fault."""
    drawn = boards(versions=120, systems=np.full(systems, 0.8), units=units, rows=12, seed=systems + units)
    assert np.mean([board(list(version)).apart.any() for version in drawn]) <= 0.1


def test_all_ranges_of_a_board_hold_together_and_the_best_stays_among_the_best():
    true = np.linspace(0.2, 2.0, 16)
    rank = 16 - np.arange(16)
    result = [board(list(v)) for v in boards(versions=100, systems=true, units=40, rows=24, seed=3)]
    assert np.mean([((each.low <= rank) & (rank <= each.high)).all() for each in result]) >= 0.95
    assert np.mean([each.best[-1] for each in result]) >= 0.95
    assert np.mean([each.apart.sum() for each in result]) > 20  # and who is far apart is found


def test_the_interval_of_a_pair_covers():
    drawn = boards(versions=600, systems=np.array([0.8, 0.8]), units=40, rows=12, seed=11)
    pairs = [paired_contrast(first, second) for first, second in drawn]
    assert np.mean([pair.low <= 0 <= pair.high for pair in pairs]) >= 0.93
    assert np.mean([pair.p < 0.05 for pair in pairs]) <= 0.075


def test_a_pair_is_compared_over_the_units_that_both_report():
    first = np.array([[5, 5], [4, 5], [0, 0]])
    second = np.array([[3, 5], [1, 5], [5, 5]])
    pair = paired_contrast(first, second)
    assert (pair.units, pair.value) == (2, pytest.approx(0.5))
    assert paired_contrast(first[:1], second[:1]) is None


UNITS = st.lists(st.tuples(st.integers(0, 5), st.just(5)), min_size=2, max_size=30)


def system(*sums: float, rows: int = 10) -> np.ndarray:
    """[units, 2] from the sums of its units."""
    return np.array([[item, rows] for item in sums], dtype=np.float32)


@given(UNITS, UNITS)
def test_a_difference_turns_round_with_its_systems(first, second):
    size = min(len(first), len(second))
    a, b = np.array(first[:size], dtype=float), np.array(second[:size], dtype=float)
    there, back = paired_contrast(a, b), paired_contrast(b, a)
    assert there.value == pytest.approx(-back.value)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert there.p == pytest.approx(back.p)
    assert 0 < there.p <= 1
    assert there.excludes_zero == back.excludes_zero


def test_systems_that_answer_alike_do_not_differ():
    same = paired_contrast(system(1, 5, 9), system(1, 5, 9))
    assert (same.value, same.low, same.high, same.p, same.units) == (0, 0, 0, 1, 3)
    thirds = np.array([[0.1 * 3, 3], [0.3 * 1, 3], [0.1 + 0.2, 3]] * 8)
    rounded = paired_contrast(thirds, np.full((24, 2), (0.3, 3)))
    assert (rounded.value, rounded.low, rounded.high, rounded.p) == (0, 0, 0, 1)


def test_a_steady_difference_is_found_however_much_units_differ():
    worse = system(*(number % 9 for number in range(40)))
    better = worse.copy()
    better[::2, 0] += 2
    difference = paired_contrast(better, worse)
    assert difference.value == pytest.approx(0.1)
    assert difference.low > 0
    assert difference.p < 0.01


@pytest.mark.parametrize(("units", "is_shown"), [(3, False), (5, False), (6, True), (40, True)])
def test_a_difference_that_is_the_same_in_every_unit_is_shown_by_enough_of_them(units, is_shown):
    """By the signs of the units alone: all are the same by chance in 2 of 2**units versions."""
    worse = system(*[4] * units)
    difference = paired_contrast(worse + np.array([1, 0], dtype=np.float32), worse)
    assert difference.low == difference.high == difference.value
    assert difference.excludes_zero == is_shown
    assert difference.p == 2.0 ** (1 - units)


def test_only_shared_units_are_compared():
    first, second = system(10, 0, 10, 0), system(0, 0, 5, 5)
    first[0, 1] = second[1, 1] = 0
    assert paired_contrast(first, second).value == 0.0
    assert paired_contrast(first[:2], second[:2]) is None
    many, more = system(*[5] * 30), system(*[4] * 30)
    many[:12, 1] = 0
    assert paired_contrast(many, more).units == 18


@given(SUMS)
def test_the_difference_of_a_single_part_is_that_of_its_rate(sums):
    first, second, _ = systems_of(sums)
    strata = np.arange(len(first)) % 3
    composite = composite_contrast(first[:, None], second[:, None], lambda rates: rates[..., 0], strata)
    of_rate = paired_contrast(first, second, strata)
    assert composite._replace(low=max(composite.low, -1), high=min(composite.high, 1)) == of_rate


def test_the_difference_of_worst_parts_covers():
    """Two systems whose worst of two parts is the same: 400 versions, a Monte-Carlo error of .011."""
    drawn = boards(versions=400, systems=np.array([0.3, 1.2, 0.3, 1.6]), units=40, rows=12, seed=9)
    tables = drawn.swapaxes(1, 2)  # [versions, units, parts, 2]
    covered = [
        each.low <= 0 <= each.high
        for version in tables
        if (each := composite_contrast(version[:, :2], version[:, 2:], lambda rates: rates.min(axis=-1)))
    ]
    assert len(covered) == 400
    assert 0.92 <= np.mean(covered) <= 0.985


def of_values(values: np.ndarray) -> np.ndarray:
    """[units, 2] from the values of units with one row each."""
    return np.stack([values, np.ones(len(values))], axis=1)


def test_a_paired_difference_is_that_of_the_paired_t_test_in_scipy():
    first, second = np.random.default_rng(2).normal(size=(2, 15))
    found, expected = paired_contrast(of_values(first), of_values(second)), stats.ttest_rel(first, second)
    interval = expected.confidence_interval()
    assert found is not None
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert (found.p, found.df) == pytest.approx((expected.pvalue, 14))


@pytest.mark.parametrize("lead", [0.0, 0.3, 1.0, 2.0])
def test_two_systems_are_apart_where_the_permutation_test_of_scipy_says_so(lead):
    """SciPy takes all flips of 12 units; a board draws 1,000, whose quantile has a standard error of 3%."""
    first, second = np.random.default_rng(4).normal(size=(2, 12))
    first += lead
    result = board([of_values(first), of_values(second)])

    def size(one, other, axis):
        return np.abs(np.mean(one - other, axis=axis))

    exact = stats.permutation_test((first, second), size, permutation_type="samples", alternative="greater")
    critical = np.quantile(exact.null_distribution, 0.95, method="higher")
    statistic = result.critical * np.sqrt(((first - second) ** 2).sum()) / 12
    assert statistic == pytest.approx(critical, rel=0.06)
    assert result.apart.any() == (exact.pvalue <= 0.05)
