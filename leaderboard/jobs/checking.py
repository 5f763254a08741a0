"""Whose file is checked right now: one at a time for an account, and only a few for the whole site.

A request that finds no room is refused at once and can be sent again a moment later: waiting here would hold the
threads that everybody else's pages are served by.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from leaderboard.jobs import isolated
from leaderboard.jobs.models import CheckSlot

RETRY_AFTER = 5  # seconds that a busy site asks a sender to wait
#: Beyond what a check may take: for storing the file, before a slot counts as left behind.
SPARE_SECONDS = 60
OWN = "Another file of yours is being checked. Send this one again when that is done."
FULL = "The site is checking other files. Nothing was stored; send yours again in a moment."
SLOW = "The check took too long, since the site is busy. Nothing was stored; send the file again in a moment."


class BusyError(Exception):
    """A file cannot be checked now. `status` is 429 because of another file of the same account, else 503."""

    def __init__(self, text: str, *, own: bool = False) -> None:
        self.status, self.retry_after = 429 if own else 503, RETRY_AFTER
        super().__init__(text)


@contextmanager
def slot(account: Any) -> Iterator[None]:
    """Have a file of an account read in the block. Raises BusyError where there is no room.

    None stands for the site itself, which waits for nobody.
    """
    if account is None:
        yield
        return
    taken = _take(account)
    try:
        yield
    except isolated.NoTimeError as error:
        raise BusyError(SLOW) from error
    finally:
        CheckSlot.objects.filter(pk=taken.pk).delete()


def _take(account: Any) -> CheckSlot:
    left_behind = CheckSlot.objects.filter(until__lt=Now())
    if left_behind.exists():  # reading first: who is refused writes nothing
        left_behind.delete()
    until = Now() + timedelta(seconds=isolated.WALL * settings.CHECK_SECONDS + SPARE_SECONDS)
    held = dict(CheckSlot.objects.values_list("number", "account_id"))
    free = [] if account.pk in held.values() else set(range(settings.CHECKS_AT_ONCE)) - held.keys()
    for number in free:
        with suppress(IntegrityError), transaction.atomic():  # somebody was faster
            return CheckSlot.objects.create(account=account, number=number, until=until)
    own = CheckSlot.objects.filter(account=account).exists()
    raise BusyError(OWN if own else FULL, own=own)
