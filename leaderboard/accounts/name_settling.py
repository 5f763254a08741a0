"""Applies the rules for names to older accounts, in a migration and in `manage.py settle_names`.

An account is renamed `user-<number>` if its name is reserved, looks like the name of an older account, or cannot be
part of a URL. Old URLs and sign-in with the former name still work. The code can be run repeatedly, and works with the
historical models of a migration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX, make_password
from django.db import transaction
from django.utils import timezone

from leaderboard.accounts import usernames

#: `apps.get_model` of the site or of a migration.
GetModel = Callable[[str, str], Any]


@dataclass(frozen=True, slots=True)
class Renamed:
    """A renamed account and the reason, a value of `FormerName.Reason`."""

    pk: int
    before: str
    after: str
    reason: str


@transaction.atomic
def settle(get_model: GetModel) -> list[Renamed]:
    """Claim the names of all accounts, rename accounts whose name breaks a rule, and return the renamed accounts."""
    accounts = get_model("auth", "User").objects
    service = _find_site_account(get_model)
    keeps, loses = _judge(get_model, service)
    renamed = _rename(get_model, keeps, loses)
    claims = get_model("leaderboard", "NameClaim")
    there = set(claims.objects.exclude(user=None).values_list("skeleton", flat=True))
    claims.objects.bulk_create(
        [claims(skeleton=skeleton, user_id=pk) for skeleton, pk in keeps.items() if skeleton not in there],
        batch_size=1000,
        update_conflicts=True,  # a claim may be there without an account
        unique_fields=["skeleton"],
        update_fields=["user"],
    )
    for each in renamed:
        if each.before == usernames.SITE:
            _give_runs_to_site(get_model, accounts.get(pk=each.pk))
    return renamed


def _find_site_account(get_model: GetModel) -> int | None:
    """Key of the site's own account; None if there is none.

    If no ServiceAccount row marks the account, an account named `site` that never had a password, an e-mail address or
    a sign-in is marked as the site's own.
    """
    flags = get_model("leaderboard", "ServiceAccount").objects
    if flag := flags.filter(purpose=usernames.SITE).first():
        return int(flag.user_id)
    named = get_model("auth", "User").objects.filter(username=usernames.SITE)
    unowned = named.filter(password__startswith=UNUSABLE_PASSWORD_PREFIX, email="", last_login=None).first()
    if unowned is None:
        return None
    flags.create(purpose=usernames.SITE, user=unowned)
    named.filter(pk=unowned.pk).update(is_active=False)
    return int(unowned.pk)


def _judge(get_model: GetModel, service: int | None) -> tuple[dict[str, int], list[tuple[Any, str]]]:
    """Decide which accounts keep their names and which accounts are renamed.

    Returns the kept names as skeleton (normalized look) -> key of the account, and the accounts to rename as (account,
    reason). Of names that look alike, the site's own account keeps its name, else superusers, staff, the oldest
    account.
    """
    claims = get_model("leaderboard", "NameClaim").objects.exclude(user=None)
    keeps: dict[str, int] = dict(claims.values_list("skeleton", "user_id"))
    loses = []
    people = get_model("auth", "User").objects.order_by("-is_superuser", "-is_staff", "date_joined", "pk")
    for user in sorted(people.iterator(), key=lambda each: each.pk != service):
        skeleton = usernames.skeleton(user.username)
        if reason := "" if user.pk == service else _reason(user, skeleton):
            loses.append((user, reason))
        elif keeps.setdefault(skeleton, user.pk) != user.pk:
            loses.append((user, "alike"))
    return keeps, loses


def _reason(user: Any, skeleton: str) -> str:
    """Why the name of an account breaks the rules, regardless of other accounts; empty if it is valid."""
    if not skeleton:
        return "address"
    trusted = (user.is_staff or user.is_superuser) and skeleton != usernames.skeleton(usernames.SITE)
    return "reserved" if usernames.is_reserved(user.username) and not trusted else ""


def _rename(get_model: GetModel, keeps: dict[str, int], loses: list[tuple[Any, str]]) -> list[Renamed]:
    """Rename the accounts in `loses` and return them. Stores their former names; adds their new names to `keeps`."""
    accounts, formers = get_model("auth", "User").objects, get_model("leaderboard", "FormerName").objects
    renamed = []
    for user, reason in loses:
        name = _free_name(user.pk, keeps)
        keeps[usernames.skeleton(name)] = user.pk
        accounts.filter(pk=user.pk).update(username=name)
        formers.update_or_create(name=user.username, defaults={"user_id": user.pk, "reason": reason})
        renamed.append(Renamed(user.pk, user.username, name, reason))
    return renamed


def _free_name(pk: int, keeps: dict[str, int]) -> str:
    names = (f"user-{pk}", *(f"user-{pk}-{number}" for number in range(2, 1000)))
    return next(name for name in names if keeps.get(usernames.skeleton(name), pk) == pk)


def _give_runs_to_site(get_model: GetModel, person: Any) -> None:
    """Move the site's runs from a person's account called `site` to the site's own account."""
    runs = get_model("leaderboard", "Run").objects.filter(started_by=person)
    made = get_model("leaderboard", "Submission").objects.filter(submitter=person, source="run")
    systems = set(runs.values_list("system_id", flat=True)) | set(made.values_list("system_id", flat=True))
    if not systems:
        return
    site = make_site_account(get_model)
    for system in get_model("leaderboard", "System").objects.filter(pk__in=systems, owner=person):
        _give_system_to_site(get_model, system, site)
    get_model("leaderboard", "RunEvent").objects.filter(run__in=runs, actor=person).update(actor=site)
    get_model("leaderboard", "Event").objects.filter(submission__in=made, actor=person).update(actor=site)
    made.update(submitter=site)
    runs.update(started_by=site)


