"""Teams: accounts for which several people act, each with a role.

A team is an account without a password, so that URLs, quotas, boards and deletion treat it like any other account.
"""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.utils import timezone

from leaderboard.accounts import confirmation
from leaderboard.accounts import services as accounts
from leaderboard.accounts.models import Invitation, Membership, Role, Team, digest

#: Teams that one account may own, and invitations that it may send within a day.
MOST_OWNED, MOST_INVITED = 5, 20
READS = frozenset(Role)
SUBMITS = frozenset({Role.OWNER, Role.SUBMITTER})
OWNS = frozenset({Role.OWNER})


class TeamError(Exception):
    """Raised if an act on a team is refused. The message says why."""


def roles(user: Any) -> dict[int, str]:
    """Map the key of each team's account to the role of the user. Cached on the user object, so for one request."""
    if user.pk is None:
        return {}
    known: dict[int, str] | None = getattr(user, "_team_roles", None)
    if known is None:
        known = dict(Membership.objects.filter(user_id=user.pk).values_list("team__account", "role"))
        user._team_roles = known
    return known


def accounts_of(user: Any, allowed: frozenset[Role] = READS) -> list[int]:
    """Keys of accounts for which the user may act: the user's own, then teams in which the user's role is allowed."""
    own = [] if user.pk is None else [user.pk]
    return own + [account for account, role in roles(user).items() if role in allowed]


def acts_for(user: Any, account: int, allowed: frozenset[Role] = READS) -> bool:
    """True if the account is the user's own, or a team in which the user's role is in `allowed`."""
    return user.pk is not None and (user.pk == account or roles(user).get(account) in allowed)


def people_of(account: Any) -> QuerySet[Any]:
    """Members of a team. If the account is not a team, only the account itself."""
    people = get_user_model().objects.all()
    members = people.filter(memberships__team__account=account)
    return members if Team.objects.filter(account=account).exists() else people.filter(pk=account.pk)


def named(name: str, user: Any, allowed: frozenset[Role] = READS) -> Team:
    """Find a team by name. Raises Http404 if there is none, or if the user's role in it is not in `allowed`."""
    team = get_object_or_404(Team.objects.select_related("account"), account__username=name)
    if not acts_for(user, team.account_id, allowed):
        raise Http404
    return team


@transaction.atomic
def create(name: str, *, by: Any) -> Team:
    """Create a team whose owner is `by`.

    Raises `TeamError` if `by` owns too many teams or has no confirmed address, `ValidationError` for a refused name.
    """
    people = get_user_model()._default_manager
    people.select_for_update(no_key=True).get(pk=by.pk)
    if Membership.objects.filter(user=by, role=Role.OWNER).count() >= MOST_OWNED:
        raise TeamError(f"You own {MOST_OWNED} teams, which is the limit.")
    if not confirmation.is_confirmed(by):
        raise TeamError(
            "Confirm your e-mail address first: boards show the results of a team without a further check."
        )
    account: Any = get_user_model()(username=name, password=make_password(None), is_active=False)
    accounts.claim(account)
    # No signals: the log of staff acts would take the new row for another person's account.
    people.bulk_create([account])
    accounts.settle_claim(account)
    team = Team.objects.create(account=account)
    _join(team, by, Role.OWNER)
    return team


def _join(team: Team, user: Any, role: str) -> None:
    Membership.objects.get_or_create(team=team, user=user, defaults={"role": role})
    if hasattr(user, "_team_roles"):
        del user._team_roles


@transaction.atomic
def invite(team: Team, email: str, role: str, *, by: Any, address: str) -> str:
    """Mail an invitation to a team, replacing an earlier invitation to the same address. Returns its URL.

    `address` is a format string of the absolute URL, with `{token}`. Raises `TeamError` if `by` has sent too many
    invitations within 24 hours.
    """
    get_user_model()._default_manager.select_for_update(no_key=True).get(pk=by.pk)
    Invitation.objects.filter(created_at__lt=timezone.now() - Invitation.LASTS).delete()
    today = Invitation.objects.filter(by=by, created_at__gt=timezone.now() - timedelta(days=1))
    if today.count() >= MOST_INVITED:
        raise TeamError(f"You have sent {MOST_INVITED} invitations within 24 hours, which is the limit.")
    token = secrets.token_urlsafe(32)
    team.invitations.filter(email__iexact=email).update(ended=True)
    Invitation.objects.create(team=team, email=email, role=role, by=by, digest=digest(token))
    link = address.format(token=token)
    told = {
        "team": team,
        "by": by,
        "role": Role(role).label.lower(),
        "link": link,
        "days": Invitation.LASTS.days,
    }
    body = render_to_string("leaderboard/mail/invitation.txt", told | {"site": settings.SITE_NAME})
    send_mail(f"{by.get_username()} invites you to the team {team}", body, None, [email])
    return link


def open_invitations(team: Team) -> QuerySet[Invitation]:
    return team.invitations.filter(ended=False, created_at__gte=timezone.now() - Invitation.LASTS)


def invitation(token: str) -> Invitation:
    """Find the invitation with this token. Raises Http404 if unknown, accepted, withdrawn, replaced or expired."""
    since = timezone.now() - Invitation.LASTS
    sent = Invitation.objects.select_related("team__account", "by").filter(ended=False, created_at__gte=since)
    return get_object_or_404(sent, digest=digest(token))


@transaction.atomic
def accept(token: str, user: Any) -> Team:
    """Add the user to the invitation's team. A member keeps the present role. Raises Http404 as `invitation` does."""
    found = invitation(token)
    if not Invitation.objects.filter(pk=found.pk, ended=False).update(ended=True):
        raise Http404  # accepted meanwhile
    _join(found.team, user, found.role)
    return found.team


@transaction.atomic
def change(team: Team, member: Membership, role: str) -> None:
    """Change a member's role; an empty role removes the member. Raises `TeamError` if no owner would remain."""
    Team.objects.select_for_update().get(pk=team.pk)
    others = team.memberships.filter(role=Role.OWNER).exclude(pk=member.pk)
    if role != Role.OWNER and not others.exists():
        raise TeamError("A team needs an owner. Make another member an owner first, or dissolve the team.")
    if role:
        team.memberships.filter(pk=member.pk).update(role=role)
    else:
        team.memberships.filter(pk=member.pk).delete()


def only_owned(user: Any) -> list[str]:
    """Sorted names of teams whose only owner is this user."""
    mine = Team.objects.filter(memberships__user=user, memberships__role=Role.OWNER)
    owned = Membership.objects.filter(team__in=mine, role=Role.OWNER).exclude(user=user)
    return sorted(mine.exclude(pk__in=owned.values("team")).values_list("account__username", flat=True))
