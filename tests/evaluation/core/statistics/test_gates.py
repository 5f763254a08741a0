"""Gates pass, fail or stay undecided."""

from __future__ import annotations

import pytest

from evaluation.core.statistics import judge


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
