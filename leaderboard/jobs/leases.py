"""Leases: which worker works on which row until when, and when the row is tried again.

The database is the truth, the broker only wakes workers, and only the database's clock counts. A worker
claims a row by one conditional UPDATE that writes a new token, and renews the lease while it works; if the worker
dies, the lease expires. Every write of results requires the token and a valid lease: a suspended worker that
resumes too late writes nothing.

Interrupted work is retried (see `leaderboard.jobs.models`):

- a worker that is stopped properly costs no attempt;
- a platform fault (`faults.passing`) costs no attempt: the row waits 15 s, then longer, at most an hour;
- the death of a worker costs an attempt, unless its host restarted or the worker was told to stop. From the
second death on the row waits longer each time: only a row that kills ten workers in a day fails.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import uuid
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseTrouble
from django.db import connection, models
from django.db.models import F
from django.db.models.functions import Greatest, Now

from leaderboard.jobs import backoff, faults, numbers
from leaderboard.jobs.querysets import due

log = logging.getLogger(__name__)
#: Columns of a released row, and of a row without attempts. The token stays, to identify the last claim.
RELEASED = {"lease_until": None, "faults": 0, "next_attempt_at": None}
FRESH = RELEASED | {"attempts": 0}


class LostError(Exception):
    """The lease expired or another worker has the row: this worker must not write to the row any more."""


def _boot() -> str:
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


#: Interval of renewals. A worker that misses some counts as silent long before its lease runs out.
RENEW_EVERY_S = 5
HOST, BOOT = socket.gethostname()[:100], _boot()
#: Identifies this worker with its children: Celery forks them after this module is loaded.
HOLDER = f"{HOST} {BOOT or '-'} {os.getpid()}"


def _until() -> Any:
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)


def _clock() -> float:
    """A clock in seconds that also runs while the process or the machine is suspended."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def reconnect() -> None:
    """Drop a connection that the database has closed, so that the next query opens a new connection."""
    if not connection.in_atomic_block:  # inside a transaction, closing would abort it
        connection.close_if_unusable_or_obsolete()


def claim(rows: models.QuerySet[Any], **changes: Any) -> Lease | None:
    """Claim the only row of `rows` and write `changes`. Returns None if it is held, waits for a retry or is done."""
    recover(rows)
    token, since = uuid.uuid4(), _clock()
    taken = rows.filter(due(), lease_until=None).update(
        lease_token=token,
        lease_until=_until(),
        lease_holder=HOLDER,
        attempts=F("attempts") + 1,
        next_attempt_at=None,
        error="",
        **changes,
    )
    return Lease(rows.model, token, since) if taken else None


def recover(rows: models.QuerySet[Any]) -> None:
    """Release rows whose lease expired because the worker died. From the second death on, a row must wait."""
    for row in rows.filter(lease_until__lt=Now()):
        counts, delay, reason = _after_death(row)
        dead = type(row)._default_manager.filter(pk=row.pk, lease_token=row.lease_token)
        if dead.filter(lease_until__lt=Now()).update(
            status=row.WAITS,
            lease_until=None,
            next_attempt_at=F("lease_until") + delay if delay else None,
            error=backoff.waiting(reason) if delay else "",
            **counts,
        ):
            numbers.count_fault(rows.model, "restart" if counts else "death")


def broke_off(rows: models.QuerySet[Any]) -> bool:
    """Release a row after a child process of this worker died. Returns False if this worker does not hold the row."""
    ours = rows.filter(lease_holder=HOLDER, lease_until__gte=Now())
    if not ours.update(lease_until=Now() - timedelta(seconds=1)):
        return False
    recover(rows)
    return True


def _after_death(row: Any) -> tuple[dict[str, int], timedelta, str]:
    if _was_restarted(row.lease_holder):
        counts = {"attempts": max(row.attempts - 1, 0), "faults": row.faults + 1}
        return (
            counts,
            backoff.after_fault(row.faults + 1),
            "the machine that worked on this was restarted",
        )
    times = backoff.nth(row.attempts)
    return (
        {},
        backoff.after_death(row.attempts),
        f"the worker stopped unexpectedly, for the {times} time",
    )


def _was_restarted(holder: str) -> bool:
    """True if the lease's holder ran on this host before the last boot, so that the reboot ended the holder."""
    host, _, rest = holder.partition(" ")
    boot = rest.partition(" ")[0]
    return host == HOST and bool(BOOT) and boot not in ("", "-", BOOT)


def try_now(row: Any) -> bool:
    """Let a row that waits after a fault be tried now. False if the row was not waiting."""
    rows = type(row)._default_manager.filter(pk=row.pk, status=row.WAITS)
    return bool(rows.exclude(next_attempt_at=None).update(next_attempt_at=None) == 1)


