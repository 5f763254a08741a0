"""Work in processes beside a command: neither a death nor an error makes the command wait."""

from __future__ import annotations

import multiprocessing
import os
import time
from concurrent.futures.process import BrokenProcessPool

import pytest

from leaderboard.management import beside


def test_work_is_done_in_another_process_that_ends_with_the_block() -> None:
    with beside.processes() as pool:
        assert pool.submit(os.getpid).result() != os.getpid()
    assert not multiprocessing.active_children()


def test_a_process_that_is_killed_fails_its_work() -> None:
    with pytest.raises(BrokenProcessPool), beside.processes() as pool:
        pool.submit(os._exit, 1).result()


def begin_and_fail() -> None:
    with beside.processes() as pool:
        pool.submit(os.getpid).result()  # its process is there
        for _ in range(8):  # more than there are processes: none goes on with the next
            pool.submit(time.sleep, 600)
        raise KeyError("something else went wrong")


@pytest.mark.parametrize("trial", range(3))
def test_an_error_in_the_command_ends_the_work_beside_it(trial: int) -> None:
    begun = time.monotonic()
    with pytest.raises(KeyError):
        begin_and_fail()
    assert time.monotonic() - begun < 60
    assert not multiprocessing.active_children()
