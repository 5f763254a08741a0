"""Confirmation of e-mail addresses. A site can require it for uploads to sealed versions and for results on boards.

Otherwise one person could create many accounts, and learn a few scores of a sealed version with each account.
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
    "Boards do not show this result, because its account has no confirmed e-mail address. It is graded, and appears "
    "once an address is confirmed."
)


class UnconfirmedError(Exception):
    """Raised if an account must confirm its e-mail address first. The message says how."""


def is_asked_for() -> bool:
    """True if the site sends mail and asks new accounts to confirm their address."""
    return mail_goes_out() and settings.ACCOUNT_EMAIL_VERIFICATION != "none"


def confirmed_accounts() -> QuerySet[Any]:
    """Accounts with a confirmed address, deleted accounts whose address was confirmed, service accounts, and all teams.

    Teams count because only accounts with a confirmed address can create teams.
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
    """Approval status of a new upload: `waiting` if the site's moderators must approve results, else empty."""
    return "waiting" if settings.APPROVAL else ""


def is_confirmed(user: Any) -> bool:
    """True if boards and sealed versions accept submissions of this account."""
    return not is_asked_for() or confirmed_accounts().filter(pk=user.pk).exists()


def check(user: Any, version: Any) -> None:
    """Raise `UnconfirmedError` if the version is sealed and the account has no confirmed address."""
    if not is_confirmed(user):
        raise UnconfirmedError(
            f"{version} is sealed, so it accepts uploads only from accounts with a confirmed e-mail address. "
            f"Nothing was stored, and your quota is unchanged. Confirm your address with the link in the mail that "
            f"was sent to you, or request another mail: {reverse('account_email')}"
        )


def faults(app_configs: Any = None, **options: Any) -> list[CheckMessage]:
    """System checks of `check --deploy`: report if mail is only logged, or if accounts need no confirmed address."""
    found: list[CheckMessage] = []
    if settings.EMAIL_BACKEND.endswith("console.EmailBackend"):
        found.append(
            Error(
                "Mail is written to the log, including links that confirm addresses and set passwords.",
                hint="Set EMAIL_URL to a server that sends mail, or to dummymail:// on a site without mail.",
                id="leaderboard.E003",
            )
        )
    if is_asked_for():
        return found
    return [
        *found,
        Warning(
            "Accounts need not confirm an e-mail address, so any account can upload to sealed versions and boards.",
            hint="Set EMAIL_URL to a server that sends mail, and EMAIL_VERIFICATION to optional or mandatory.",
            id="leaderboard.W002",
        ),
    ]
