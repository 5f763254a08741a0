"""Difficulty and discrimination of items, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evaluation.core.statistics.items import LEAST_SYSTEMS, chance_bound, item_statistics


def by_definition(right: np.ndarray, item: int) -> float:
    """The correlation with the share of the other items that a system answered, one pair at a time."""
    pairs = []
    for system in right:
        others = np.delete(system, item)
        if not np.isnan(system[item]) and not np.isnan(others).all():
            pairs.append((system[item], np.nanmean(others)))
    x, y = np.array(pairs).T
    return float(np.corrcoef(x, y)[0, 1]) if x.std() > 0 and y.std() > 0 else float("nan")


@pytest.fixture
def answers() -> np.ndarray:
    rng = np.random.default_rng(7)
    ability, difficulty = rng.normal(size=(30, 1)), rng.normal(size=(1, 12))
    right = (rng.random((30, 12)) < 1 / (1 + np.exp(difficulty - ability))).astype(float)
    right[rng.random((30, 12)) < 0.1] = np.nan
    right[:, 0], right[:, 1] = 1.0, 0.0
    return right


def test_shares_and_correlations_are_those_of_the_definition(answers) -> None:
    found = item_statistics(answers)
    assert found.systems.tolist() == (~np.isnan(answers)).sum(axis=0).tolist()
    assert np.allclose(found.share, np.nanmean(answers, axis=0))
    expected = [by_definition(answers, item) for item in range(answers.shape[1])]
    assert np.allclose(found.discrimination, expected, equal_nan=True)


def test_an_item_that_all_or_none_got_right_has_no_discrimination(answers) -> None:
    found = item_statistics(answers)
    assert np.isnan(found.discrimination[:2]).all()
    assert found.share[:2].tolist() == [1.0, 0.0]


def test_too_few_systems_tell_no_correlation(answers) -> None:
    assert np.isnan(item_statistics(answers[: LEAST_SYSTEMS - 1]).discrimination).all()


def test_without_systems_and_without_items_there_is_nothing() -> None:
    assert np.isnan(item_statistics(np.zeros((0, 3))).share).all()
    assert item_statistics(np.zeros((3, 0))).share.size == 0


def test_an_item_is_not_among_those_it_is_compared_with() -> None:
    rng = np.random.default_rng(3)
    right = (rng.random((4000, 5)) < 0.5).astype(float)
    assert np.abs(item_statistics(right).discrimination).max() < chance_bound(4000) * 2


def test_the_bound_of_chance_is_the_critical_value_of_a_correlation() -> None:
    assert chance_bound(10) == pytest.approx(0.632, abs=5e-4)  # of the usual tables, two-sided .05, 8 df
    assert chance_bound(102) == pytest.approx(0.195, abs=5e-4)


def test_discrimination_is_the_point_biserial_correlation_of_scipy() -> None:
    right = (np.random.default_rng(11).random((25, 4)) < 0.6).astype(float)
    rest = (right.sum(axis=1, keepdims=True) - right) / 3
    expected = [stats.pointbiserialr(right[:, item], rest[:, item]).statistic for item in range(4)]
    assert item_statistics(right).discrimination == pytest.approx(expected)


@pytest.mark.parametrize("systems", [10, 40, 300])
def test_a_correlation_at_the_bound_of_chance_has_5_percent_in_scipy(systems) -> None:
    density = stats.beta(
        systems / 2 - 1, systems / 2 - 1, loc=-1, scale=2
    )  # as `scipy.stats.pearsonr` has it
    assert 2 * density.sf(chance_bound(systems)) == pytest.approx(0.05)
