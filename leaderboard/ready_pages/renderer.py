"""One thread per web process that renders pages again while readers get older ones."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from django.db import close_old_connections

from leaderboard.ready_pages.store import Key

logger = logging.getLogger(__name__)


class Renderer:
    """Renders each page once, however many readers wait. A single thread leaves the CPU to requests."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="renders-pages")
        self._taken: set[Key] = set()
        self._lock = Lock()

    def take(self, key: Key, render: Callable[[], object]) -> None:
        """Render a page soon, unless it is queued already."""
        with self._lock:
            if key in self._taken:
                return
            self._taken.add(key)
        self._thread.submit(self._render, key, render)

    def _render(self, key: Key, render: Callable[[], object]) -> None:
        """Render, and only log failures: once the older page expires, the next reader's request shows the error."""
        try:
            close_old_connections()
            render()
        except Exception:
            logger.exception("A page could not be rendered again: %s", key[2])
        finally:
            close_old_connections()
            with self._lock:
                self._taken.discard(key)


renderer = Renderer()
