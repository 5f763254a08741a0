"""Periodic work of the site. The worker that holds a lease in the database does it; other workers can take over."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.jobs import dispatch, faults, forks, leases
from leaderboard.jobs.models import PeriodicWork

#: A killed holder is replaced within this time.
LEASE_S = 15
RENEW_S = 5
#: Interval at which the holder looks for delayed tasks.
POLL_S = 0.5
#: After this time without a round, the periodic work counts as late.
PATIENCE = timedelta(minutes=2)
log = logging.getLogger(__name__)


class Keeper(threading.Thread):
    """Thread that calls `work` every `REAP_SECONDS` while this worker holds the lease."""

    def __init__(self, work: Callable[[], Any]) -> None:
        #: Called every `RENEW_S`; while it returns False, this worker does not take the lease.
        self.may_work: Callable[[], bool] = lambda: True
        super().__init__(name="keeper", daemon=True)
        self._work, self._token = work, uuid.uuid4()
        self._holds, self._asked_at, self._next_at = False, float("-inf"), 0.0
        self._ended = threading.Event()

    def stop(self) -> None:
        """End after the current step and release the lease."""
        self._ended.set()

    def run(self) -> None:
        while not self._ended.wait(POLL_S):
            with forks.between_forks():
                self.tick()
        with suppress(DatabaseTrouble), forks.between_forks():
            self._ours().update(held_until=None)

    def tick(self) -> None:
        """Do the due work if this worker holds the lease. After an error the worker must acquire the lease again."""
        try:
            if time.monotonic() >= self._asked_at + RENEW_S:
                self._asked_at, self._holds = time.monotonic(), self.may_work() and self._take()
            if self._holds:
                dispatch.enqueue_due()
                self._do_work()
        except Exception as error:
            self._holds = False
            if faults.passing(error):
                log.warning("periodic work waits: %s", error)
            else:
                log.exception("the periodic work failed and will be retried")
            leases.reconnect()

    def _do_work(self) -> None:
        if time.monotonic() < self._next_at:
            return
        self._next_at = time.monotonic() + settings.REAP_SECONDS
        self._work()
        self._ours().update(done_at=Now())

    def _take(self) -> bool:
        free = Q(token=self._token) | Q(held_until=None) | Q(held_until__lt=Now())
        row, _ = PeriodicWork.objects.get_or_create(pk=1)
        rows = PeriodicWork.objects.filter(free, pk=row.pk)
        until = Now() + timedelta(seconds=LEASE_S)
        # Read first: on SQLite each write waits for the others, and all workers ask.
        return rows.exists() and rows.update(token=self._token, held_until=until) == 1

    def _ours(self) -> QuerySet[PeriodicWork]:
        return PeriodicWork.objects.filter(token=self._token)


def done_at() -> datetime | None:
    return PeriodicWork.objects.values_list("done_at", flat=True).first()


def is_late() -> bool:
    """True if no worker has done the periodic work for PATIENCE."""
    moment = done_at()
    return moment is None or timezone.now() - moment > PATIENCE
