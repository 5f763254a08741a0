"""Outbox: mail waits in the database until the server accepts it, so that sign-up works while the server is down.

A message is a `Job`: leased by a worker and retried by `jobs.backoff`. django-mailer would keep a transaction open
while it talks to the server, which blocks all writers of SQLite; django-post-office has no leases.

If a worker dies after the server accepted a message and before its row is deleted, the message is sent twice.
"""

from __future__ import annotations

import logging
import smtplib
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from leaderboard.accounts.models import Mail
from leaderboard.jobs import dispatch, faults, leases

#: About the lifetime of the links in messages.
GIVE_UP_AFTER = timedelta(days=3)
AWAY = "the mail server does not accept the message"
#: Stored arguments of Django's `EmailMessage`. Attachments are not supported.
PARTS = ("subject", "body", "from_email", "to", "cc", "bcc", "reply_to")
log = logging.getLogger(__name__)


class Backend(BaseEmailBackend):
    """Django mail backend that puts messages into the outbox; workers send them with `MAIL_BACKEND`."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            kept = Mail.objects.create(message=_kept(message), recipients=", ".join(message.recipients()))
            dispatch.enqueue_on_commit(Mail.TASK, kept.pk)
        return len(email_messages)


def _kept(message: EmailMessage) -> dict[str, Any]:
    if message.attachments:
        raise ValueError("The outbox does not support attachments. Send a link.")
    alternatives = [list(each) for each in getattr(message, "alternatives", [])]
    others = {"headers": message.extra_headers, "alternatives": alternatives}
    return {part: getattr(message, part) for part in PARTS} | others


def send(mail_id: int) -> bool:
    """Send one message of the outbox. Returns False if it was not sent now. Safe to repeat, even after a kill."""
    rows = Mail.objects.filter(pk=mail_id, status__in=(Mail.WAITS, Mail.WORKS))
    if (lease := leases.claim(rows, status=Mail.WORKS)) is None:
        return False
    with lease:
        mail = lease.row()
        try:
            connection = get_connection(settings.MAIL_BACKEND)
            EmailMultiAlternatives(**mail.message, connection=connection).send()
        except Exception as error:
            _wait_or_fail(mail, lease, error)
            return False
        Mail.objects.filter(pk=mail.pk).delete()  # it may hold links that set a password
        return True
    return False


def _wait_or_fail(mail: Mail, lease: leases.Lease, error: Exception) -> None:
    log.warning("mail %s was not sent: %s", mail.pk, error)
    if _is_refused(error):
        lease.release(status=Mail.FAILED, error=f"The mail server refused the message: {error}")
    elif timezone.now() - mail.created_at > GIVE_UP_AFTER:
        lease.release(status=Mail.FAILED, error=f"Not sent within {GIVE_UP_AFTER.days} days: {error}")
    else:
        lease.wait(AWAY if isinstance(error, OSError) else faults.passing(error) or AWAY)


def _is_refused(error: Exception) -> bool:
    """True for permanent refusals (5xx) and malformed messages."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= 500 for code, _ in error.recipients.values())
    if isinstance(error, smtplib.SMTPSenderRefused | smtplib.SMTPDataError):
        return error.smtp_code >= 500
    return isinstance(error, ValueError | TypeError)


def try_again(mail: Mail) -> None:
    """Queue a message again at once, unless it is being sent."""
    fresh = leases.FRESH | {"status": Mail.WAITS, "error": "", "created_at": timezone.now()}
    if Mail.objects.filter(pk=mail.pk).exclude(status=Mail.WORKS).update(**fresh):
        dispatch.enqueue(Mail.TASK, mail.pk)
