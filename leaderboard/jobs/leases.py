"""Leases: which worker works on what, until when, and when it is tried again.

The database is the truth, the broker only wakes workers, and the database's clock is the only one that counts. A worker
claims a row by one conditional UPDATE that writes a token of its own, renews the lease while it works, and loses it by
dying. Every write of what came of the work names the token and asks whether the lease still runs: a worker that was
suspended and comes back too late leaves no trace, whether or not another has the row by now.

What did not come to an end is tried again by itself, see `leaderboard.jobs.models`:
- a worker that stops in good order gives its attempt back;
- a fault of the platform (`faults.passing`) is no attempt: the row waits 15 s, then longer, at most an hour;
- a worker that dies without a word costs an attempt, unless its host was started again since or it had been told to
  stop. The second death makes the row wait, each further one longer: only what kills ten workers in a day is given up.
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

from leaderboard.jobs import backoff
from leaderboard.jobs.querysets import due

log = logging.getLogger(__name__)
#: Columns of a row that nobody holds, and of one that nobody has tried yet. The token stays: it is of no use without
#: a lease that runs, and names the last who tried.
RELEASED = {"lease_until": None, "faults": 0, "next_attempt_at": None}
FRESH = RELEASED | {"attempts": 0}


class LostError(Exception):
    """The lease ran out, or another worker has the row: nothing of ours may be written any more."""


def _boot() -> str:
    """Which start of the host this is; empty where the system does not say."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


#: Seconds between two renewals: a lease that is older is one whose worker is silent, long before it runs out.
RENEW_EVERY_S = 5
HOST, BOOT = socket.gethostname()[:100], _boot()
#: This service: Celery's children are forked from the process that read this module, and stop with it.
HOLDER = f"{HOST} {BOOT or '-'} {os.getpid()}"


def _until() -> Any:
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)


def _clock() -> float:
    """Seconds that go on while the process, or the whole machine, is suspended."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def reconnect() -> None:
    """Let go of a connection that the database has ended: the next query opens another."""
    if not connection.in_atomic_block:  # there it would break off the transaction
        connection.close_if_unusable_or_obsolete()


def claim(rows: models.QuerySet[Any], **changes: Any) -> Lease | None:
    """Take the one row that `rows` selects.

    Args:
        rows: Query set of one row, of any kind of job.
        **changes: Columns to write with the claim.

    Returns:
        The lease. None where somebody else holds the row, it has to wait, or needs no work.
    """
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
    """Put back what dead workers left among these rows, from the second death on with a while to wait."""
    for row in rows.filter(lease_until__lt=Now()):
        counts, delay, reason = _after_death(row)
        dead = type(row)._default_manager.filter(pk=row.pk, lease_token=row.lease_token)
        dead.filter(lease_until__lt=Now()).update(
            status=row.WAITS,
            lease_until=None,
            next_attempt_at=F("lease_until") + delay if delay else None,
            error=backoff.waiting(reason) if delay else "",
            **counts,
        )


def broke_off(rows: models.QuerySet[Any]) -> bool:
    """Put a row back whose process is known to have died in this service. False where this service does not hold it.

    Args:
        rows: Query set of one row, of any kind of job.
    """
    ours = rows.filter(lease_holder=HOLDER, lease_until__gte=Now())
    if not ours.update(lease_until=Now() - timedelta(seconds=1)):
        return False
    recover(rows)
    return True


def _after_death(row: Any) -> tuple[dict[str, int], timedelta, str]:
    """The counts of a row whose worker died, how long it waits, and why."""
    if _was_restarted(row.lease_holder):
        counts = {"attempts": max(row.attempts - 1, 0), "faults": row.faults + 1}
        return (
            counts,
            backoff.after_fault(row.faults + 1),
            "the machine that worked on it was restarted",
        )
    times = backoff.nth(row.attempts)
    return (
        {},
        backoff.after_death(row.attempts),
        f"the work on it broke off, for the {times} time",
    )


def _was_restarted(holder: str) -> bool:
    """Whether the holder ran on this host before its present start: then the host died, and not of the row."""
    host, _, rest = holder.partition(" ")
    boot = rest.partition(" ")[0]
    return host == HOST and bool(BOOT) and boot not in ("", "-", BOOT)


def try_now(row: Any) -> bool:
    """Let a row that waits after a fault wait no longer. False where it does not."""
    rows = type(row)._default_manager.filter(pk=row.pk, status=row.WAITS)
    return bool(rows.exclude(next_attempt_at=None).update(next_attempt_at=None) == 1)


def forgive(*kinds: type[models.Model]) -> None:
    """This service was told to stop: what it is killed in the middle of gets its attempt back."""
    for kind in kinds:
        ours = kind._default_manager.filter(lease_holder=HOLDER, lease_until__gte=Now(), attempts__gt=0)
        ours.update(attempts=F("attempts") - 1)


class Lease:
    """The lease of a row just claimed, renewed by a thread while the block runs, however long one step takes.

    A block that is interrupted gives row and attempt back. One that lost its lease ends with a line in the log.
    """

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
            log.warning("%s ran out or went to another worker: nothing was written", self._thread.name)
        return isinstance(error, LostError)

    @property
    def lost(self) -> bool:
        """Whether it ran out or went to another, as far as can be told without asking the database."""
        return self._gone or _clock() - self._renewed > settings.LEASE_SECONDS

    def check(self) -> None:
        """Raises LostError."""
        if self.lost:
            raise LostError

    def row(self, *related: str) -> Any:
        """The row as it was claimed. Raises LostError."""
        row = self._rows.select_related(*related).first()
        if row is None:
            raise LostError
        return row

    def update(self, **changes: Any) -> bool:
        """Write to the row. False where it is no longer ours."""
        return self._held().update(**changes) == 1

    def confirm(self) -> None:
        """Make sure that it is ours until the transaction ends, which must be open. Raises LostError."""
        if not self.update(lease_until=_until()):
            raise LostError

    def tell(self, done: int, total: int, *, at_once: bool = False, **changes: Any) -> None:
        """Write how far the work is, at most twice a second. A database that is away for a moment misses a word.

        Args:
            done: Units of work done.
            total: Units of work in all.
            at_once: Whether to write it even right after the last time.
            **changes: Further columns to write.
        """
        if (now := time.monotonic()) < self._next_word and not at_once:
            return
        self._next_word = now + self.TELL_EVERY_S
        try:
            self.update(progress_done=done, progress_total=total, **changes)
        except DatabaseTrouble as error:
            log.warning("the progress under %s was not written: %s", self._thread.name, error)
            reconnect()

    def release(self, **changes: Any) -> None:
        """Write what came of it and give the row back. Raises LostError."""
        if not self.update(**RELEASED, **changes):
            raise LostError

    def wait(self, reason: str) -> None:
        """Give the row back until a fault of the platform has passed; that was no attempt. Raises LostError."""
        reconnect()
        faults = (self._held().values_list("faults", flat=True).first() or 0) + 1
        self._put_back(backoff.after_fault(faults), reason, attempts=_one_less(), faults=faults)

    def retry(self, reason: str) -> None:
        """Give the row back for another attempt, after a while. Raises LostError."""
        attempts = self._held().values_list("attempts", flat=True).first() or 1
        self._put_back(backoff.after_error(attempts), reason)

    def _put_back(self, delay: timedelta, reason: str, **changes: Any) -> None:
        """A row that was finished or withdrawn meanwhile stays so."""
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
            except DatabaseTrouble as error:  # away for a moment: there are more tries before it runs out
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
    """The attempts without this one. Never below 0: `forgive` may have been here before."""
    return Greatest(F("attempts") - 1, 0)
