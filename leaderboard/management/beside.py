"""Processes that work beside a command, each with Django set up. They end with the block."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.pool import Pool
from typing import Any


@contextmanager
def processes() -> Iterator[Pool]:
    """As many as there are cores, four at most."""
    # Spawned: a forked process would share the database connections and threads of the command.
    count = min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    with multiprocessing.get_context("spawn").Pool(count, initializer=_begin) as pool:
        yield pool
        pool.close()
        pool.join()


def _begin() -> None:
    """Runs first in each process. Ctrl-C is the command's, which ends the others itself."""
    import django

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    django.setup()


def _end(*_: Any) -> None:
    sys.exit(1)
