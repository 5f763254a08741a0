"""Turns: never two generations at once in one process, and one process at a time per model.

The queue `models` has one process anyhow. This holds also where somebody starts a second worker, or runs
`manage.py run_model` beside it: two copies of a model are slower than one after the other, or do not fit.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

_generation = threading.Lock()
POLL_S = 0.2  # between two tries to take a lock


class LockGivenUp(Exception):
    """The waiting was called off."""


@contextmanager
def model_lock(name: str, *, give_up: Callable[[], bool]) -> Iterator[None]:
    """Hold the turn of a model (by its SHA-256) or of a run without one (by its id). Raises TurnGivenUp.

    The operating system ends a dead process's turn, so nothing has to be cleaned up after a crash.
    """
    _wait(lambda: _generation.acquire(blocking=False), give_up)
    try:
        with _lock_file(name) as descriptor:
            _wait(lambda: _locked(descriptor), give_up)
            yield
    finally:
        _generation.release()


@contextmanager
def _lock_file(name: str) -> Iterator[int]:
    folder = Path(settings.DATA_DIR) / "turns"
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _wait(taken: Callable[[], bool], give_up: Callable[[], bool]) -> None:
    while not taken():
        if give_up():
            raise LockGivenUp
        time.sleep(POLL_S)
