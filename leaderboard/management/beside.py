"""Worker processes of a command, each with Django set up."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def processes() -> Iterator[ProcessPoolExecutor]:
    """A pool with one process per core, at most four. It ends with the block, and breaks if a process is killed."""
    count = min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    # Spawned: a forked process would share the database connections and threads of the command.
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=spawn, initializer=_begin) as pool:
        try:
            yield pool
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def _begin() -> None:
    """Set up Django in a new process. Ctrl-C is handled by the command, which ends the processes itself."""
    import django

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A handler that raises would only fail one piece of work, and the process would go on with the next.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    django.setup()
