"""Webhooks of an account: made, tried, and made use of again after they were switched off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leaderboard.notices.models import Webhook
from leaderboard.notices.telling import send_to
from leaderboard.web import outward

#: Webhooks of one account. Each message to each of them may hold a worker for `outward.WHOLE_S`.
MOST = 5
#: `type` of the message that tries a webhook.
TEST = "webhook.test"


class WebhookError(Exception):
    """The webhook is not made; the text says why."""


def make(user: Any, url: str, events: Sequence[str]) -> Webhook:
    """Make a webhook with a new secret.

    Args:
        user: Its owner.
        url: Asked for each event.
        events: Values of `Kind`.

    Raises:
        WebhookError: The address may not be asked, or the account has `MOST` webhooks.
    """
    if Webhook.objects.filter(user=user).count() >= MOST:
        raise WebhookError(f"An account has {MOST} webhooks at most. Delete one first.")
    try:
        outward.target_of(url)
    except outward.RefusedAddressError as error:
        raise WebhookError(str(error)) from error
    return Webhook.objects.create(user=user, url=url, events=list(events))


def send_test(hook: Webhook) -> None:
    """Queue a message that says nothing. A webhook that was switched off is on again."""
    Webhook.objects.filter(pk=hook.pk).update(disabled_at=None, failing_since=None)
    send_to([hook], TEST, {"webhook": hook.pk})
