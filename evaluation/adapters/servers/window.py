"""Work in several threads, its results in the order they come: a window that slides over a whole run.

No item waits for another. A worker waits only where more results lie there than there are workers: a run that is slow
to save asks no faster. What came is given back before anything ends the run: a stop, a pause, a failure. What is under
way at a pause or a failure is waited for, as it may be paid for; at a stop it is not.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from typing import Generic, TypeVar

from evaluation.adapters.base import ShouldStop, Stopped
from evaluation.adapters.servers.throttle import STOP_INTERVAL_S

#: Seconds that requests under way get to end, once no more are sent: nobody watches a pause that takes longer.
DRAIN_S = 60.0
In = TypeVar("In")
Out = TypeVar("Out")


class _End:
    """A worker's last word."""


_END = _End()


class Window(Generic[In, Out]):
    """One use of so many workers, which may become more. `ended` is set once no further item will be begun."""

    def __init__(self, workers: int | Callable[[], int]) -> None:
        self._wanted = workers if callable(workers) else lambda: workers
        self._workers = 0
        self._results: queue.SimpleQueue[Out | _End] = queue.SimpleQueue()
        self._unread = 0
        self._failure: Exception | None = None
        self._changed = threading.Condition()
        self.ended = threading.Event()

    def results(
        self, work: Callable[[In], Iterable[Out]], items: Sequence[In], should_stop: ShouldStop
    ) -> Iterator[Out]:
        """Do the work on every item.

        Args:
            work: What is done, in a thread; each of its results is given back as soon as it is there.
            items: What it is done on; they are begun in this order.
            should_stop: Asked here, in the thread that takes the results.

        Returns:
            The results, in the order they come.

        Raises:
            Stopped: `should_stop` said yes.
            Exception: What the work raised first, after the results of what was under way.
        """
        todo = iter(items)
        left = self._start(work, todo, len(items))
        until = float("inf")
        try:
            while left and time.monotonic() < until:
                if not self.ended.is_set():
                    left += self._start(work, todo, len(items))
                if should_stop():
                    self.ended.set()
                    yield from self._arrived()
                    raise Stopped
                if self.ended.is_set():
                    until = min(until, time.monotonic() + DRAIN_S)
                result = self._next()
                if isinstance(result, _End):
                    left -= 1
                elif result is not None:
                    yield result
                    self._done_with()
            if self._failure is not None:
                raise self._failure
        finally:
            self.ended.set()

    def _start(self, work: Callable[[In], Iterable[Out]], todo: Iterator[In], items: int) -> int:
        """As many more workers as are wanted and there is work for. A process that ends waits for none of them."""
        more = min(self._wanted(), items) - self._workers
        for _ in range(more):
            self._workers += 1
            context = copy_context()  # the recorder of the run hears of it in each thread
            threading.Thread(target=context.run, args=(self._work, work, todo), daemon=True).start()
        return max(more, 0)

    def _work(self, work: Callable[[In], Iterable[Out]], todo: Iterator[In]) -> None:
        try:
            while (item := self._take(todo)) is not None:
                for result in work(item):
                    self._put(result)
        except Stopped:
            pass
        except Exception as error:  # whatever it is, the thread that takes the results raises it
            with self._changed:
                self._failure = self._failure or error
            self.ended.set()
        finally:
            self._results.put(_END)

    def _take(self, todo: Iterator[In]) -> In | None:
        with self._changed:
            while self._unread >= self._workers and not self.ended.is_set():
                self._changed.wait(STOP_INTERVAL_S)
            return None if self.ended.is_set() else next(todo, None)

    def _put(self, result: Out) -> None:
        with self._changed:
            self._unread += 1
        self._results.put(result)

    def _next(self, timeout: float = STOP_INTERVAL_S) -> Out | _End | None:
        """The next result, None where none came in the time after which a stop is asked for again."""
        try:
            return self._results.get(timeout=timeout) if timeout else self._results.get_nowait()
        except queue.Empty:
            return None

    def _done_with(self) -> None:
        """A result was dealt with: only now, so that one worker and a run that pauses are in step."""
        with self._changed:
            self._unread -= 1
            self._changed.notify()

    def _arrived(self) -> Iterator[Out]:
        while (result := self._next(timeout=0)) is not None:
            if not isinstance(result, _End):
                yield result
