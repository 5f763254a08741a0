"""Work in several threads with results in order of arrival: a window that slides over a whole run.

Items do not wait for each other, but no item is started while too many results wait to be saved. Arrived results are
yielded before a stop, a pause or a failure ends the run. At a pause or a failure, pending requests are awaited, as they
may be paid for; at a stop they are not.
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

#: Seconds for pending requests to end, once no more are sent.
DRAIN_S = 60.0
In = TypeVar("In")
Out = TypeVar("Out")


class _End:
    """The message by which a worker says that it has ended."""


_END = _End()


class Window(Generic[In, Out]):
    """A pool of workers, which may grow. Once `ended` is set, no further item is started."""

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
        """Call `work` on every item, several at a time, and yield the results as they arrive. Raises Stopped."""
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
                # pending requests are waited for, but only for a while: a server may hang
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
        more = min(self._wanted(), items) - self._workers
        for _ in range(more):
            self._workers += 1
            context = copy_context()  # so that the run's recorder is set in each thread
            # daemons, so that an exiting process does not wait for them
            threading.Thread(target=context.run, args=(self._work, work, todo), daemon=True).start()
        return max(more, 0)

    def _work(self, work: Callable[[In], Iterable[Out]], todo: Iterator[In]) -> None:
        try:
            while (item := self._take(todo)) is not None:
                for result in work(item):
                    self._put(result)
        except Stopped:
            pass
        except Exception as error:  # re-raised in the thread that takes the results
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
        try:
            return self._results.get(timeout=timeout) if timeout else self._results.get_nowait()
        except queue.Empty:
            return None

    def _done_with(self) -> None:
        # called when the consumer is done with a result: until then workers take no further item
        with self._changed:
            self._unread -= 1
            self._changed.notify()

    def _arrived(self) -> Iterator[Out]:
        while (result := self._next(timeout=0)) is not None:
            if not isinstance(result, _End):
                yield result
