"""Work in several threads: results as they arrive, none lost however it ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence

import pytest

from evaluation.adapters.base import Stopped
from evaluation.adapters.servers.window import Window

pytestmark = pytest.mark.timing


def never() -> bool:
    return False


def results_of(
    window: Window[int, int],
    work: Callable[[int], Iterator[int]],
    items: Sequence[int],
    should_stop: Callable[[], bool] = never,
    came: threading.Event | None = None,
) -> tuple[list[int], Exception | None]:
    """The results, and the error that ended them. `came` is set at each result."""
    seen: list[int] = []
    try:
        for result in window.results(work, items, should_stop):
            seen.append(result)
            if came:
                came.set()
    except Exception as error:
        return seen, error
    return seen, None


def test_every_item_is_worked_on_once_and_all_results_come() -> None:
    def work(item: int) -> Iterator[tuple[int, str]]:
        yield item, "first"
        yield item, "second"

    window: Window[int, tuple[int, str]] = Window(4)
    results = list(window.results(work, range(100), never))
    assert sorted(results) == sorted((n, word) for n in range(100) for word in ("first", "second"))
    assert window.ended.is_set()


def test_workers_may_become_more_on_the_way() -> None:
    wanted = [1]
    threads: set[int] = set()

    def work(item: int) -> Iterator[int]:
        threads.add(threading.get_ident())
        time.sleep(0.01)
        if item == 5:
            wanted[0] = 6
        yield item

    window: Window[int, int] = Window(lambda: wanted[0])
    results = []
    for result in window.results(work, range(60), never):
        if result == 5:
            assert len(threads) == 1
        results.append(result)
    assert sorted(results) == list(range(60))
    assert len(threads) == 6


def test_nothing_to_do_is_done_at_once() -> None:
    window: Window[int, int] = Window(4)
    assert list(window.results(lambda item: [item], [], never)) == []


def test_a_result_is_given_before_its_item_is_done() -> None:
    gate = threading.Event()

    def work(item: int) -> Iterator[str]:
        yield "early"
        assert gate.wait(5)
        yield "late"

    window: Window[int, str] = Window(1)
    results = window.results(work, [1], never)
    assert next(results) == "early"
    gate.set()
    assert list(results) == ["late"]


def test_results_are_given_before_a_failure_and_no_further_item_is_begun() -> None:
    begun: list[int] = []
    failed = threading.Event()

    def work(item: int) -> Iterator[int]:
        begun.append(item)
        if item == 2:
            failed.set()
            raise ValueError("broken")
        assert failed.wait(5)
        time.sleep(0.05)
        yield item

    seen, error = results_of(Window(3), work, range(50))
    assert (sorted(seen), str(error)) == ([0, 1], "broken")
    assert len(begun) <= 4


def test_a_stop_gives_the_results_so_far_and_waits_for_nothing() -> None:
    gate = threading.Event()

    def work(item: int) -> Iterator[int]:
        if item == 1:
            gate.wait(5)
        yield item

    came = threading.Event()
    started = time.monotonic()
    seen, error = results_of(Window(2), work, [0, 1], came.is_set, came)
    assert (seen, type(error), time.monotonic() - started < 2) == ([0], Stopped, True)
    gate.set()


def test_should_stop_is_called_in_the_thread_that_takes_the_results() -> None:
    """On a site it queries the database: worker threads may have no connection of their own."""
    asked: set[int] = set()

    def should_stop() -> bool:
        asked.add(threading.get_ident())
        return False

    window: Window[int, int] = Window(4)
    assert len(list(window.results(lambda item: [item], range(20), should_stop))) == 20
    assert asked == {threading.get_ident()}


def test_a_run_that_is_slow_to_save_is_not_run_ahead_of() -> None:
    begun: list[int] = []

    def work(item: int) -> Iterator[int]:
        begun.append(item)
        yield item

    window: Window[int, int] = Window(2)
    results = window.results(work, range(100), never)
    assert next(results) in (0, 1)
    time.sleep(0.1)
    assert len(begun) <= 1 + 2 + 2, "one read, two unread, two under way"
    assert len(list(results)) == 99
