"""Database access in threads of a process that forks: SQLite connections fail if they cross a fork."""

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
    """Use the database in a thread; forks of this process wait meanwhile. Closes the thread's connection at the end."""
    with _use:
        try:
            yield
        finally:
            connection.close()
