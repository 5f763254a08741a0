"""Names of accounts: who holds which, what each was called before, and which account is the site's own."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone


class NameClaim(models.Model):
    """Who holds the names that look like this. One row for each look, so that two accounts never share one.

    A claim without an account is one that is being made; see `accounts.claim`.
    """

    skeleton = models.CharField(max_length=150, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="name_claims"
    )
    claimed_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.skeleton


class FormerName(models.Model):
    """What an account was called before. Its addresses and its sign-in go on, and nobody else can take it."""

    class Reason(models.TextChoices):
        RESERVED = "reserved", "it is reserved for the site itself, or looks like a name that is"
        ALIKE = "alike", "it looks like the name of another account"
        ADDRESS = "address", "no address can hold it"
        CHANGED = "changed", "a maintainer changed it"

    name = models.CharField(max_length=150, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="former_names")
    reason = models.CharField(max_length=10, choices=Reason, default=Reason.CHANGED)
    since = models.DateTimeField(default=timezone.now)
    told_at = models.DateTimeField(
        null=True, blank=True, help_text="When its owner learned of the change at sign-in; empty: not yet."
    )

    class Meta:
        ordering = ["-since", "-pk"]

    def __str__(self) -> str:
        return self.name


class ServiceAccount(models.Model):
    """An account that is nobody's: it owns what this site runs itself. This row makes it one, not its name."""

    purpose = models.CharField(max_length=20, unique=True)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="service_account"
    )

    def __str__(self) -> str:
        return self.purpose
