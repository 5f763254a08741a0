"""Pages as compressed bytes, in the memory of one web process."""

from __future__ import annotations

import time
from collections import OrderedDict
from threading import Lock
from typing import NamedTuple

#: Names a page: scheme, host, path with query.
Key = tuple[str, str, str]

#: What is kept at most. A board of 1,000 systems takes 40 kB.
MOST_BYTES = 64 << 20
#: Of states that are remembered: more than are written in the seconds for which an older page is sent.
MOST_STATES = 1000
NEVER = float("-inf")


class ReadyPage(NamedTuple):
    """A page as it is sent: gzipped, with its headers and the tag that names its content."""

    packed: bytes
    headers: tuple[tuple[str, str], ...]
    etag: str
    until: float  # by the monotonic clock: times such as "2 days ago" grow old


class Kept(NamedTuple):
    """A page with the state that it was rendered from, and since when it is there."""

    state: str
    page: ReadyPage
    since: float


class Store:
    """The pages that were asked for last. Safe for several threads."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Empty.

        Args:
            most_bytes: Of compressed pages; the one that nobody has asked for longest goes first.
        """
        self._most, self._bytes = most_bytes, 0
        self._pages: OrderedDict[Key, Kept] = OrderedDict()
        self._seen: OrderedDict[str, float] = OrderedDict()
        self._rendering: dict[Key, Lock] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._pages)

    def get(self, key: Key, state: str, now: float) -> ReadyPage | None:
        """A page, where it was rendered from this state of the site and is young enough.

        Args:
            key: Names the page.
            state: Of the site, see `models.fingerprint`.
            now: By the monotonic clock, in seconds.
        """
        with self._lock:
            kept = self._pages.get(key)
            if kept is None or kept.state != state or kept.page.until <= now:
                return None
            self._pages.move_to_end(key)
            return kept.page

    def saw(self, state: str, now: float) -> None:
        """Note that the site was in this state.

        Args:
            state: Of the site, see `models.fingerprint`.
            now: By the monotonic clock, before the state was read.
        """
        with self._lock:
            self._seen[state] = max(now, self._seen.get(state, now))
            self._seen.move_to_end(state)
            if len(self._seen) > MOST_STATES:
                self._seen.popitem(last=False)

    def older(self, key: Key, now: float, seconds: float) -> Kept | None:
        """A page that showed the site as it was so many seconds ago or later, whatever was written since.

        Args:
            key: Names the page.
            now: By the monotonic clock.
            seconds: How far behind it may be.
        """
        with self._lock:
            kept = self._pages.get(key)
            if kept is None or min(kept.page.until, self._seen.get(kept.state, NEVER)) + seconds <= now:
                return None
            self._pages.move_to_end(key)
            return kept

    def last(self, key: Key) -> ReadyPage | None:
        """A page however old: what there is while the state of the site cannot be asked for.

        Args:
            key: Names the page.
        """
        with self._lock:
            kept = self._pages.get(key)
            return kept.page if kept else None

    def put(self, key: Key, state: str, page: ReadyPage) -> None:
        """Keep a page, in place of an earlier one.

        Args:
            key: Names the page.
            state: Of the site before it was rendered.
            page: What to send.
        """
        with self._lock:
            self._drop(key)
            self._pages[key] = Kept(state, page, time.monotonic())
            self._bytes += len(page.packed)
            while self._bytes > self._most and len(self._pages) > 1:
                self._drop(next(iter(self._pages)))

    def rendering(self, key: Key) -> Lock:
        """Held by whoever renders a page, so that others who ask for it meanwhile wait and do not render it, too.

        Args:
            key: Names the page.
        """
        with self._lock:
            return self._rendering.setdefault(key, Lock())

    def rendered(self, key: Key) -> None:
        """Forget the lock of a page: those who wait for it have it.

        Args:
            key: Names the page.
        """
        with self._lock:
            self._rendering.pop(key, None)

    def clear(self) -> None:
        """Forget all pages."""
        with self._lock:
            self._pages.clear()
            self._seen.clear()
            self._bytes = 0

    def _drop(self, key: Key) -> None:
        dropped = self._pages.pop(key, None)
        if dropped is not None:
            self._bytes -= len(dropped.page.packed)


pages = Store()
