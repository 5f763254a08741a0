"""Writes a job's progress, and reads requests to stop it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from django.db import Error as DatabaseTrouble

from leaderboard.jobs import leases
from leaderboard.jobs.models import Job
from leaderboard.runs import copies

ANSWERING = "Answering the rows"
#: Called after each row with (rows done, rows in all, rows per second).
OnProgress = Callable[[int, int, float], None]


class Cancelled(Exception):
    """The job must stop: a stop was requested, or another worker has the job."""


class Paused(Exception):
    """The job pauses: too many rows are unanswered, or the remaining rows cannot be answered. The text gives advice."""


class Watch:
    """Writes the progress and reads requests to stop, each at most twice a second."""

    EVERY_S = 0.5

    def __init__(
        self,
        run: Job,
        lease: leases.Lease,
        copy: copies.Copy,
        on_progress: OnProgress | None = None,
        stop: threading.Event | None = None,
    ) -> None:
        self.copy = copy
        rows: Any = type(run)._default_manager  # a kind of job that can be cancelled
        self._wish = rows.filter(pk=run.pk, cancel_requested=True)
        self.lease, self._on_progress, self._stop = lease, on_progress, stop or threading.Event()
        self._next_look = self._next_word = 0.0
        self._rows_done = 0

    def doing(self, what: str) -> None:
        with suppress(DatabaseTrouble):  # temporary: the next update follows soon
            self.lease.update(doing=what)

    def reading(self, read: int, of: int) -> None:
        """Write how much of a prompt the model has read (`read` of `of` tokens), at most twice a second."""
        if (now := time.monotonic()) < self._next_word and read < of:
            return
        self._next_word = now + self.EVERY_S
        if read >= of:
            self.doing(ANSWERING if self._rows_done else "Writing the first answer")
        else:
            which = "a text" if self._rows_done else "the first text"
            size = f"{of / 1024:,.0f}k" if of >= 1024 else f"{of}"
            self.doing(f"Reading {which}, {size} tokens, {100 * read // of}%")

    def progress(
        self,
        done: int,
        total: int,
        rate: float,
        states: Mapping[str, int] | None = None,
        cost: float = 0.0,
    ) -> None:
        """Write the progress (`rate` in rows per second), and reset `attempts` because the job made progress."""
        if self._on_progress:
            self._on_progress(done, total, rate)
        self._rows_done = done
        counted: dict[str, object] = {"row_states": dict(states)} if states else {}
        counted |= {"efficiency": {"cost": cost}} if cost else {}
        counted |= {"doing": ANSWERING, "attempts": 1, "faults": 0}
        self.lease.tell(done, total, force=done == total, rate=rate, **counted)

    def should_stop(self) -> bool:
        """True if the job must stop. Never raises, because llama.cpp calls it and would swallow the exception."""
        if (now := time.monotonic()) >= self._next_look:
            self._next_look = now + self.EVERY_S
            self._look()
        return self.lease.lost or self._stop.is_set()

    def check(self) -> None:
        if self.should_stop():
            raise Cancelled

    def _look(self) -> None:
        with suppress(DatabaseTrouble):  # temporary: it is read again in half a second
            if self._wish.exists():
                self._stop.set()
