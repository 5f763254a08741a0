"""Names of accounts (checked, claimed, former), and the site's own account.

`sign_in` calls `claim` and `keep_former` on every save of an account.
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

#: An account is saved within milliseconds of its claim. An older claim without an account is from a dead process.
_STALE = timedelta(minutes=1)


class NameTakenError(Exception):
    """Raised if the site's own account cannot be created. The message says what to do."""


def check_name(name: str, user: Any = None) -> None:
    """Raise `ValidationError` if a name is invalid, reserved or taken. `user` is the account, None if it is new."""
    trusted = user is not None and (user.is_staff or user.is_superuser)
    if text := usernames.problem(name, trusted=trusted):
        raise ValidationError(text, code="name_refused")
    if _is_taken(name, getattr(user, "pk", None)):
        raise _taken(name)


def _is_taken(name: str, own: int | None) -> bool:
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
    """Claim the name of an account before it is saved.

    Raises `ValidationError` if the name is refused or taken. If two accounts claim a name at once, one claim fails.
    """
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
    """Link the name's claim to the account, once the account is saved."""
    skeleton = usernames.skeleton(user.username)
    NameClaim.objects.filter(skeleton=skeleton, user=None).update(user_id=user.pk)


def keep_former(user: Any, name: str) -> None:
    """Store a former name of an account, so that old URLs and sign-in with it still work."""
    FormerName.objects.update_or_create(name=name, defaults={"user_id": user.pk})
    FormerName.objects.filter(user_id=user.pk, name=user.username).delete()


def renamed_to(name: str) -> str:
    """The current name of the account that formerly had this name; empty if no account had it."""
    current_name = FormerName.objects.filter(name=name).values_list("user__username", flat=True).first()
    return current_name or ""


def holder(name: str) -> Any:
    """The account with this name, else the account that formerly had this name. Returns None if there is neither."""
    accounts = get_user_model().objects
    return accounts.filter(username=name).first() or accounts.filter(former_names__name=name).first()


def site_account() -> Any:
    """The account that owns the site's own runs, created if missing. No person can sign in with it.

    Raises `NameTakenError` if a person has the account named `site`, as may happen in a restored database.
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
            f"The account “{usernames.SITE}” is not this site's own. Run `manage.py settle_names`, which renames that "
            "account."
        ) from error


def is_service(user: Any) -> bool:
    return ServiceAccount.objects.filter(user_id=user.pk).exists()
