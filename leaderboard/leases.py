"""Leases: which worker works on what, and until when.

The database is the truth and the broker only a bell. A worker claims a row by one conditional UPDATE, renews
it while it works, and loses it by dying; then the reaper rings the bell again. Claiming twice is harmless:
one of them gets 0 rows.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, models
from django.db.models import F, Q
from django.utils import timezone

log = logging.getLogger(__name__)


def _until() -> datetime:
    return timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)


def free() -> Q:
    """Rows that nobody works on: never leased, or the lease ran out."""
    return Q(lease_until=None) | Q(lease_until__lt=timezone.now())


def claim(rows: models.QuerySet[Any], **changes: Any) -> bool:
    """Take the one row that `rows` selects. False where somebody else holds it or it needs no work."""
    return rows.filter(free()).update(lease_until=_until(), **changes) == 1


class Beat:
    """Reports progress and renews the lease while work goes on, at most every half second."""

    def __init__(self, row: models.Model, *, every: float = 0.5) -> None:
        self._rows = type(row)._default_manager.filter(pk=row.pk)
        self._every, self._next = every, 0.0

    def __call__(self, done: int, total: int) -> None:
        if (now := time.monotonic()) < self._next:
            return
        self._next = now + self._every
        self._rows.update(progress_done=done, progress_total=total, lease_until=_until())


class Lease:
    """The lease of a row just claimed, renewed by a thread while the block runs, however long one step takes.

    The moment in the database is also the fence: we renew and write only while it is the one that we wrote. A
    process that was suspended and comes back after somebody else claimed the row finds its lease `lost` and
    leaves no trace.
    """

    def __init__(self, row: Any) -> None:
        self._rows = type(row)._default_manager.filter(pk=row.pk)
        self._held_until: datetime = row.lease_until
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name=f"lease of {row.pk}", daemon=True)
        self.lost = False

    def __enter__(self) -> Lease:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def update(self, **changes: Any) -> bool:
        """Write to the row. False where it is no longer ours."""
        return self._rows.filter(lease_until=self._held_until).update(**changes) == 1

    def _keep(self) -> None:
        while not self._ended.wait(settings.LEASE_SECONDS / 3) and not self.lost:
            try:
                self._renew()
            except (
                DatabaseError
            ) as error:  # busy or away for a moment: there are two more tries before it runs out
                log.warning("%s was not renewed: %s", self._thread.name, error)
        connection.close()  # this thread's own

    def _renew(self) -> None:
        until = _until()
        if self.update(lease_until=until):
            self._held_until = until
        else:
            self.lost = True


def one_more() -> F:
    """For counting attempts inside the claiming UPDATE."""
    return F("attempts") + 1
