"""Celery's prefork pool, except that a child killed while it waits for work does not block the others.

Without an event loop (the folder broker has none) children share one pipe. Celery's wait in it under a lock, and a lock
stays closed when the process that holds it is killed: no other child would get work again.
"""

from __future__ import annotations

from billiard.pool import Pool
from billiard.queues import SimpleQueue
from celery.concurrency import prefork


class WorkQueue(SimpleQueue):  # type: ignore[misc] # billiard has no types
    """A locked pipe that is waited for without its lock, which is held only to read a message that is there."""

    def get_payload(self) -> bytes:
        while True:
            self._reader.poll(None)
            with self._rlock:
                if self._reader.poll(0):
                    return bytes(self._reader.recv_bytes())


class SharedPipePool(Pool):  # type: ignore[misc] # billiard has no types
    def _setup_queues(self) -> None:
        super()._setup_queues()
        self._inqueue = WorkQueue(ctx=self._ctx)
        self._quick_put = self._inqueue._writer.send


class TaskPool(prefork.TaskPool):
    BlockingPool = SharedPipePool
