"""Compressed pages in the memory of one web process."""

from __future__ import annotations

import time
from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

#: Names a page: scheme, host, path with query.
Key = tuple[str, str, str]

#: Limit of compressed pages. A board of 1,000 systems takes 40 kB.
MOST_BYTES = 64 << 20
#: Remembered states: more than can be written in the seconds for which an older page is sent.
MOST_STATES = 1000
NEVER = float("-inf")


class ReadyPage(NamedTuple):
    """A page as it is sent: gzipped, with headers and ETag."""

    packed: bytes
    headers: tuple[tuple[str, str], ...]
    etag: str
    until: float  # monotonic clock; pages expire because they contain words such as "2 days ago"


class Kept(NamedTuple):
    """A stored page, the state of the site when it was rendered, and the time of storing (monotonic clock)."""

    state: str
    page: ReadyPage
    since: float


class Store:
    """Least-recently-used cache of pages. Thread-safe."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """`most_bytes` limits the size of all compressed pages; the least recently used pages are dropped."""
        self._most, self._bytes = most_bytes, 0
        self._pages: OrderedDict[Key, Kept] = OrderedDict()
        self._seen: OrderedDict[str, float] = OrderedDict()
        self._rendering: dict[Key, Lock] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._pages)

    def get(self, key: Key, state: str, now: float) -> ReadyPage | None:
        """A page rendered from this state of the site; None if missing or expired. `now` is of the monotonic clock."""
        with self._lock:
            kept = self._pages.get(key)
            if kept is None or kept.state != state or kept.page.until <= now:
                return None
            self._pages.move_to_end(key)
            return kept.page

    def saw(self, state: str, now: float) -> None:
        """Record that the site was in this state; `now` is the time before the state was read."""
        with self._lock:
            self._seen[state] = max(now, self._seen.get(state, now))
            self._seen.move_to_end(state)
            if len(self._seen) > MOST_STATES:
                self._seen.popitem(last=False)

    def older(self, key: Key, now: float, seconds: float) -> Kept | None:
        """A page that was current at most `seconds` ago, even if the site has changed since; None if there is none."""
        with self._lock:
            kept = self._pages.get(key)
            if kept is None or min(kept.page.until, self._seen.get(kept.state, NEVER)) + seconds <= now:
                return None
            self._pages.move_to_end(key)
            return kept

    def last(self, key: Key) -> ReadyPage | None:
        """A page of any age, for when the state of the site cannot be read."""
        with self._lock:
            kept = self._pages.get(key)
            return kept.page if kept else None

    def put(self, key: Key, state: str, page: ReadyPage) -> None:
        """Store a page, replacing an earlier one; `state` is the state of the site before rendering."""
        with self._lock:
            self._drop(key)
            self._pages[key] = Kept(state, page, time.monotonic())
            self._bytes += len(page.packed)
            while self._bytes > self._most and len(self._pages) > 1:
                self._drop(next(iter(self._pages)))

    def rendering(self, key: Key) -> Lock:
        """The lock to hold while rendering a page, so that concurrent requests wait instead of rendering it too."""
        with self._lock:
            return self._rendering.setdefault(key, Lock())

    def rendered(self, key: Key) -> None:
        """Drop the lock of a page; threads waiting for it keep their reference."""
        with self._lock:
            self._rendering.pop(key, None)

    def clear(self) -> None:
        with self._lock:
            self._pages.clear()
            self._seen.clear()
            self._bytes = 0

    def _drop(self, key: Key) -> None:
        dropped = self._pages.pop(key, None)
        if dropped is not None:
            self._bytes -= len(dropped.page.packed)


pages = Store()
