"""Creates and tests the webhooks of an account."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leaderboard.notices.models import Webhook
from leaderboard.notices.telling import send_to
from leaderboard.web import outward

#: Most webhooks of one account. Each message to each webhook may occupy a worker for `outward.WHOLE_S`.
MOST = 5
#: `type` of a test message.
TEST = "webhook.test"


class WebhookError(Exception):
    """The webhook cannot be created; the text says why."""


def make(user: Any, url: str, events: Sequence[str]) -> Webhook:
    """Create a webhook with a new secret. Raises WebhookError for a refused address or too many webhooks."""
    if Webhook.objects.filter(user=user).count() >= MOST:
        raise WebhookError(f"An account can have at most {MOST} webhooks. Delete a webhook first.")
    try:
        outward.target_of(url)
    except outward.RefusedAddressError as error:
        raise WebhookError(str(error)) from error
    return Webhook.objects.create(user=user, url=url, events=list(events))


def send_test(hook: Webhook) -> None:
    """Queue a test message, and switch the webhook on if it was off."""
    Webhook.objects.filter(pk=hook.pk).update(disabled_at=None, failing_since=None)
    send_to([hook], TEST, {"webhook": hook.pk})