def make_site_account(get_model: GetModel) -> Any:
    """Create the account that owns the site's runs, without a usable password."""
    account = get_model("auth", "User")(
        username=usernames.SITE, password=make_password(None), is_active=False, date_joined=timezone.now()
    )
    get_model("auth", "User").objects.bulk_create([account])  # save() would refuse the reserved name
    get_model("leaderboard", "ServiceAccount").objects.create(purpose=usernames.SITE, user=account)
    get_model("leaderboard", "NameClaim").objects.update_or_create(
        skeleton=usernames.skeleton(usernames.SITE), defaults={"user": account}
    )
    return account


def _give_system_to_site(get_model: GetModel, system: Any, site: Any) -> None:
    """Give a system to the site. If users uploaded results of it, give the site a copy with the site's own results."""
    made = get_model("leaderboard", "Submission").objects.filter(system=system)
    reports = get_model("leaderboard", "ConformanceReport").objects.filter(system=system)
    if not made.exclude(source="run").exists() and not reports.filter(verified=False).exists():
        system.owner = site
        system.save(update_fields=["owner"])
        return
    names = ("name", "slug", "kind", "quantization", "parameters", "description")
    facts = {name: getattr(system, name) for name in names}
    own = get_model("leaderboard", "System").objects.create(owner=site, **facts)
    get_model("leaderboard", "Run").objects.filter(system=system).update(system=own)
    made.filter(source="run").update(system=own)
    reports.filter(verified=True).update(system=own)
    for each in (system, own):
        _show_entry(get_model, each)


def _show_entry(get_model: GetModel, system: Any) -> None:
    """On boards that show no submission of a system, show its newest declared entry, else its oldest submission."""
    made = get_model("leaderboard", "Submission").objects.filter(system=system)
    shown = made.filter(shown=True).values("version")
    eligible = made.filter(visibility="public", score__isnull=False, withdrawn_at=None, run__row_limit=None)
    if any(field.name == "mean" for field in made.model._meta.fields):  # boards never show a single repeat
        eligible = eligible.filter(mean=None)
    versions = get_model("leaderboard", "Version").objects.filter(pk__in=eligible.values("version"))
    knows_declared = any(
        field.name == "declared" for field in made.model._meta.fields
    )  # not in an old migration
    for version in versions.exclude(pk__in=shown):
        of_version = eligible.filter(version=version)
        declared = of_version.filter(declared=True) if knows_declared else of_version.none()
        entry = declared.order_by("-created_at").first() or of_version.order_by("created_at").first()
        made.filter(pk=entry.pk).update(shown=True)
