"""Deletes the account of a person or team. Personal data is removed; public results stay (see the page *About*)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from leaderboard.accounts import confirmation, teams, usernames
from leaderboard.accounts import services as accounts
from leaderboard.accounts.models import DeletedAccount, FormerName, Mail, NameClaim, Team
from leaderboard.care import files
from leaderboard.notices.models import NoticeSettings
from leaderboard.submissions import services as submissions
from leaderboard.submissions.models import Submission, System


class DeletionError(Exception):
    """The account cannot be deleted; the text says why."""


@dataclass(frozen=True, slots=True)
class Left:
    """Numbers of an account's submissions, systems and tokens, for the page that explains a deletion."""

    public: int
    private: int
    systems: int
    tokens: int


def outlook(user: Any) -> Left:
    sent = Submission.objects.filter(submitter=user)
    public = sent.filter(visibility=Submission.Visibility.PUBLIC)
    return Left(
        public=public.exclude(status=Submission.Status.FAILED).count(),
        private=_not_shown(user).count(),
        systems=System.objects.filter(owner=user).count(),
        tokens=user.api_tokens.filter(revoked_at=None).count(),
    )


@transaction.atomic
def delete(user: Any, *, withdraw: bool) -> str:
    """Delete an account's personal data and results that are not public. Returns the account's new name.

    With `withdraw`, public results are withdrawn. Raises DeletionError for the last superuser and for the only owner
    of a team.
    """
    account = get_user_model()._default_manager.select_for_update().get(pk=user.pk)
    others = (
        get_user_model()._default_manager.filter(is_superuser=True, is_active=True).exclude(pk=account.pk)
    )
    if account.is_superuser and not others.exists():
        raise DeletionError("You are the only superuser. Make another account one first.")
    if owned := teams.only_owned(account):
        raise DeletionError(
            f"You are the only owner of {', '.join(owned)}. Make another member an owner, or dissolve the team first."
        )
    DeletedAccount.objects.create(user=account, confirmed=confirmation.is_confirmed(account))
    if withdraw:
        for submission in Submission.objects.filter(submitter=account, withdrawn_at=None).public():
            submissions.withdraw(submission, actor=account)
    _drop_private(account)
    Team.objects.filter(account=account).delete()
    _anonymise(account)
    return str(account.username)


def _not_shown(account: Any) -> QuerySet[Submission]:
    sent = Submission.objects.filter(submitter=account)
    private = sent.filter(visibility=Submission.Visibility.PRIVATE)
    return private | sent.filter(status=Submission.Status.FAILED)


def _drop_private(account: Any) -> None:
    unseen = _not_shown(account)
    names = files.submission_files(unseen)
    for submission in unseen:
        submission.delete()
    transaction.on_commit(partial(files.discard_unnamed, names))
    kept = System.objects.filter(owner=account, submissions=None, runs=None, conformance_reports=None)
    for system in kept:
        system.delete()
    Submission.objects.filter(submitter=account).update(
        file_name="", sent_from="", idempotency_key="", warnings=[]
    )


def _anonymise(account: Any) -> None:
    addresses = {account.email, *account.emailaddress_set.values_list("email", flat=True)} - {""}
    Mail.objects.filter(recipients__in=addresses).delete()
    NoticeSettings.objects.filter(user=account).delete()
    for related in (
        account.emailaddress_set,
        account.socialaccount_set,
        account.api_tokens,
        account.groups,
        account.user_permissions,
        account.notices,
        account.follows,
        account.webhooks,
        account.memberships,
        account.sent_invitations,
    ):
        related.clear() if hasattr(related, "through") else related.all().delete()
    account.username = _free_name(account)
    account.email = account.first_name = account.last_name = ""
    account.is_active = account.is_staff = account.is_superuser = False
    account.last_login = None
    account.set_unusable_password()
    account.save()
    FormerName.objects.filter(user=account).delete()
    own = usernames.skeleton(account.username)
    NameClaim.objects.filter(user=account).exclude(skeleton=own).delete()


def _free_name(account: Any) -> str:
    for number in count(1):
        name = f"deleted-{account.pk}" + (f"-{number}" if number > 1 else "")
        try:
            accounts.check_name(name, account)
        except ValidationError:
            continue
        return name
    raise AssertionError("numbers do not end")
