"""Two processes give the same as one: in order, whatever happens to the second."""

from __future__ import annotations

import os
import signal

import pytest

from evaluation.cli import main
from evaluation.goldevidence.cli import forked
from evaluation.goldevidence.cli.forked import alternating


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch):
    monkeypatch.setattr(forked, "usable_cores", lambda: 2)


def test_every_other_item_is_made_by_a_second_process():
    items = list(alternating(lambda number: (number, os.getpid(), b"\0" * number), 40))
    assert [number for number, _, _ in items] == list(range(40))
    assert {pid for number, pid, _ in items if number % 2 == 0} == {os.getpid()}
    others = {pid for number, pid, _ in items if number % 2}
    assert len(others) == 1
    assert os.getpid() not in others


def test_one_core_and_few_items_are_left_to_one_process(monkeypatch):
    assert set(alternating(lambda number: os.getpid(), 15)) == {os.getpid()}
    monkeypatch.setattr(forked, "usable_cores", lambda: 1)
    assert set(alternating(lambda number: os.getpid(), 40)) == {os.getpid()}


def test_the_first_goes_on_alone_where_the_second_is_ended():
    first = os.getpid()

    def make(number):
        if number == 21 and os.getpid() != first:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    assert list(alternating(make, 40)) == list(range(40))


def test_an_error_in_the_second_process_is_raised_by_the_first():
    def make(number):
        if number == 7:
            raise ValueError("no seventh")
        return number

    items = alternating(make, 40)
    assert [next(items) for _ in range(7)] == list(range(7))
    with pytest.raises(ValueError, match="no seventh"):
        next(items)


def test_a_second_process_ends_when_its_items_are_not_wanted():
    items = alternating(lambda number: (os.getpid(), b"\0" * 100_000), 10_000)
    next(items)
    other, _ = next(items)
    items.close()
    with pytest.raises(ProcessLookupError):
        os.kill(other, 0)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_a_file_is_the_same_from_one_process_and_from_two(tmp_path, monkeypatch, name):
    command = ["generate", "--episodes", "20", "--steps", "20", "--queries", "3"]
    assert main([*command, "--out", str(tmp_path / name)]) == 0
    monkeypatch.setattr(forked, "usable_cores", lambda: 1)
    (tmp_path / "alone").mkdir()
    assert main([*command, "--out", str(tmp_path / "alone" / name)]) == 0
    assert (tmp_path / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
