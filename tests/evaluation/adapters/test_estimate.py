"""Estimating how long a run takes, from a few rows."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence

import pytest

from evaluation.adapters.base import Answer, Row, Usage
from evaluation.adapters.estimate import about, duration, estimate
from evaluation.goldevidence.adapters.episode_rows import KIND
from tests.evaluation.conftest import make_row


class Timed:
    """Costs 1,000 tokens once per episode, 10 per question, 1 ms each, and 50 ms to decode."""

    def batches(self, rows: Sequence[Row]) -> Iterator[list[Row]]:
        for row in rows:
            yield [row]

    def predict(self, row: Row, *, protocol: str) -> Row:
        raise NotImplementedError

    def predict_batch(self, rows: Sequence[Row], *, protocol: str) -> Iterator[Answer]:
        for row in rows:
            tokens = 1010 if row["id"].endswith("001") else 10
            cost = Usage(evaluated_tokens=tokens, prefill_s=tokens / 1000, decode_s=0.05)
            yield Answer({"value": None}, cost)


def test_the_shared_prefix_is_counted_once_per_episode() -> None:
    rows = [make_row(n, episode=f"E000{e}") for e in range(1, 6) for n in range(1, 11)]
    expected_work = estimate(rows, Timed(), protocol="closed_book", kind=KIND, calibration_rows=3)
    assert (expected_work.rows, expected_work.texts, expected_work.calibration_rows) == (50, 5, 3)
    assert expected_work.evaluated_tokens == pytest.approx(5 * 1000 + 50 * 10)
    assert expected_work.seconds == pytest.approx(5 * 1.0 + 50 * 0.01 + 50 * 0.05)
    assert expected_work.sentence().startswith("50 rows over 5 texts: about 8.0 s (calibrated on 3 rows in ")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.04, "0.0 s"), (9.94, "9.9 s"), (42, "42 s"), (75, "1 min 15 s"), (7260, "2 h 1 min")],
)
def test_durations_are_written_for_people(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_run_that_takes_no_time_is_not_said_to_take_0_seconds() -> None:
    assert [about(seconds) for seconds in (0.004, 0.99, 1, 75)] == [
        "under a second",
        "under a second",
        "about 1.0 s",
        "about 1 min 15 s",
    ]


class SideBySide(Timed):
    """Rows take a second each, a hundred at a time."""

    def stream(
        self, rows: Sequence[Row], *, protocol: str, done: Collection[str]
    ) -> Iterator[tuple[str, Answer]]:
        for row in rows:
            time.sleep(0.002)
            yield row["id"], Answer({"value": None}, Usage(evaluated_tokens=10, wall_s=1.0))


def test_rows_side_by_side_take_the_time_of_the_wall_clock_and_not_what_each_is_waited_for() -> None:
    rows = [make_row(n) for n in range(1, 51)]
    expected_work = estimate(rows, SideBySide(), protocol="closed_book", kind=KIND, calibration_rows=10)
    assert expected_work.calibration_rows == 10
    assert 0.1 <= expected_work.seconds < 10
    assert expected_work.seconds == pytest.approx(expected_work.calibration_s * 5)
