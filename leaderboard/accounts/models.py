"""Tokens (named, scoped, expiring, revocable; stored hashed), and the names that accounts hold and held."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

PREFIX = "geb_"


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


class ApiTokenManager(models.Manager["ApiToken"]):
    def issue(
        self, *, user: Any, name: str, scopes: list[str], days: int | None = 90
    ) -> tuple[ApiToken, str]:
        """Make a token.

        Args:
            user: The account that it signs in.
            name: What the owner calls it.
            scopes: Values of `ApiToken.Scope`.
            days: Days until it expires; None for never.

        Returns:
            The token and its secret, which nobody sees again.
        """
        secret = PREFIX + secrets.token_urlsafe(32)
        expires_at = timezone.now() + timedelta(days=days) if days else None
        token = self.create(
            user=user,
            name=name,
            scopes=scopes,
            digest=digest(secret),
            hint=secret[-4:],
            expires_at=expires_at,
        )
        return token, secret

    def find(self, secret: str) -> ApiToken | None:
        """The usable token of this secret. Remembers when it was used, to the minute."""
        token = (
            self.select_related("user")
            .filter(digest=digest(secret), revoked_at=None, user__is_active=True)
            .first()
        )
        now = timezone.now()
        if token is None or (token.expires_at and token.expires_at < now):
            return None
        if token.last_used_at is None or now - token.last_used_at > timedelta(minutes=1):
            self.filter(pk=token.pk).update(last_used_at=now)
        return token


def digest(secret: str) -> str:
    """SHA-256: enough for 256 random bits, and it makes the look-up one indexed query."""
    return hashlib.sha256(secret.encode()).hexdigest()


class ApiToken(models.Model):
    """What a script signs in with."""

    class Scope(models.TextChoices):
        READ = "read", "Read what I may read"
        SUBMIT = "submit", "Submit, publish and withdraw"
        STAFF = "staff", "Whatever else my permissions allow (regrade, runs)"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60)
    scopes = models.JSONField(default=list)
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=4)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenManager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} (…{self.hint})"

    @property
    def is_usable(self) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > timezone.now())

    def allows(self, scope: str) -> bool:
        """Whether it has the scope. What its owner may do with that is asked when it is done."""
        return scope in self.scopes
