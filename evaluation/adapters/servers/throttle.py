"""How fast a server is asked, by all workers of a run together.

It starts at `concurrency`. Where that is 0 it starts with a few requests at a time, and sends more of them as long as
each takes about as long as before (`Rise`). A server that says it is busy halves the number of requests under way (one
answer of a burst of 429 counts), and each answer lets it grow again: by one for as many answers as are under way.
Meanwhile nobody sends: the pause is the one that the server asks for, else it doubles each time, and is spread by a
seeded draw so that runs side by side do not come back together. It ends in `GaveUp` only where nothing was answered for
`patience_s`.
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

STOP_INTERVAL_S = 0.1  # how often a stop is asked for while nothing comes
LONGEST_PAUSE_S = 60.0  # of those that double: a server that recovers is noticed within a minute
SPREAD = 0.1  # of a pause that the server asked for, added by chance


class GaveUp(Exception):
    """Nothing was answered for as long as the settings have patience."""


class Pace:
    """At most so many a minute, evenly; 0: no limit."""

    def __init__(self, per_minute: float) -> None:
        self._each_s = 60 / per_minute if per_minute else 0.0
        self._next_at = 0.0

    def wait(self, now: float) -> float:
        """Seconds until the next may be sent."""
        return self._next_at - now

    def take(self, now: float, amount: float) -> None:
        """Send so many now.

        Args:
            now: The time.
            amount: Requests or tokens.
        """
        self._next_at = max(self._next_at, now) + amount * self._each_s

    def settle(self, more: float) -> None:
        """Correct what was taken, once it is known: by so many more."""
        self._next_at += more * self._each_s


#: Requests at a time that a run begins with and rises to, where `concurrency` leaves it open.
FIRST_AT_A_TIME, MOST_AT_A_TIME = 4, 128
#: A rise pays where the seconds of an answer grow by less than this share of it: a server that works on one request at
#: a time has all of it.
LEVEL = 0.4
#: Answers that take so many times what is usual: the server has less to give than before.
SLOWER = 2.5
#: Rounds without another try, after one that did not pay or was refused.
REST = 4
FEWEST_IN_ROUND = 8  # answers that a median is taken of
#: Rises: at first, and after one did not pay.
QUICKLY, GENTLY = 2.0, 1.5


class Rise:
    """How many requests at a time pay, learnt from how long answers take. `level` is that number.

    A round is as many answers as may be under way, all of them to requests that were sent at the present level.
    """

    def __init__(self, first: int = FIRST_AT_A_TIME, most: int = MOST_AT_A_TIME) -> None:
        self.level = self.highest = first
        self._most, self._factor, self._rests = most, QUICKLY, 0
        self._since = float("-inf")
        self._took: list[float] = []
        self._full = False
        self._usual: float | None = None
        self._before: tuple[int, float] | None = (
            None  # while a rise is tried: the level before, and its seconds
        )

    def answered(self, sent_at: float, seconds: float, now: float, *, full: bool) -> None:
        """Learn from an answer.

        Args:
            sent_at: When its request went out.
            seconds: How long it took.
            now: The time.
            full: Whether as many were under way as may be: else more would not be sent anyway.
        """
        if sent_at < self._since:
            return
        self._took.append(seconds)
        self._full |= full
        if len(self._took) >= max(self.level, FEWEST_IN_ROUND):
            self._judge(median(self._took), now)

    def refused(self, level: int, now: float) -> None:
        """The server is busy: go on with fewer.

        Args:
            level: How many.
            now: The time.
        """
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
        elif full and self.level < self._most:
            self._before = self.level, seconds
            self._set(min(math.ceil(self.level * self._factor), self._most), now)

    def _set(self, level: int, now: float) -> None:
        self.level, self._since, self._took = level, now, []
        self.highest = max(self.highest, level)


class Throttle:
    """What the requests of one run share. Safe to use from several threads at once."""

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
        self.fewest = most  # requests at a time that it came down to

    @contextmanager
    def slot(self, tokens: float, should_stop: ShouldStop) -> Iterator[float]:
        """Wait until a request may be sent; it is under way inside.

        Args:
            tokens: How many it will take, as far as is known.
            should_stop: Asked while it waits.

        Returns:
            A context of when it was sent.

        Raises:
            Stopped: `should_stop` said yes.
        """
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
        """An answer came: the server works, and may be asked a little more.

        Args:
            more_tokens: How many it took beyond what was thought.
            sent_at: When its request went out; without it the answer says nothing of how many at a time pay.
            seconds: How long it took.
        """
        with self._changed:
            self._waiting_since, self._rounds = None, 0
            self._tokens.settle(more_tokens)
            if self._rise is None:
                self._limit = min(float(self._most), self._limit + 1 / self._limit)
                return
            if math.isfinite(sent_at):
                full = self._busy + 1 >= self._rise.level  # with the one that just came
                self._rise.answered(sent_at, seconds, self._clock(), full=full)
                self._limit = float(self._rise.level)

    @property
    def at_a_time(self) -> int:
        """How many requests may be under way now."""
        return max(int(self._limit), 1)

    def pushed_back(self, sent_at: float, asked_s: float | None) -> None:
        """The server is busy: nobody sends for a while, and then fewer at a time.

        Args:
            sent_at: When the request went out that was refused.
            asked_s: The seconds that the server asked for; None where it asked for none. A moment that is already past
                asks for none: asked again at once, a busy server would be asked hundreds of times a second.

        Raises:
            GaveUp: The pause would end later than there is patience for.
        """
        asked_s = asked_s or None
        with self._changed:
            now = self._clock()
            if self._waiting_since is None:
                self._waiting_since = now
            if sent_at >= self._halved_at:  # what went out before says only what is known
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
        """Seconds until a request may be sent, as far as is known now."""
        full = STOP_INTERVAL_S if self._busy >= int(self._limit) else 0.0
        return max(full, self._open_at - now, self._requests.wait(now), self._tokens.wait(now))
