"""Notices by mail and webhook, messages that wait to be sent, and boards that people follow."""

from __future__ import annotations

import base64
import secrets
import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from leaderboard.benchmarks.models import Version
from leaderboard.jobs.models import Job

#: Of standardwebhooks: in front of the base64 of a secret, which has 24 to 64 bytes.
SECRET_PREFIX, SECRET_BYTES = "whsec_", 32


class Kind(models.TextChoices):
    """Kinds of events in notices; the value is the `type` in a webhook's payload."""

    GRADED = "submission.graded", "A submission of mine is graded"
    FAILED = "submission.failed", "The grading of a submission of mine failed"
    REGRADED = "submission.regraded", "A submission of mine was graded again"
    OVERTAKEN = "submission.overtaken", "A new result of another account is shown to be better than mine"
    APPEARED = "version.appeared", "A version appeared"
    RETIRED = "version.retired", "A version was retired"


def usual_kinds() -> list[str]:
    """Kinds of events mailed to accounts without own settings: events that the upload page does not show at once."""
    return [Kind.FAILED.value, Kind.REGRADED.value, Kind.OVERTAKEN.value]


class NoticeSettings(models.Model):
    """Kinds of events that are mailed to an account; `usual_kinds` if the account has no row."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="notice_settings"
    )
    by_mail = models.JSONField(default=usual_kinds)

    def __str__(self) -> str:
        return f"{self.user_id}: {', '.join(self.by_mail)}"

    @classmethod
    def for_user(cls, user: Any) -> NoticeSettings:
        """The account's settings; an unsaved object with the defaults if the account has none."""
        return cls.objects.filter(user=user).first() or cls(user=user)


class Notice(models.Model):
    """A line of the next mail to an account. Deleted once the mail is in the outbox."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=30, choices=Kind)
    line = models.CharField(max_length=400)
    address = models.CharField(max_length=300, help_text="Absolute address of the page to read.")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return self.line


class Follow(models.Model):
    """An account's subscription to the weekly digest of a version's board."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="follows")
    version = models.ForeignKey(Version, on_delete=models.CASCADE, related_name="follows")
    told_at = models.DateTimeField(default=timezone.now, help_text="End of the last digest.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "version"], name="follow_once")]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.version_id}"


def new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


class Webhook(models.Model):
    """A URL of an account that receives events. The secret is stored in plain text, because the site signs with it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField("address", max_length=500)
    secret = models.CharField(max_length=100, default=new_secret)
    events = models.JSONField(default=list, help_text="Values of `Kind`.")
    created_at = models.DateTimeField(default=timezone.now)
    last_at = models.DateTimeField(null=True, blank=True, help_text="When a delivery was last attempted.")
    last_answer = models.CharField(max_length=200, blank=True, help_text="Last HTTP status, or the error.")
    failing_since = models.DateTimeField(null=True, blank=True)
    disabled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.url


def new_message_id() -> str:
    return f"msg_{uuid.uuid4().hex}"


class Delivery(Job):
    """A message for a webhook. Deleted once the webhook accepts it or is switched off."""

    class Status(models.TextChoices):
        WAITING = "waiting", "Waiting"
        SENDING = "sending", "Sending"

    WAITS, WORKS = Status.WAITING, Status.SENDING
    TASK, QUEUE = "deliver_webhook", "grading"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    message_id = models.CharField(
        max_length=40, default=new_message_id, help_text="Id of the message, the same in every attempt."
    )
    body = models.TextField(help_text="JSON text, as signed and sent.")
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING, db_index=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name_plural = "deliveries"

    def __str__(self) -> str:
        return f"{self.message_id} to {self.webhook_id}"

    @classmethod
    def queued_since(cls) -> models.F:
        return models.F("created_at")
