"""How fast a server is asked: on a clock that the test moves."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import pytest

from evaluation.adapters.base import Stopped
from evaluation.adapters.servers.throttle import LONGEST_PAUSE_S, GaveUp, Throttle


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def make(clock: Clock, **settings: float) -> Throttle:
    given = {"most": 8, "pause_s": 1.0, "patience_s": 600.0} | settings
    return Throttle(clock=clock, look_s=1e-5, **given)  # type: ignore[arg-type]


def is_open(throttle: Throttle, tokens: float = 0.0) -> bool:
    """Whether a request could be sent now; it is not."""
    asked = [False, True]  # the second time the throttle asks whether to stop, it has waited in vain
    try:
        with throttle.slot(tokens, lambda: asked.pop(0)):
            return True
    except Stopped:
        return False


def slots(throttle: Throttle) -> int:
    """How many requests may be under way at a time."""
    with ExitStack() as held:
        count = 0
        while count < 99:
            asked = [False, True]
            try:
                held.enter_context(throttle.slot(0, lambda asked=asked: asked.pop(0)))  # type: ignore[misc]
            except Stopped:
                break
            count += 1
    return count


def test_it_begins_with_all_and_a_burst_of_refusals_halves_once() -> None:
    clock = Clock()
    throttle = make(clock)
    assert slots(throttle) == 8
    sent_at = clock.now
    clock.now += 1
    for _ in range(8):
        throttle.pushed_back(sent_at, 2.0)
    assert not is_open(throttle)
    clock.now += 2.3
    assert (slots(throttle), throttle.fewest) == (4, 4)


def test_each_answer_lets_it_grow_again_and_never_beyond_its_setting() -> None:
    clock = Clock()
    throttle = make(clock)
    for _ in range(5):
        throttle.pushed_back(clock.now, 0.5)
        clock.now += 1
    assert (slots(throttle), throttle.fewest) == (1, 1)
    throttle.succeeded()
    assert slots(throttle) == 2
    for _ in range(100):
        throttle.succeeded()
    assert slots(throttle) == 8


def test_pauses_double_are_spread_and_the_same_for_the_same_seed() -> None:
    def pauses(seed: int) -> list[float]:
        clock = Clock()
        throttle, lengths = make(clock, seed=seed, patience_s=1e6), []
        for _ in range(9):
            throttle.pushed_back(clock.now, None)
            began = clock.now
            while not is_open(throttle):
                clock.now += 0.1
            lengths.append(clock.now - began)
        return lengths

    first = pauses(1)
    assert first == pauses(1) != pauses(2)
    for turn, length in enumerate(first):
        longest = min(2.0**turn, LONGEST_PAUSE_S)
        assert longest / 2 <= length <= longest + 0.11


def test_what_the_server_asks_for_is_waited_for_whole_and_at_most_a_tenth_longer() -> None:
    clock = Clock()
    throttle = make(clock)
    throttle.pushed_back(clock.now, 300.0)
    clock.now += 299.9
    assert not is_open(throttle)
    clock.now += 1.2
    assert is_open(throttle)


def test_it_gives_up_after_its_patience_and_not_after_a_number_of_tries() -> None:
    clock = Clock()
    throttle = make(clock, patience_s=60.0)
    for _ in range(50):
        throttle.pushed_back(clock.now, 1.0)
        clock.now += 1.15
    clock.now = 100.0 + 59.5
    with pytest.raises(GaveUp):
        throttle.pushed_back(clock.now, 1.0)


def test_an_answer_in_between_gives_it_new_patience() -> None:
    clock = Clock()
    throttle = make(clock, patience_s=60.0)
    for _ in range(20):
        throttle.pushed_back(clock.now, 50.0)
        clock.now += 51
        throttle.succeeded()


def test_a_pause_beyond_its_patience_is_not_begun() -> None:
    clock = Clock()
    with pytest.raises(GaveUp):
        make(clock, patience_s=60.0).pushed_back(clock.now, 61.0)


def test_so_many_requests_a_minute_are_sent_evenly() -> None:
    clock = Clock()
    throttle = make(clock, requests_per_minute=30.0)
    assert is_open(throttle)
    clock.now += 1.9
    assert not is_open(throttle)
    clock.now += 0.2
    assert is_open(throttle)


def test_tokens_a_minute_are_taken_by_guess_and_settled_by_what_they_were() -> None:
    clock = Clock()
    throttle = make(clock, tokens_per_minute=6000.0)
    with throttle.slot(1000, lambda: False):
        throttle.succeeded(more_tokens=-400)
    clock.now += 5.9
    assert not is_open(throttle, 1)
    clock.now += 0.2
    assert is_open(throttle, 1)


def test_who_waits_is_let_in_when_another_is_done() -> None:
    throttle = Throttle(most=1, pause_s=1.0, patience_s=1.0)
    entered = threading.Event()

    def second() -> None:
        with throttle.slot(0, lambda: False):
            entered.set()

    with throttle.slot(0, lambda: False):
        thread = threading.Thread(target=second)
        thread.start()
        assert not entered.wait(0.05)
    thread.join(5)
    assert entered.is_set()
