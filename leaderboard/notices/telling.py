"""Records an event as notices: a line for the next mail, and a message for each webhook subscribed to its kind."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from leaderboard.jobs import dispatch
from leaderboard.notices import mailing
from leaderboard.notices.models import Delivery, Kind, Notice, NoticeSettings, Webhook


def tell(kind: Kind, *, line: str, path: str, data: dict[str, object], user: Any = None) -> None:
    """Record notices of an event, in the event's transaction: both are written, or neither.

    `line` is one sentence for a mail. `data` is the webhook's payload, to which the absolute URL of `path` is added
    as `url`. `user` is the account to notify; None: every account that subscribes to this kind.
    """
    if user is not None and not user.is_active:  # the site's own, and deleted ones
        return
    if mailing.is_possible():
        _by_mail(kind, line, mailing.whole(path), user)
    hooks = Webhook.objects.filter(disabled_at=None, user__is_active=True)
    asked = (hook for hook in (hooks.filter(user=user) if user else hooks) if kind in hook.events)
    send_to(asked, kind, data | {"url": mailing.whole(path)})


def _by_mail(kind: Kind, line: str, address: str, user: Any) -> None:
    if user is not None:
        chosen = [user.pk] if kind in NoticeSettings.for_user(user).by_mail else []
    else:
        rows = NoticeSettings.objects.filter(user__is_active=True)
        chosen = [row.user_id for row in rows.iterator() if kind in row.by_mail]
    Notice.objects.bulk_create(
        Notice(user_id=pk, kind=kind, line=line[:400], address=address) for pk in chosen
    )
    for pk in chosen:
        mailing.enqueue(pk)


def send_to(hooks: Iterable[Webhook], kind: str, data: dict[str, object]) -> None:
    """Queue a message for each webhook. The payload has `kind` as its `type`, the time, and `data`."""
    payload = {"type": kind, "timestamp": timezone.now(), "data": data}
    body = json.dumps(payload, cls=DjangoJSONEncoder, ensure_ascii=False, separators=(",", ":"))
    for hook in hooks:
        delivery = Delivery.objects.create(webhook=hook, body=body)
        dispatch.enqueue_on_commit(Delivery.TASK, delivery.pk)
