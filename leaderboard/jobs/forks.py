"""Use of the database by threads of a process that forks others, as the main process of a worker does.

SQLite's connections must not be carried over a fork: the child would find its files locked by itself, and every write
of it fails as a disk I/O error.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

_use = threading.Lock()
os.register_at_fork(before=_use.acquire, after_in_parent=_use.release, after_in_child=_use.release)


@contextmanager
def between_forks() -> Iterator[None]:
    """Use the database, in a thread of its own, while no process is forked. Its connection is closed behind it."""
    with _use:
        try:
            yield
        finally:
            connection.close()
