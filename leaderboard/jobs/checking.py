"""Limits concurrent file checks per account and site. Further files are refused: waiting would occupy threads."""

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

RETRY_AFTER = 5  # seconds, sent as Retry-After
#: Time for storing the file after the check, before a slot counts as abandoned.
SPARE_SECONDS = 60
OWN = "Another file of yours is being checked. Send this one again when that check is done."
FULL = "The site is checking other files. Nothing was stored; send yours again in a moment."
SLOW = "The site is too busy to check the file. Nothing was stored; send it again in a moment."


class BusyError(Exception):
    """No further file can be checked now. `status` is 429 if a file of the account is being checked, else 503."""

    def __init__(self, text: str, *, own: bool = False) -> None:
        self.status, self.retry_after = 429 if own else 503, RETRY_AFTER
        super().__init__(text)


@contextmanager
def slot(account: Any) -> Iterator[None]:
    """Reserve the account's check slot during the block. Nothing is reserved if `account` is None.

    Raises BusyError if no slot is free, or if the machine is too busy to finish the check in time.
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
    if left_behind.exists():  # read first: a refused request must not write
        left_behind.delete()
    until = Now() + timedelta(seconds=isolated.WALL * settings.CHECK_SECONDS + SPARE_SECONDS)
    held = dict(CheckSlot.objects.values_list("number", "account_id"))
    free = [] if account.pk in held.values() else set(range(settings.CHECKS_AT_ONCE)) - held.keys()
    for number in free:
        with suppress(IntegrityError), transaction.atomic():  # another request took the number
            return CheckSlot.objects.create(account=account, number=number, until=until)
    own = CheckSlot.objects.filter(account=account).exists()
    raise BusyError(OWN if own else FULL, own=own)
