"""Celery's prefork pool, fixed so that killing an idle child process does not block the other children.

Without an event loop (the folder broker has none) all children read from one pipe. In Celery a child holds a lock
while it waits for the pipe. If that child is killed, the lock is never released, and no other child gets work.
"""

from __future__ import annotations

from typing import Any

from billiard.pool import Pool
from billiard.queues import SimpleQueue
from celery.concurrency import prefork


class WorkQueue(SimpleQueue):  # type: ignore[type-arg] # it takes none when it runs
    """A shared pipe whose readers wait without the lock, and hold it only while they read an available message."""

    _reader: Any
    _writer: Any
    _rlock: Any

    def get_payload(self) -> bytes:
        while True:
            self._reader.poll(None)
            with self._rlock:
                if self._reader.poll(0):
                    return bytes(self._reader.recv_bytes())


class SharedPipePool(Pool):
    _ctx: Any

    def _setup_queues(self) -> None:
        super()._setup_queues()  # type: ignore[misc] # not in its types
        self._inqueue = WorkQueue(ctx=self._ctx)
        self._quick_put = self._inqueue._writer.send


class TaskPool(prefork.TaskPool):
    BlockingPool = SharedPipePool
