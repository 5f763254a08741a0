"""The pace of a run: measured over recent rows, without loading."""

from __future__ import annotations

import pytest

from evaluation.adapters.pace import Pace


def paced(*rows: tuple[float, float]) -> float:
    pace = Pace()
    for now, took in rows:
        pace.row(now, took)
    return pace.rate


def test_nothing_is_known_of_one_row_however_long_it_took_to_load() -> None:
    assert paced() == paced((200.0, 200.0)) == 0.0


def test_the_time_left_is_told_from_the_second_row_on() -> None:
    pace = Pace()
    pace.row(60.0, 60.0)
    assert (pace.left(10), pace.left(0)) == (None, 0.0)
    pace.row(61.0, 61.0)
    assert (pace.rate, pace.left(10)) == (0.0, 10.0)
    pace.row(61.5, 0.5)
    assert pace.left(9) == pytest.approx(9 * 1.5)


def test_loading_is_no_part_of_the_pace() -> None:
    """An estimate was 3,357 s at one row a second, because the first reply had taken a minute."""
    assert paced((60.0, 60.0), (61.0, 1.0), (62.0, 1.0)) == 1.0


def test_rows_that_waited_with_the_first_tell_nothing_either() -> None:
    beside = [(60.0 + 0.01 * each, 60.0) for each in range(4)]
    assert paced(*beside) == 0.0
    later = [(61.0 + 0.01 * each, 0.97) for each in range(4)]
    assert paced(*beside, *later) == pytest.approx(4, rel=0.05)


def test_a_run_that_gets_faster_or_slower_is_told_by_its_recent_rows() -> None:
    slow = [(float(second), 1.0) for second in range(1, 300)]
    fast = [(300 + each / 10, 0.1) for each in range(400)]
    assert paced(*slow, *fast) == pytest.approx(10, rel=0.01)
    assert paced(*fast[:1], *[(340 + each * 5.0, 5.0) for each in range(100)]) == pytest.approx(0.2, rel=0.01)


def test_many_rows_that_come_at_once_are_paced_by_seconds_and_not_by_their_number() -> None:
    waves = [(float(second), 0.9) for second in range(1, 20) for _ in range(128)]
    assert paced(*waves) == pytest.approx(128, rel=0.01)
