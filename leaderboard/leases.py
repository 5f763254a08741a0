"""Leases: which worker works on what, and until when.

The database is the truth and the broker only a bell. A worker claims a row by one conditional UPDATE, renews it while
it works, and loses it by dying; then the reaper rings the bell again. Claiming twice is harmless: one of them gets 0 rows.
"""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone


def free() -> Q:
    """Rows that nobody works on: never leased, or the lease ran out."""
    return Q(lease_until=None) | Q(lease_until__lt=timezone.now())


def claim(rows: models.QuerySet[Any], **changes: Any) -> bool:
    """Take the one row that `rows` selects. False where somebody else holds it or it needs no work."""
    until = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
    return rows.filter(free()).update(lease_until=until, **changes) == 1


class Beat:
    """Reports progress and renews the lease while work goes on, at most every half second."""

    def __init__(self, row: models.Model, *, every: float = 0.5) -> None:
        self._rows = type(row)._default_manager.filter(pk=row.pk)
        self._every, self._next = every, 0.0

    def __call__(self, done: int, total: int) -> None:
        if (now := time.monotonic()) < self._next:
            return
        self._next = now + self._every
        until = timezone.now() + timedelta(seconds=settings.LEASE_SECONDS)
        self._rows.update(progress_done=done, progress_total=total, lease_until=until)


def one_more() -> F:
    """For counting attempts inside the claiming UPDATE."""
    return F("attempts") + 1
