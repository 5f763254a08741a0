"""Who has a file checked at this moment."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class CheckSlot(models.Model):
    """One file that is being checked: one at most of an account, a few of the whole site, on whichever machine.

    Its time runs out by the database's clock, so that a process that died holds it for a short while only.
    """

    account = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveSmallIntegerField(unique=True)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.number}: {self.account}"
