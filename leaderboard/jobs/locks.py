"""Locks of models: a process runs one model at a time, and a model runs in one process of a machine at a time."""

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
    """The wait for the lock was cancelled."""


@contextmanager
def model_lock(name: str, *, give_up: Callable[[], bool], alone: bool = True) -> Iterator[None]:
    """Hold the lock of a model (by SHA-256) or run (by id). Raises LockGivenUp if `give_up` returns True while waiting.

    With `alone`, this process runs no other model meanwhile; pass False if a model server computes.
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
