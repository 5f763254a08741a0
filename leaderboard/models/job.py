"""What submissions, freezes, imports and runs have in common: a worker does them, and another where it cannot."""

from __future__ import annotations

from django.db import models


class Job(models.Model):
    """The columns by which workers agree on who does what, and when. `leaderboard.leases` alone writes them.

    `attempts` counts the workers that took it and, as far as is known, died or broke of it; `faults` the times that
    the platform was in the way, which is no attempt. Either has it wait until `next_attempt_at`, and `error` says why.
    """

    #: The status of a row that waits for a worker, and of one that a worker has.
    WAITS: str
    WORKS: str

    lease_until = models.DateTimeField(null=True, blank=True)
    lease_token = models.UUIDField(
        null=True,
        blank=True,
        editable=False,
        help_text="Drawn with each claim: that of a late worker is another.",
    )
    lease_holder = models.CharField(
        max_length=200, blank=True, editable=False, help_text="Host, its boot and the process of the worker."
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    faults = models.PositiveSmallIntegerField(default=0, help_text="Of the platform, one after the other.")
    next_attempt_at = models.DateTimeField(
        null=True, blank=True, help_text="Not before this moment; empty: at once."
    )

    class Meta:
        abstract = True
