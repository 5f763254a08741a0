"""Confirmed e-mail addresses: where the site sends mail, boards and sealed versions take only accounts that have one.

An account costs nothing, and a sealed version tells each of them a few figures.
"""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.checks import CheckMessage, Error, Warning
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from leaderboard.web.context_processors import mail_goes_out

#: Why a board shows nothing of an account.
HELD_BACK = (
    "No board shows it, because its account has no confirmed e-mail address. It is graded, and appears as soon as an "
    "address is confirmed."
)


class UnconfirmedError(Exception):
    """The account has to confirm its e-mail address first; the text says where."""


def is_asked_for() -> bool:
    """Whether accounts of this site can be asked to confirm an address: it sends mail, and sends them a link."""
    return mail_goes_out() and settings.ACCOUNT_EMAIL_VERIFICATION != "none"


def confirmed_accounts() -> QuerySet[Any]:
    """Accounts with a confirmed address. Service accounts need none."""
    accounts = get_user_model().objects.all()
    if not is_asked_for():
        return accounts
    verified = Exists(EmailAddress.objects.filter(user=OuterRef("pk"), verified=True))
    return accounts.filter(Q(verified) | Q(service_account__isnull=False))


def is_confirmed(user: Any) -> bool:
    """Whether boards and sealed versions take what an account sends.

    Args:
        user: The account.
    """
    return not is_asked_for() or confirmed_accounts().filter(pk=user.pk).exists()


def check(user: Any, version: Any) -> None:
    """Refuse an upload to a version that keeps its answers.

    Args:
        user: The account that sends it.
        version: That it is for.

    Raises:
        UnconfirmedError: The account has no confirmed address, on a site that sends mail.
    """
    if not is_confirmed(user):
        raise UnconfirmedError(
            f"{version} keeps its answers, so it takes uploads only of accounts with a confirmed e-mail address. "
            f"Nothing was stored, and your quota is unchanged. Confirm yours by the link in the message that you were "
            f"sent, or have another one sent: {reverse('account_email')}"
        )


def faults(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """System checks of `check --deploy`: whether accounts of a public site cost anything, and who reads their mail.

    Args:
        app_configs: Of Django's checks; these are of no single app.
        options: Of Django's checks.
    """
    found: list[CheckMessage] = []
    if settings.EMAIL_BACKEND.endswith("console.EmailBackend"):
        found.append(
            Error(
                "Mail is written into the log, with the links that confirm addresses and set passwords.",
                hint="Set EMAIL_URL to a server that sends mail, or to dummymail:// on a site without mail.",
                id="leaderboard.E003",
            )
        )
    if is_asked_for():
        return found
    return [
        *found,
        Warning(
            "No account is asked to confirm an e-mail address, so that sealed versions and boards take uploads of any.",
            hint="Set EMAIL_URL to a server that sends mail, and EMAIL_VERIFICATION to optional or mandatory.",
            id="leaderboard.W002",
        ),
    ]
