"""Scores of pages: Lighthouse's curves at the points that define them, and which tasks of a trace count."""

from __future__ import annotations

import pytest

from tests.benchmarks.pages.measuring import tasks
from tests.benchmarks.pages.scoring import CURVES, Figures, score, share


@pytest.mark.parametrize("device", ["phone", "desktop"])
def test_a_curve_goes_through_both_of_its_points(device) -> None:
    for good, median in CURVES[device].values():
        assert share(good, good, median) == pytest.approx(0.9)
        assert share(median, good, median) == pytest.approx(0.5)
        assert share(0, good, median) == 1


def test_a_score_is_the_weighted_mean() -> None:
    good = Figures(*(points[0] for points in CURVES["phone"].values()))
    assert score(good, "phone") == 90
    assert score(Figures(0, 0, 0, 0), "phone") == 100
    assert score(Figures(0, 0, 600, 0), "phone") == round(100 * (60 + 30 * 0.5) / 90)


def test_tasks_count_beyond_fifty_milliseconds_on_the_thread_that_painted_after_it_did() -> None:
    thread = {"pid": 1, "tid": 2}
    events = [
        {"name": "firstContentfulPaint", "ts": 1000, **thread},
        {"name": "RunTask", "ts": 500, "tdur": 90_000, **thread},
        {"name": "RunTask", "ts": 2000, "tdur": 70_000, **thread},
        {"name": "RunTask", "ts": 3000, "tdur": 40_000, **thread},
        {"name": "RunTask", "ts": 4000, "tdur": 400_000, "pid": 1, "tid": 3},
    ]
    assert tasks(events) == (20.0, 90.0)
    assert tasks(events[1:]) == (0.0, 0.0)
