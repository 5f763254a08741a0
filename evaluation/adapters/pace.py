"""The current speed of a run: recent rows per second, without the time for loading a model."""

from __future__ import annotations

from collections import deque

#: The window of recent rows: this many seconds, and at least this many rows.
RECENT_S, RECENT_ROWS = 30.0, 64


class Pace:
    """The speed of one run. Only rows started after the first answer count, as the first includes loading the model."""

    def __init__(self) -> None:
        self._first: float | None = None
        self._last, self._rows = 0.0, 0
        self._came: deque[float] = deque()

    def row(self, now: float, took_s: float) -> None:
        """Record a row that was answered at `now` (seconds of any clock) after `took_s` seconds."""
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
        """Rows per second; 0 until a row was both started and answered after the first answer."""
        seconds = self._came[-1] - self._came[0] if self._came else 0.0
        return (len(self._came) - 1) / seconds if seconds > 0 else 0.0

    def left(self, rows: int) -> float | None:
        """Estimated seconds for `rows` more rows; None if the speed is unknown.

        The speed is `rate`, or the mean speed so far if `rate` is 0.
        """
        seconds = self._last - (self._first or 0.0)
        rate = self.rate or ((self._rows - 1) / seconds if self._rows > 1 and seconds > 0 else 0.0)
        return rows / rate if rate else None if rows else 0.0
