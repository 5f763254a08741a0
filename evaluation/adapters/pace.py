"""How fast a run gets on now: rows a second of the recent rows, without the time that a model took to load."""

from __future__ import annotations

from collections import deque

#: What counts as recent: so many seconds, and at least so many rows.
RECENT_S, RECENT_ROWS = 30.0, 64


class Pace:
    """The rate of one run.

    Until its first row there is loading, and the rows that were under way with it waited as long: only rows that were
    begun later count.
    """

    def __init__(self) -> None:
        self._first: float | None = None
        self._last, self._rows = 0.0, 0
        self._came: deque[float] = deque()

    def row(self, now: float, took_s: float) -> None:
        """Note a row.

        Args:
            now: When it came, in seconds of any clock.
            took_s: How long it was waited for.
        """
        self._last, self._rows = now, self._rows + 1
        if self._first is None:
            self._first = now
            self._came.append(now)
        elif now - took_s >= self._first:
            self._came.append(now)
        while len(self._came) > RECENT_ROWS and now - self._came[1] > RECENT_S:
            self._came.popleft()

    @property
    def rate(self) -> float:
        """Rows a second; 0 while no row is there that was begun after the first came."""
        seconds = self._came[-1] - self._came[0] if self._came else 0.0
        return (len(self._came) - 1) / seconds if seconds > 0 else 0.0

    def left(self, rows: int) -> float | None:
        """Seconds for so many more rows; by all rows since the first while the rate is not known, None of one row."""
        seconds = self._last - (self._first or 0.0)
        rate = self.rate or ((self._rows - 1) / seconds if self._rows > 1 and seconds > 0 else 0.0)
        return rows / rate if rate else None if rows else 0.0
