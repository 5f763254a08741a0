"""Quantiles of t, against published tables and SciPy."""

from __future__ import annotations

import pytest
from scipy import stats

from evaluation.core.statistics.student import t_quantile, t_tail


@pytest.mark.parametrize(
    ("probability", "df", "value"),
    [(0.975, 1, 12.706), (0.975, 4, 2.776), (0.95, 10, 1.812), (0.995, 30, 2.750), (0.975, 1e6, 1.960)],
)
def test_quantiles_are_those_of_the_tables(probability, df, value):
    assert t_quantile(probability, df) == pytest.approx(value, abs=6e-4)


@pytest.mark.parametrize("df", [1.0, 2.5, 17.0, 400.0])
def test_the_tail_above_a_quantile_is_what_is_left(df):
    assert t_tail(t_quantile(0.9, df), df) == pytest.approx(0.1, abs=1e-8)


@pytest.mark.parametrize("df", [0.5, 1.0, 3.25, 29.0, 1e5])
@pytest.mark.parametrize("probability", [0.6, 0.9, 0.975, 0.9999])
def test_quantiles_and_tails_are_those_of_scipy(probability, df):
    expected = stats.t.ppf(probability, df)
    assert t_quantile(probability, df) == pytest.approx(expected, rel=1e-7)
    assert t_tail(expected, df) == pytest.approx(stats.t.sf(expected, df), rel=1e-9)
