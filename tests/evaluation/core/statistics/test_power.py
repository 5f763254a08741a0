"""What a version can tell, before anybody has answered it."""

from __future__ import annotations

import pytest

from evaluation.core.statistics import version_power


@pytest.mark.parametrize(("icc", "units"), [(0.05, 138), (0.1, 212), (0.2, 359)])
def test_two_points_take_as_many_units_as_the_design_says(icc, units):
    assert version_power(units, 24 * units, icc=icc).plus_minus == pytest.approx(0.02, abs=0.0003)


def test_below_forty_units_a_version_is_diagnostic():
    assert version_power(39, 39 * 24).is_diagnostic
    assert not version_power(40, 40 * 24).is_diagnostic
    assert version_power(1, 24) == (1, 24, 1.0, 1.0, True)
