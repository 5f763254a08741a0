"""Sends messages to webhooks, signed as standardwebhooks.com specifies, and repeats them until accepted.

A webhook that accepts nothing for days is switched off, and its owner gets a mail. After a failure all messages to
the webhook wait, so that a dead receiver occupies a worker with only one request at a time.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from leaderboard.jobs import leases
from leaderboard.notices import mailing
from leaderboard.notices.models import SECRET_PREFIX, Delivery, Webhook
from leaderboard.web import outward

#: A webhook that failed for so long is switched off.
GIVE_UP_AFTER = timedelta(days=5)


def signature(secret: str, message_id: str, timestamp: int, body: str) -> str:
    """The header `webhook-signature`: HMAC-SHA256 of `id.timestamp.body`, in base64 after `v1,`."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{message_id}.{timestamp}.{body}".encode()
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def deliver(delivery_id: int) -> bool:
    """Send one message. False if the receiver did not accept it in this call. Safe to repeat, also after a kill."""
    rows = Delivery.objects.filter(pk=delivery_id, status__in=(Delivery.WAITS, Delivery.WORKS))
    if (lease := leases.claim(rows, status=Delivery.WORKS)) is None:
        return False
    with lease:
        delivery = lease.row("webhook")
        answer = _post(delivery)
        if not answer.startswith("2"):
            _wait_or_switch_off(delivery, lease, answer)
            return False
        told = {"last_at": timezone.now(), "last_answer": answer, "failing_since": None}
        with transaction.atomic():
            Webhook.objects.filter(pk=delivery.webhook_id).update(**told)
            delivery.delete()
        return True
    return False


def _post(delivery: Delivery) -> str:
    """Post the message. Returns the HTTP status of the response, or the reason why there is none."""
    hook, timestamp = delivery.webhook, int(timezone.now().timestamp())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"{settings.SITE_NAME} webhooks",
        "webhook-id": delivery.message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(hook.secret, delivery.message_id, timestamp, delivery.body),
    }
    try:
        return str(outward.post(hook.url, delivery.body.encode(), headers))
    except (OSError, outward.RefusedAddressError, http.client.HTTPException) as error:
        said = str(error).strip() or type(error).__name__
        said = said.replace("\0", "�")  # a receiver may send anything, and PostgreSQL stores no NUL
        return f"No answer: {said}"[:200]


def _wait_or_switch_off(delivery: Delivery, lease: leases.Lease, answer: str) -> None:
    hook, now = delivery.webhook, timezone.now()
    hook.last_at, hook.last_answer, hook.failing_since = now, answer, hook.failing_since or now
    hook.save(update_fields=["last_at", "last_answer", "failing_since"])
    if now - hook.failing_since > GIVE_UP_AFTER:
        switch_off(hook)
        return
    lease.retry(f"the receiver did not accept the message ({answer})")
    waits_until = Delivery.objects.filter(pk=delivery.pk).values_list("next_attempt_at", flat=True).first()
    others = Delivery.objects.filter(webhook=hook, status=Delivery.WAITS)
    sooner = Q(next_attempt_at=None) | Q(next_attempt_at__lt=waits_until)
    others.filter(sooner).update(next_attempt_at=waits_until)


@transaction.atomic
def switch_off(hook: Webhook) -> None:
    """Disable a webhook, delete its waiting messages, and mail its owner."""
    Webhook.objects.filter(pk=hook.pk).update(disabled_at=timezone.now())
    Delivery.objects.filter(webhook=hook).delete()
    if mailing.is_possible() and (address := mailing.address_of(hook.user_id)):
        context = {"hook": hook, "page": mailing.whole(reverse("leaderboard:webhooks"))}
        subject = f"A webhook of yours on {settings.SITE_NAME} is switched off"
        mailing.message(
            hook.user_id, address, subject, "leaderboard/mail/webhook_off.txt", context, ends=()
        ).send()