def forgive(*kinds: type[models.Model]) -> None:
    """Do not count this worker's running attempts at rows of `kinds`, because the worker was told to stop."""
    for kind in kinds:
        ours = kind._default_manager.filter(lease_holder=HOLDER, lease_until__gte=Now(), attempts__gt=0)
        ours.update(attempts=F("attempts") - 1)


class Lease:
    """Context manager for a claimed row; a thread renews the lease. Interruptions, unlike errors, cost no attempt."""

    TELL_EVERY_S = 0.5

    def __init__(self, kind: type[models.Model], token: uuid.UUID, since: float) -> None:
        self._kind: Any = kind
        self._rows = kind._default_manager.filter(lease_token=token)
        self._renewed, self._next_word, self._gone = since, 0.0, False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name=f"lease {token}", daemon=True)

    def __enter__(self) -> Lease:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._ended.set()
        self._thread.join()
        if error is not None and not isinstance(error, Exception):
            with suppress(DatabaseTrouble, LostError):
                self._put_back(timedelta(0), "", attempts=_one_less())
        if isinstance(error, LostError):
            log.warning("%s expired or was taken by another worker: nothing was written", self._thread.name)
        return isinstance(error, LostError)

    @property
    def lost(self) -> bool:
        """True if the lease has certainly or probably ended. Does not query the database."""
        return self._gone or _clock() - self._renewed > settings.LEASE_SECONDS

    def check(self) -> None:
        if self.lost:
            raise LostError

    def row(self, *related: str) -> Any:
        """The claimed row, joined with `related`. Raises LostError."""
        row = self._rows.select_related(*related).first()
        if row is None:
            raise LostError
        return row

    def update(self, **changes: Any) -> bool:
        """Write to the row. If the lease is lost, write nothing and return False."""
        return self._held().update(**changes) == 1

    def confirm(self) -> None:
        """Renew the lease, which locks the row until the end of the transaction. Raises LostError."""
        if not self.update(lease_until=_until()):
            raise LostError

    def tell(self, done: int, total: int, *, force: bool = False, **changes: Any) -> None:
        """Write the progress, at most twice a second unless `force`. Errors of the database are only logged."""
        if (now := time.monotonic()) < self._next_word and not force:
            return
        self._next_word = now + self.TELL_EVERY_S
        try:
            self.update(progress_done=done, progress_total=total, **changes)
        except DatabaseTrouble as error:
            log.warning("the progress under %s was not written: %s", self._thread.name, error)
            reconnect()

    def release(self, **changes: Any) -> None:
        """Write the outcome to the row and end the lease. Raises LostError."""
        if not self.update(**RELEASED, **changes):
            raise LostError
        if changes.get("status") == "failed":
            numbers.count_fault(self._kind, "failed")

    def wait(self, reason: str) -> None:
        """End the lease after a platform fault and let the row wait; costs no attempt. Raises LostError."""
        reconnect()
        times = (self._held().values_list("faults", flat=True).first() or 0) + 1
        self._put_back(backoff.after_fault(times), reason, attempts=_one_less(), faults=times)
        numbers.count_fault(self._kind, faults.LABELS.get(reason, "other"))

    def retry(self, reason: str) -> None:
        """End the lease and let the row wait for another attempt. Raises LostError."""
        attempts = self._held().values_list("attempts", flat=True).first() or 1
        self._put_back(backoff.after_error(attempts), reason)
        numbers.count_fault(self._kind, "error")

    def _put_back(self, delay: timedelta, reason: str, **changes: Any) -> None:
        # A row that was finished or withdrawn meanwhile stays so.
        put_back = self._held().filter(status=self._kind.WORKS)
        moment = Now() + delay if delay else None
        error = backoff.waiting(reason) if reason else ""
        if not put_back.update(
            status=self._kind.WAITS, lease_until=None, next_attempt_at=moment, error=error, **changes
        ):
            self.release()

    def _held(self) -> models.QuerySet[Any]:
        return self._rows.filter(lease_until__gte=Now())

    def _keep(self) -> None:
        while not self._ended.wait(min(RENEW_EVERY_S, settings.LEASE_SECONDS / 3)) and not self.lost:
            try:
                self._renew()
            except DatabaseTrouble as error:  # several renewals fit into one lease
                log.warning("%s was not renewed: %s", self._thread.name, error)
                connection.close()
        connection.close()  # this thread's own

    def _renew(self) -> None:
        since = _clock()
        if self.update(lease_until=_until()):
            self._renewed = since
        else:
            self._gone = True


def _one_less() -> Greatest:
    """The number of attempts without the current one. Not below 0, because `forgive` may already have subtracted it."""
    return Greatest(F("attempts") - 1, 0)
