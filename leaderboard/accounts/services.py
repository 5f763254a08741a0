"""Accounts by name: who may take which, what each was called before, and the one that is the site's own.

Every save of an account passes `claim` and `keep_former` (see `sign_in`), whoever saves it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from leaderboard.accounts import name_settling, usernames
from leaderboard.accounts.models import FormerName, NameClaim, ServiceAccount

#: A claim whose account is still not there was made by a process that died: an account is saved within milliseconds.
_STALE = timedelta(minutes=1)


class NameTakenError(Exception):
    """The site's own account cannot be made; the text says what to do."""


def check_name(name: str, user: Any = None) -> None:
    """Check whether an account may be called so.

    Args:
        name: The name.
        user: The account; None for a new one.

    Raises:
        ValidationError: The name breaks the rules, is reserved or is taken.
    """
    trusted = user is not None and (user.is_staff or user.is_superuser)
    if text := usernames.problem(name, trusted=trusted):
        raise ValidationError(text, code="name_refused")
    if _is_taken(name, getattr(user, "pk", None)):
        raise _taken(name)


def _is_taken(name: str, own: int | None) -> bool:
    """Whether another account has this name, had it, or has one that looks like it."""
    alike = Q(skeleton=usernames.skeleton(name), user__isnull=False)
    of_others = Q() if own is None else ~Q(user_id=own)
    accounts = get_user_model().objects.filter(username__iexact=name)
    return (
        NameClaim.objects.filter(alike, of_others).exists()
        or FormerName.objects.filter(of_others, name__iexact=name).exists()
        or (accounts if own is None else accounts.exclude(pk=own)).exists()
    )


def _taken(name: str) -> ValidationError:
    return ValidationError(
        f"“{name}” is taken, or looks like the name of another account. Choose another one.",
        code="name_taken",
    )


def claim(user: Any) -> None:
    """Take the name of an account that is about to be saved. Of two at once, one gets it. Raises ValidationError."""
    check_name(user.username, user)
    owner, now = None if user._state.adding else user.pk, timezone.now()
    name_claim, made = NameClaim.objects.get_or_create(
        skeleton=usernames.skeleton(user.username), defaults={"user_id": owner, "claimed_at": now}
    )
    if made or (owner is not None and name_claim.user_id == owner):
        return
    left_behind = NameClaim.objects.filter(pk=name_claim.pk, user=None, claimed_at__lt=now - _STALE)
    if not left_behind.update(user_id=owner, claimed_at=now):
        raise _taken(user.username)


def settle_claim(user: Any) -> None:
    """Say whose the claim is, once its account is saved."""
    skeleton = usernames.skeleton(user.username)
    NameClaim.objects.filter(skeleton=skeleton, user=None).update(user_id=user.pk)


def keep_former(user: Any, name: str) -> None:
    """Let the addresses and the sign-in of a name that an account had go on.

    Args:
        user: The account, under its present name.
        name: What it was called before.
    """
    FormerName.objects.update_or_create(name=name, defaults={"user_id": user.pk})
    FormerName.objects.filter(user_id=user.pk, name=user.username).delete()


def renamed_to(name: str) -> str:
    """What the account that had this name is called now; empty where none had it."""
    current_name = FormerName.objects.filter(name=name).values_list("user__username", flat=True).first()
    return current_name or ""


def holder(name: str) -> Any:
    """The account of this name; of a former name only where nobody has it now. None where there is none."""
    accounts = get_user_model().objects
    return accounts.filter(username=name).first() or accounts.filter(former_names__name=name).first()


def site_account() -> Any:
    """The account that owns what this site runs itself. Nobody can sign in with it, or be called so.

    Raises NameTakenError where accounts of a restored dump were not brought under the rules for names.
    """
    services = ServiceAccount.objects.select_related("user").filter(purpose=usernames.SITE)
    if flag := services.first():
        return flag.user
    try:
        with transaction.atomic():
            return name_settling.make_site_account(apps.get_model)
    except IntegrityError as error:
        if flag := services.first():  # another process made it meanwhile
            return flag.user
        raise NameTakenError(
            f"An account is called “{usernames.SITE}” that is not this site's own. Run `manage.py settle_names`: "
            "it gives that account another name."
        ) from error


def is_service(user: Any) -> bool:
    """Whether an account is the site's own and nobody's."""
    return ServiceAccount.objects.filter(user_id=user.pk).exists()
