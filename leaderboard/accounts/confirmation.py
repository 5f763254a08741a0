"""Confirmed e-mail addresses, required for boards and sealed versions on sites that send mail.

Accounts are free, and every account learns a few figures about a sealed version.
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

#: Shown to the submitter of a result that no board shows.
HELD_BACK = (
    "No board shows it, because its account has no confirmed e-mail address. It is graded, and appears as soon as an "
    "address is confirmed."
)


class UnconfirmedError(Exception):
    """The account must confirm its e-mail address first; the text says where."""


def is_asked_for() -> bool:
    """True if the site sends mail and asks new accounts to confirm their address."""
    return mail_goes_out() and settings.ACCOUNT_EMAIL_VERIFICATION != "none"


def confirmed_accounts() -> QuerySet[Any]:
    """Accounts with a confirmed address, deleted ones that had one, service accounts, and teams: people with a
    confirmed address make them.
    """
    accounts = get_user_model().objects.all()
    if not is_asked_for():
        return accounts
    verified = Exists(EmailAddress.objects.filter(user=OuterRef("pk"), verified=True))
    return accounts.filter(
        Q(verified)
        | Q(service_account__isnull=False)
        | Q(team__isnull=False)
        | Q(deleted_account__confirmed=True)
    )


def first_approval() -> str:
    """Initial approval status of an upload: `waiting` if the site moderates results. Own runs need none."""
    return "waiting" if settings.APPROVAL else ""


def is_confirmed(user: Any) -> bool:
    """True if boards and sealed versions accept submissions of this account."""
    return not is_asked_for() or confirmed_accounts().filter(pk=user.pk).exists()


def check(user: Any, version: Any) -> None:
    """Refuse an upload to a sealed version by an unconfirmed account.

    Raises:
        UnconfirmedError: The account has no confirmed address, on a site that sends mail.
    """
    if not is_confirmed(user):
        raise UnconfirmedError(
            f"{version} is sealed, so it accepts uploads only from accounts with a confirmed e-mail address. "
            f"Nothing was stored, and your quota is unchanged. Confirm yours with the link in the message that was "
            f"sent to you, or request another: {reverse('account_email')}"
        )


def faults(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """Checks of `check --deploy`: accounts must confirm an address, and mail must not go to the log."""
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
