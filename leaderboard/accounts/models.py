"""Models of API tokens, account names, teams, outgoing mail and the log of staff acts."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from leaderboard.jobs.models import Job

PREFIX = "geb_"


class NameClaim(models.Model):
    """Reserves the skeleton (normalized look) of a name for one account, so that no two names look alike.

    `user` is None while the account is being created; see `accounts.services.claim`.
    """

    skeleton = models.CharField(max_length=150, unique=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="name_claims"
    )
    claimed_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.skeleton


class FormerName(models.Model):
    """A former name of an account. Old URLs and sign-in with it still work, and other accounts cannot take it."""

    class Reason(models.TextChoices):
        RESERVED = "reserved", "it is reserved for the site itself, or looks like a name that is"
        ALIKE = "alike", "it looks like the name of another account"
        ADDRESS = "address", "it cannot be part of an address"
        CHANGED = "changed", "a maintainer changed it"

    name = models.CharField(max_length=150, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="former_names")
    reason = models.CharField(max_length=10, choices=Reason, default=Reason.CHANGED)
    since = models.DateTimeField(default=timezone.now)
    told_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When a notice at sign-in told the owner of the new name; empty: not yet.",
    )

    class Meta:
        ordering = ["-since", "-pk"]

    def __str__(self) -> str:
        return self.name


class ServiceAccount(models.Model):
    """Marks the account that owns the site's own runs. No person can sign in with it."""

    purpose = models.CharField(max_length=20, unique=True)
    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="service_account"
    )

    def __str__(self) -> str:
        return self.purpose


class DeletedAccount(models.Model):
    """Marks a deleted account, whose row remains, anonymised, as the owner of its public results."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="deleted_account"
    )
    at = models.DateTimeField(default=timezone.now)
    confirmed = models.BooleanField(
        help_text="True if its address was confirmed, so that boards show its results."
    )

    def __str__(self) -> str:
        return str(self.user)


class ApiTokenManager(models.Manager["ApiToken"]):
    def issue(
        self, *, user: Any, name: str, scopes: list[str], days: int | None = 90
    ) -> tuple[ApiToken, str]:
        """Create a token (`days` None: it never expires). Returns the token and its secret, which is not stored."""
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
        """Find the token with this secret; None if not valid. Updates `last_used_at` at most once a minute."""
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
    """Unsalted SHA-256 of a secret, to find it in the database. Secrets of 256 random bits need no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


class ApiToken(models.Model):
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

    def revoke(self) -> None:
        """Revoke the token, unless it is revoked already."""
        if self.revoked_at is None:
            self.revoked_at = timezone.now()
            self.save(update_fields=["revoked_at"])

    def allows(self, scope: str) -> bool:
        """True if the token has the scope. The owner's permissions are checked separately."""
        return scope in self.scopes


class Mail(Job):
    """A message in the outbox, deleted once it is sent; see `accounts.outbox`."""

    class Status(models.TextChoices):
        WAITING = "waiting", "Waiting"
        SENDING = "sending", "Sending"
        FAILED = "failed", "Failed"

    WAITS, WORKS, FAILED = Status.WAITING, Status.SENDING, Status.FAILED
    TASK, QUEUE = "send_mail", "grading"

    message = models.JSONField(
        help_text="Arguments of Django's EmailMultiAlternatives: subject, bodies and addresses."
    )
    recipients = models.TextField()
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING, db_index=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "mail"

    def __str__(self) -> str:
        return f"Mail to {self.recipients}: {self.message.get('subject', '')}"

    @classmethod
    def queued_since(cls) -> models.F:
        return models.F("created_at")


class StaffAct(models.Model):
    """A logged act of an account or command. Append-only: database triggers refuse updates and deletions.

    Stores key and name of the account instead of a foreign key, so that deleting the account changes no row here.
    """

    at = models.DateTimeField(default=timezone.now, db_index=True)
    account = models.BigIntegerField(
        null=True, blank=True, help_text="Key of the account that acted; empty: a management command."
    )
    who = models.CharField(max_length=150)
    via = models.CharField("through", max_length=60)
    act = models.CharField(max_length=30)
    kind = models.CharField("of", max_length=60)
    object_id = models.CharField(max_length=64)
    object_name = models.CharField("which", max_length=200, blank=True)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    request_id = models.CharField(max_length=100, blank=True)

    class Meta:
        ordering = ["-at", "-pk"]
        default_permissions = ("view",)
        indexes = [models.Index(fields=["kind", "object_id"], name="staff_act_of")]

    def __str__(self) -> str:
        return f"{self.who}: {self.act} {self.kind} {self.object_name or self.object_id}"

    @property
    def changes(self) -> list[tuple[str, object, object]]:
        """List each changed column as (column, value before, value after)."""
        names = dict.fromkeys([*self.before, *self.after])
        return [(name, self.before.get(name), self.after.get(name)) for name in names]


class Team(models.Model):
    """Marks an account as a team. It owns systems and submissions, and no person can sign in with it."""

    account = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="team")
    created_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.account.get_username()

    def get_absolute_url(self) -> str:
        return reverse("leaderboard:team", args=[self.account.get_username()])


class Role(models.TextChoices):
    """Roles in a team, in descending order: each role includes the rights of the roles after it."""

    OWNER = "owner", "Owner"
    SUBMITTER = "submitter", "Submitter"
    READER = "reader", "Reader"


class Membership(models.Model):
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role)
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["since", "pk"]
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class Invitation(models.Model):
    """A mailed invitation to a team. Its link can be used once, by any signed-in account."""

    LASTS = timedelta(days=7)

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Role)
    digest = models.CharField(max_length=64, unique=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sent_invitations"
    )
    created_at = models.DateTimeField(default=timezone.now)
    # Ended invitations are kept for LASTS and count for their sender, to limit mail by ending and sending again.
    ended = models.BooleanField(
        default=False, help_text="Whether the invitation was accepted, withdrawn or replaced."
    )

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.email} to {self.team}"

    @property
    def expires_at(self) -> datetime:
        return self.created_at + self.LASTS
