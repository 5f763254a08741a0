"""Locks: one generation at a time in a process, one process at a time per model.

The queue `models` has one process anyway. The locks also hold for a second worker or a `manage.py run_model`
beside it: two copies of a model are slower than one after the other, or do not fit into memory.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from django.conf import settings
from filelock import BaseFileLock, FileLock, Timeout

_generation = threading.Lock()
POLL_S = 0.2  # between two tries to take a lock


class LockGivenUp(Exception):
    """Waiting for the lock was called off."""


@contextmanager
def model_lock(name: str, *, give_up: Callable[[], bool], alone: bool = True) -> Iterator[None]:
    """Hold the lock of a model (by SHA-256) or of a run without a model (by id).

    The operating system frees the lock of a dead process, so no cleaning up is needed.

    Args:
        give_up: Called repeatedly while waiting; True ends the wait.
        alone: Also exclude other generations in this process. False if a server computes.

    Raises:
        LockGivenUp: Waiting was called off.
    """
    with _alone(give_up) if alone else nullcontext():
        lock = file_lock(name)
        _wait(lambda: _acquired(lock), give_up)
        try:
            yield
        finally:
            lock.release()


@contextmanager
def _alone(give_up: Callable[[], bool]) -> Iterator[None]:
    _wait(lambda: _generation.acquire(blocking=False), give_up)
    try:
        yield
    finally:
        _generation.release()


def file_lock(name: str) -> BaseFileLock:
    """The lock between processes of this machine, not yet acquired."""
    folder = (
        Path(settings.DATA_DIR) / "turns"
    )  # the old name of the folder: workers from before an upgrade lock there too
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / f"{name}.lock", mode=0o600, thread_local=False)


def _acquired(lock: BaseFileLock) -> bool:
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return False
    return True


def _wait(taken: Callable[[], bool], give_up: Callable[[], bool]) -> None:
    while not taken():
        if give_up():
            raise LockGivenUp
        time.sleep(POLL_S)
