"""The request rate of a run, shared by all its workers.

A run starts with `concurrency` requests at a time. With `concurrency` 0 it starts with a few, and more are sent as long
as answers do not slow down (`Rise`). A busy response halves the number n of concurrent requests; several busy responses
at once count as one. Each answer lets n grow by 1/n. After a busy response all workers pause: as long as the server
asks, else twice as long each time, with a seeded jitter so that parallel runs do not continue at the same moment.
`GaveUp` is raised only after `patience_s` without any answer.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median

from evaluation.adapters.base import ShouldStop, Stopped
from evaluation.core.rng import Stream

STOP_INTERVAL_S = 0.1  # between checks for a stop while nothing arrives
LONGEST_PAUSE_S = 60.0  # limit of doubling: a recovered server is noticed within a minute
SPREAD = 0.1  # jitter, as a share of a pause that the server asked for


class GaveUp(Exception):
    """Raised if no answer has arrived for `patience_s` seconds."""


class Pace:
    """A limit of requests or tokens per minute, spread evenly; 0 means no limit."""

    def __init__(self, per_minute: float) -> None:
        self._each_s = 60 / per_minute if per_minute else 0.0
        self._next_at = 0.0

    def wait(self, now: float) -> float:
        """Seconds until this limit allows the next request."""
        return self._next_at - now

    def take(self, now: float, amount: float) -> None:
        """Count an amount of requests or tokens sent at `now`."""
        self._next_at = max(self._next_at, now) + amount * self._each_s

    def settle(self, more: float) -> None:
        """Add `more` to a counted amount, once the true amount is known."""
        self._next_at += more * self._each_s


#: Concurrent requests at first and at most, if `concurrency` is 0.
FIRST_AT_A_TIME, MOST_AT_A_TIME = 4, 128
#: A rise pays if the seconds of an answer grow by less than this share of it. For a server that works on one request
#: at a time they grow by all of it.
LEVEL = 0.4
#: Slowdown of answers that means the server has less capacity than before.
SLOWER = 2.5
#: Rounds without another rise, after one that did not pay or was refused.
REST = 4
FEWEST_IN_ROUND = 8  # answers for a median
#: Factors of a rise: at first, and after one did not pay.
QUICKLY, GENTLY = 2.0, 1.5


class Rise:
    """Learns the best number of concurrent requests (`level`) from the duration of answers.

    A level is judged after a round of about as many answers, all to requests that were sent at this level.
    """

    def __init__(self) -> None:
        self.level = self.highest = FIRST_AT_A_TIME
        self._factor, self._rests = QUICKLY, 0
        self._since = float("-inf")
        self._took: list[float] = []
        self._full = False
        self._usual: float | None = None
        #: During a trial rise: the previous level and its seconds.
        self._before: tuple[int, float] | None = None

    def answered(self, sent_at: float, seconds: float, now: float, *, full: bool) -> None:
        """Learn from the duration of an answer. `full`: as many requests were pending as the level allows."""
        if sent_at < self._since:
            return
        self._took.append(seconds)
        # a level that is not used up says nothing for a higher one
        self._full |= full
        if len(self._took) >= max(self.level, FEWEST_IN_ROUND):
            self._judge(median(self._took), now)

    def refused(self, level: int, now: float) -> None:
        """Continue at a lower level, because the server is busy."""
        self._set(level, now)
        self._before, self._usual, self._rests, self._factor = None, None, REST, GENTLY

    def _judge(self, seconds: float, now: float) -> None:
        full, self._full, self._took = self._full, False, []
        if self._before is not None:
            (level, before), self._before = self._before, None
            if seconds > before * (1 + LEVEL * (self.level / level - 1)):
                self._set(level, now)
                self._rests, self._factor = REST, GENTLY
                return
        elif self._usual is not None and seconds > SLOWER * self._usual:
            self.refused(max(self.level // 2, 1), now)
            return
        self._usual = seconds
        if self._rests:
            self._rests -= 1
        elif full and self.level < MOST_AT_A_TIME:
            self._before = self.level, seconds
            self._set(min(math.ceil(self.level * self._factor), MOST_AT_A_TIME), now)

    def _set(self, level: int, now: float) -> None:
        self.level, self._since, self._took = level, now, []
        self.highest = max(self.highest, level)


class Throttle:
    """State shared by the requests of one run. Thread-safe."""

    def __init__(
        self,
        *,
        most: int = 0,
        rise: Rise | None = None,
        pause_s: float,
        patience_s: float,
        requests_per_minute: float = 0.0,
        tokens_per_minute: float = 0.0,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
        look_s: float = STOP_INTERVAL_S,
    ) -> None:
        self._rise = rise
        most = rise.level if rise else most
        self._most, self._pause_s, self._patience_s = most, pause_s, patience_s
        self._requests, self._tokens = Pace(requests_per_minute), Pace(tokens_per_minute)
        self._draws, self._clock, self._look_s = Stream("pause", seed), clock, look_s
        self._changed = threading.Condition()
        self._limit, self._busy = float(most), 0
        self._open_at = self._halved_at = float("-inf")
        self._rounds = 0
        self._waiting_since: float | None = None
        self.fewest = most  # lowest number of concurrent requests so far

    @contextmanager
    def slot(self, tokens: float, should_stop: ShouldStop) -> Iterator[float]:
        """Wait until a request may be sent, and yield the time. Send the request in this block. Raises Stopped."""
        sent_at = self._enter(tokens, should_stop)
        try:
            yield sent_at
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()

    def succeeded(
        self, more_tokens: float = 0.0, *, sent_at: float = float("-inf"), seconds: float = 0.0
    ) -> None:
        """Record an answer. `more_tokens`: tokens above the estimate. If `sent_at` is given, `Rise` learns from it."""
        with self._changed:
            # the server works again: patience starts anew
            self._waiting_since, self._rounds = None, 0
            self._tokens.settle(more_tokens)
            if self._rise is None:
                self._limit = min(float(self._most), self._limit + 1 / self._limit)
                return
            if math.isfinite(sent_at):
                full = self._busy + 1 >= self._rise.level  # including the one that just came
                self._rise.answered(sent_at, seconds, self._clock(), full=full)
                self._limit = float(self._rise.level)

    @property
    def at_a_time(self) -> int:
        return max(int(self._limit), 1)

    def pushed_back(self, sent_at: float, asked_s: float | None) -> None:
        """Record a busy response. All workers pause (for `asked_s`, if given) and then send less. Raises GaveUp."""
        # a pause of 0 s counts as none asked for, or a busy server would be asked hundreds of times a second
        asked_s = asked_s or None
        with self._changed:
            now = self._clock()
            if self._waiting_since is None:
                self._waiting_since = now
            if sent_at >= self._halved_at:  # earlier requests are part of the same burst
                self._limit, self._halved_at = max(self._limit / 2, 1.0), now
                self.fewest = min(self.fewest, int(self._limit))
                if self._rise is not None:
                    self._rise.refused(int(self._limit), now)
                self._open_at = max(self._open_at, now + self._pause(asked_s))
                self._rounds += 1
            elif asked_s is not None:
                self._open_at = max(self._open_at, now + asked_s)
            if self._open_at - self._waiting_since > self._patience_s:
                raise GaveUp

    def _pause(self, asked_s: float | None) -> float:
        draw = self._draws.random()
        if asked_s is not None:
            return asked_s + draw * min(SPREAD * asked_s, 1.0)
        longest: float = min(self._pause_s * 2.0**self._rounds, LONGEST_PAUSE_S)
        return longest * (1 + draw) / 2

    def _enter(self, tokens: float, should_stop: ShouldStop) -> float:
        while not should_stop():
            with self._changed:
                now = self._clock()
                if (wait := self._wait(now)) <= 0:
                    self._busy += 1
                    self._requests.take(now, 1)
                    self._tokens.take(now, tokens)
                    return now
                self._changed.wait(min(wait, self._look_s))
        raise Stopped

    def _wait(self, now: float) -> float:
        full = STOP_INTERVAL_S if self._busy >= int(self._limit) else 0.0
        return max(full, self._open_at - now, self._requests.wait(now), self._tokens.wait(now))
