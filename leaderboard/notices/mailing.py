"""Mails the events of the last minutes to an account's confirmed address; one click unsubscribes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.core.mail import EmailMessage
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from leaderboard.benchmarks.models import Version
from leaderboard.jobs import dispatch
from leaderboard.notices.models import Follow, Kind, Notice, NoticeSettings
from leaderboard.web.context_processors import mail_goes_out

TASK = "mail_notices"
#: Events within this time share one mail.
GATHER_S = 120
#: Notices older than this have lost their task: they are queued again.
LOST_AFTER = timedelta(minutes=15)
#: Most lines of one mail.
MOST_LINES = 25
SALT = "leaderboard.notices.unsubscribe"
#: In front of the key of a followed version, in a link that ends its digest.
DIGEST = "digest:"


def whole(path: str) -> str:
    """Absolute URL of a path of this site; the path itself if SITE_URL is not set."""
    site = urlsplit(settings.SITE_URL)
    return f"{site.scheme}://{site.netloc}{path}" if site.netloc else path


def is_possible() -> bool:
    """True if this site sends mail and knows its own address, which links in mails need."""
    return mail_goes_out() and bool(urlsplit(settings.SITE_URL).netloc)


def address_of(user_id: int) -> str:
    """The confirmed e-mail address of an active account, the primary one first; empty if there is none."""
    confirmed = EmailAddress.objects.filter(user=user_id, verified=True, user__is_active=True)
    return confirmed.order_by("-primary").values_list("email", flat=True).first() or ""


def enqueue(user_id: int) -> None:
    def queue() -> None:
        dispatch.enqueue_later(TASK, user_id, seconds=GATHER_S)

    dispatch.on_commit(queue)


def enqueue_overdue() -> int:
    """Queue tasks for waiting notices whose task was lost. Returns the number of accounts."""
    lost = Notice.objects.filter(at__lt=timezone.now() - LOST_AFTER).order_by()
    overdue = list(lost.values_list("user", flat=True).distinct())
    return sum(dispatch.enqueue_later(TASK, user_id, seconds=0) for user_id in overdue)


@transaction.atomic
def send(user_id: int) -> int:
    """Put all notices of an account into one mail, to be sent from the outbox. Returns the number of notices."""
    dispatch.begun(TASK, user_id)
    notices = list(Notice.objects.select_for_update().filter(user=user_id))
    if notices and is_possible() and (address := address_of(user_id)):
        _send(user_id, address, notices)
    Notice.objects.filter(pk__in=[notice.pk for notice in notices]).delete()
    return len(notices)


def _send(user_id: int, address: str, notices: list[Notice]) -> None:
    shown = notices[-MOST_LINES:]
    subject = shown[0].line if len(notices) == 1 else f"{len(notices)} events on {settings.SITE_NAME}"
    context = {"notices": shown, "more": len(notices) - len(shown)}
    kinds = sorted({notice.kind for notice in notices})
    message(user_id, address, subject, "leaderboard/mail/notices.txt", context, ends=kinds).send()


def message(
    user_id: int, address: str, subject: str, template: str, context: dict[str, Any], *, ends: Sequence[str]
) -> EmailMessage:
    """A mail with unsubscribe headers (RFC 8058), and an unsubscribe link at its foot.

    `ends` lists the mails that the link unsubscribes from: values of `Kind`, or `DIGEST` with a version's key.
    If `ends` is empty, the mail has no unsubscribe headers.
    """
    token = signing.dumps([user_id, *ends], salt=SALT)
    link = whole(reverse("leaderboard:unsubscribe", args=[token]))
    more = {
        "unsubscribe": link,
        "settings": whole(reverse("leaderboard:notices")),
        "site": settings.SITE_NAME,
    }
    headers = {"List-Unsubscribe": f"<{link}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    text, subject = render_to_string(template, context | more), " ".join(subject.split())[:150]
    return EmailMessage(subject, text, None, [address], headers=headers if ends else {})


def read(token: str) -> tuple[int, list[str]]:
    """Decode an unsubscribe token, which never expires, into the account's id and `ends`. Raises BadSignature."""
    user_id, *ends = signing.loads(token, salt=SALT)
    return int(user_id), [str(end) for end in ends]


def words(ends: Iterable[str]) -> list[str]:
    """Readable labels of the kinds of mail in `ends`."""
    keys = [each.removeprefix(DIGEST) for each in ends if each.startswith(DIGEST)]
    boards = Version.objects.filter(pk__in=keys).values_list("title", flat=True)
    labels = [Kind(each).label for each in ends if each in Kind.values]
    return labels + [f"Weekly digest of {title}" for title in boards]


@transaction.atomic
def unsubscribe(user_id: int, ends: Iterable[str]) -> None:
    """Stop sending an account the kinds of mail in `ends`."""
    if user := get_user_model().objects.filter(pk=user_id).first():
        chosen = NoticeSettings.for_user(user)
        chosen.by_mail = [kind for kind in chosen.by_mail if kind not in set(ends)]
        chosen.save()
    versions = [int(each.removeprefix(DIGEST)) for each in ends if each.startswith(DIGEST)]
    Follow.objects.filter(user=user_id, version__in=versions).delete()
    Notice.objects.filter(user=user_id, kind__in=list(ends)).delete()
