"""The precision of a version, before it has submissions."""

from __future__ import annotations

import pytest

from evaluation.core.statistics import version_power
from evaluation.core.statistics.power import QUESTIONS_FOR_LENGTHS, questions_for_lengths
from tests.evaluation.core.statistics.ladders import shown_in_full


@pytest.mark.parametrize(("icc", "units"), [(0.05, 138), (0.1, 212), (0.2, 359)])
def test_two_points_take_as_many_units_as_the_design_says(icc, units):
    assert version_power(units, 24 * units, icc=icc).plus_minus == pytest.approx(0.02, abs=0.0003)


def test_below_forty_units_a_version_is_diagnostic():
    assert version_power(39, 39 * 24).is_diagnostic
    assert not version_power(40, 40 * 24).is_diagnostic
    assert version_power(1, 24) == (1, 24, 1.0, 1.0, True)


def test_fewer_units_need_more_questions_to_show_that_a_system_holds():
    assert [questions_for_lengths(units) for units in (5, 40, 59, 60, 99, 100, 1000)] == [
        12,
        12,
        12,
        4,
        4,
        3,
        3,
    ]


@pytest.mark.parametrize(("units", "questions"), QUESTIONS_FOR_LENGTHS)
def test_so_many_questions_show_that_a_system_holds_at_eight_lengths(units, questions):
    shown = shown_in_full(0.97, 0.15, rungs=8, units=units, rows=questions, versions=60, seed=11)
    assert shown >= 0.9  # .95 and two Monte-Carlo errors; `make calibrate` draws hundreds
