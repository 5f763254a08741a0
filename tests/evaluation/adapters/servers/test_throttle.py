"""The request rate to a server, on a clock that the test moves."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from evaluation.adapters.base import Stopped
from evaluation.adapters.servers.throttle import LONGEST_PAUSE_S, GaveUp, Rise, Throttle


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def make(clock: Clock, **settings: float) -> Throttle:
    given = {"most": 8, "pause_s": 1.0, "patience_s": 600.0} | settings
    return Throttle(clock=clock, look_s=1e-5, **given)  # type: ignore[arg-type]


def rise_after(seconds: Callable[[int], float], answers: int = 3000, rise: Rise | None = None) -> Rise:
    """A `Rise` after that many answers; `seconds`: requests under way -> time of an answer."""
    rise = rise or Rise()
    clock = max(0.0, rise._since)
    for _ in range(answers):
        clock += 0.001
        rise.answered(clock, seconds(rise.level), clock, full=True)
    return rise


@pytest.mark.parametrize(
    ("seconds", "least", "most"),
    [
        (lambda level: 0.5, 128, 128),  # a server that answers any number at once
        (lambda level: 0.5 * level, 4, 6),  # one at a time
        (lambda level: 0.5 * max(1, level / 32), 32, 48),  # 32 at a time
        (lambda level: 0.5 * level**0.27, 128, 128),  # of vLLM: 12 times the rows at 32 times the requests
    ],
)
def test_the_number_of_requests_at_a_time_rises_while_it_pays(
    seconds: Callable[[int], float], least: int, most: int
) -> None:
    rise = rise_after(seconds)
    assert least <= rise.level <= most
    assert rise.highest <= max(2 * most, 128 if most == 128 else 0)


def test_more_are_tried_only_where_all_that_may_be_sent_are() -> None:
    rise = Rise()
    for number in range(1000):
        rise.answered(number, 0.5, number, full=False)
    assert rise.level == 4


def test_answers_that_take_much_longer_than_before_halve_the_number() -> None:
    rise = rise_after(lambda level: 0.5)
    assert rise.level == 128
    rise_after(lambda level: 5.0, 300, rise)
    assert rise.level < 128


def test_a_refusal_halves_the_number_which_rises_again_later() -> None:
    clock = Clock()
    rise = rise_after(lambda level: 0.5)
    throttle = Throttle(rise=rise, pause_s=1.0, patience_s=600.0, clock=clock, look_s=1e-5)
    clock.now = 1000.0
    throttle._limit = float(rise.level)
    throttle.pushed_back(clock.now, 1.0)
    assert (throttle.at_a_time, rise.level) == (64, 64)
    rise_after(lambda level: 0.5, 150, rise)
    assert rise.level == 64
    rise_after(lambda level: 0.5, 3000, rise)
    assert rise.level == 128


def may_send(throttle: Throttle, tokens: float = 0.0) -> bool:
    """Whether a request could be sent now; none is sent."""
    asked = [False, True]  # the second time the throttle asks whether to stop, it has waited in vain
    try:
        with throttle.slot(tokens, lambda: asked.pop(0)):
            return True
    except Stopped:
        return False


def most_at_once(throttle: Throttle) -> int:
    """The number of requests that may be under way at once."""
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


def test_the_number_begins_at_its_most_and_a_burst_of_refusals_halves_it_once() -> None:
    clock = Clock()
    throttle = make(clock)
    assert most_at_once(throttle) == 8
    sent_at = clock.now
    clock.now += 1
    for _ in range(8):
        throttle.pushed_back(sent_at, 2.0)
    assert not may_send(throttle)
    clock.now += 2.3
    assert (most_at_once(throttle), throttle.fewest) == (4, 4)


def test_each_answer_lets_the_number_grow_again_up_to_its_setting() -> None:
    clock = Clock()
    throttle = make(clock)
    for _ in range(5):
        throttle.pushed_back(clock.now, 0.5)
        clock.now += 1
    assert (most_at_once(throttle), throttle.fewest) == (1, 1)
    throttle.succeeded()
    assert most_at_once(throttle) == 2
    for _ in range(100):
        throttle.succeeded()
    assert most_at_once(throttle) == 8


def test_pauses_double_are_spread_and_the_same_for_the_same_seed() -> None:
    def pauses(seed: int) -> list[float]:
        clock = Clock()
        throttle, lengths = make(clock, seed=seed, patience_s=1e6), []
        for _ in range(9):
            throttle.pushed_back(clock.now, None)
            began = clock.now
            while not may_send(throttle):
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
    assert not may_send(throttle)
    clock.now += 1.2
    assert may_send(throttle)


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
    assert may_send(throttle)
    clock.now += 1.9
    assert not may_send(throttle)
    clock.now += 0.2
    assert may_send(throttle)


def test_tokens_a_minute_are_taken_by_guess_and_settled_by_what_they_were() -> None:
    clock = Clock()
    throttle = make(clock, tokens_per_minute=6000.0)
    with throttle.slot(1000, lambda: False):
        throttle.succeeded(more_tokens=-400)
    clock.now += 5.9
    assert not may_send(throttle, 1)
    clock.now += 0.2
    assert may_send(throttle, 1)


def test_a_waiting_request_is_let_in_when_another_is_done() -> None:
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
