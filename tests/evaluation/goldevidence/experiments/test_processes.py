"""Numbered work spread over processes: each number done once, whatever happens to other processes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.goldevidence.experiments import processes
from evaluation.goldevidence.experiments.processes import spread


class Files:
    """Work that writes a file per number, which names the worker."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.first = folder, os.getpid()

    def do(self, number: int) -> Iterator[int]:
        with (self.folder / str(number)).open("x") as out:  # nothing is done twice
            out.write(str(os.getpid()))
        time.sleep(0.01)
        yield number

    def read(self, number: int) -> Iterator[int]:
        assert (self.folder / str(number)).read_text() != str(self.first)
        yield number

    @property
    def in_another(self) -> bool:
        return os.getpid() != self.first


@pytest.mark.parametrize("count", [0, 1, 2, 7, 40])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_number_is_done_once(tmp_path: Path, count: int, workers: int) -> None:
    files = Files(tmp_path)
    assert sorted(spread(count, files.do, files.read, processes=workers)) == list(range(count))
    done_by = {(tmp_path / str(number)).read_text() for number in range(count)}
    assert len(done_by) <= workers
    assert len(done_by) >= min(workers, 2) or count < 40


def test_more_numbers_than_a_pipe_holds_are_done_in_turn(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(processes, "_MOST_WAITING", 4)
    files = Files(tmp_path)
    assert sorted(spread(11, files.do, files.read, processes=2)) == list(range(11))


def test_each_process_goes_through_a_part_of_its_own() -> None:
    assert processes._divided(0, 7, 2) == [0, 4, 1, 5, 2, 6, 3]
    assert sorted(processes._divided(5, 25, 3)) == list(range(5, 25))


def test_the_first_process_does_what_another_leaves_behind(tmp_path: Path) -> None:
    files = Files(tmp_path)

    def do(number: int) -> Iterator[int]:
        if files.in_another:
            os._exit(1)
        yield from files.do(number)

    assert sorted(spread(6, do, files.read, processes=2)) == list(range(6))


def test_an_error_of_another_process_is_met_again_by_the_first(tmp_path: Path) -> None:
    files = Files(tmp_path)

    def do(number: int) -> Iterator[int]:
        if number == 3:
            raise ValueError("the fourth cannot be done")
        yield from files.do(number)

    with pytest.raises(ValueError, match="the fourth"):
        list(spread(6, do, files.read, processes=2))


def test_a_stop_waits_for_started_work_and_starts_no_more(tmp_path: Path) -> None:
    files = Files(tmp_path)
    results = spread(400, files.do, files.read, processes=2)
    next(results)
    results.close()
    left = len(list(tmp_path.iterdir()))
    assert left < 400
    time.sleep(0.05)
    assert len(list(tmp_path.iterdir())) == left


def test_a_system_that_cannot_fork_does_all_in_one_process(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delattr(os, "fork")
    files = Files(tmp_path)
    assert list(spread(5, files.do, files.read, processes=2)) == list(range(5))
    assert {path.read_text() for path in tmp_path.iterdir()} == {str(files.first)}
