"""A spool is a list of rows, whether in memory or on disk."""

from __future__ import annotations

import pytest

from evaluation.core.files import spool
from evaluation.core.files.spool import LineSpool, Reordered, Spool

ROWS = [{"id": str(number), "text": "é" * number} for number in range(50)]


@pytest.fixture(params=[1 << 22, 100], ids=["in memory", "on disk"])
def filled(request, monkeypatch) -> Spool:
    monkeypatch.setattr(spool, "IN_MEMORY", request.param)
    monkeypatch.setattr(spool, "TOGETHER", 300)  # a few rows
    result = Spool()
    for row in ROWS:
        result.append(row)
    return result


def test_rows_come_back_by_number_in_order_and_in_slices(filled) -> None:
    assert len(filled) == len(ROWS)
    assert list(filled) == ROWS
    assert filled[7] == ROWS[7]
    assert filled[-1] == ROWS[-1]
    assert filled[3:40:5] == ROWS[3:40:5]
    assert filled == ROWS
    with pytest.raises(IndexError):
        filled[50]


def test_rows_can_be_read_in_another_order(filled) -> None:
    backwards = Reordered(filled, range(49, -1, -1))
    assert list(backwards) == ROWS[::-1]
    assert (len(backwards), backwards[0], backwards[-1]) == (50, ROWS[49], ROWS[0])
    assert backwards[1:3] == [ROWS[48], ROWS[47]]


def test_lines_come_back_as_they_were(monkeypatch) -> None:
    monkeypatch.setattr(spool, "IN_MEMORY", 100)
    lines = LineSpool()
    for number in range(30):
        lines.add(b"x" * number)
    assert [len(lines.line(number)) for number in range(len(lines))] == list(range(30))


def test_rows_can_be_added_after_reading(filled) -> None:
    assert filled[0] == ROWS[0]
    filled.append({"id": "new"})
    assert filled[-1] == {"id": "new"}
    assert filled[:50] == ROWS
