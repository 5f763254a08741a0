"""Locks: never two generations at once in one process, and one process at a time per model.

The queue `models` has one process anyhow. This holds also where somebody starts a second worker, or runs
`manage.py run_model` beside it: two copies of a model are slower than one after the other, or do not fit.
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
    """The waiting was called off."""


@contextmanager
def model_lock(name: str, *, give_up: Callable[[], bool], alone: bool = True) -> Iterator[None]:
    """Hold the lock of a model (by its SHA-256) or of a run without one (by its id).

    The operating system frees a dead process's lock, so nothing has to be cleaned up after a crash.

    Args:
        name: Of the model or run.
        give_up: Asked again and again while waiting; True ends the waiting.
        alone: Whether nothing else may compute in this process meanwhile; not where a server computes.

    Raises:
        LockGivenUp: The waiting was called off.
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
    """The lock between the processes of this machine, not yet taken."""
    folder = (
        Path(settings.DATA_DIR) / "turns"
    )  # the folder's old name: workers of before and after an upgrade meet
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
