"""The log of staff acts: each change of a row that belongs neither to the actor nor to one of the actor's teams.

Signals write the log, for pages, API, admin and commands alike. `QuerySet.update` sends no signals: call `record`
there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model
from django.db.models.signals import m2m_changed, post_delete, post_save, pre_save

from leaderboard.accounts import acting
from leaderboard.accounts.models import Membership, StaffAct

HIDDEN = "(hidden)"


@dataclass(frozen=True, slots=True)
class Watched:
    """Rules for logging the changes to the rows of a model.

    `owner` is the attribute path from a row to the key of the account that owns the row (empty: the site owns all
    rows). `only` are the columns to log (empty: all). `secret` are the columns whose values are left out of the log.
    """

    owner: str = ""
    only: frozenset[str] = frozenset()
    secret: frozenset[str] = frozenset()

    def is_own(self, row: Model | None, account: int | None) -> bool:
        if not self.owner or account is None:
            return False
        owner = attrgetter(self.owner)(row)
        if account in (owner, getattr(row, "user_id", None)):
            return True
        return Membership.objects.filter(user=account, team__account=owner).exists()


#: The log has no personal values, because its lines cannot be deleted when an account is.
_PERSONAL = frozenset({"username", "email", "first_name", "last_name", "password"})
_VERSION = {"benchmark_id", "slug", "title", "description", "licence", "featured", "upload_limit", "status"}
_SUBMISSION = {"visibility", "withdrawn_at", "approval", "approval_reason", "predictions_public"}
#: Models whose rows staff may write, without the columns that workers write.
WATCHED = {
    "auth.User": Watched("pk", secret=_PERSONAL),
    "auth.Group": Watched(),
    "account.EmailAddress": Watched("user_id", secret=_PERSONAL),
    "leaderboard.Benchmark": Watched(),
    "leaderboard.Preset": Watched(),
    "leaderboard.Version": Watched(only=frozenset(_VERSION)),
    "leaderboard.System": Watched("owner_id"),
    "leaderboard.Submission": Watched("submitter_id", only=frozenset(_SUBMISSION)),
    "leaderboard.ConformanceReport": Watched(
        "system.owner_id", only=frozenset({"system_id", "implementation"})
    ),
    "leaderboard.Membership": Watched("team.account_id"),
    "leaderboard.ModelFile": Watched(only=frozenset({"name", "path", "sha256"})),
    "leaderboard.Run": Watched(only=frozenset({"version_id", "executor", "settings"})),
    "leaderboard.Bench": Watched(only=frozenset({"name", "executor", "settings"})),
    "leaderboard.GymLoop": Watched(only=frozenset({"executor", "settings"})),
}


def connect() -> None:
    for label, watched in WATCHED.items():
        model = apps.get_model(label)
        for signal, handler in (
            (pre_save, _before_save),
            (post_save, _after_save),
            (post_delete, _after_delete),
        ):
            signal.connect(
                partial(handler, watched),
                sender=model,
                weak=False,
                dispatch_uid=f"audit {handler.__name__} {label}",
            )
    user, group = apps.get_model("auth.User"), apps.get_model("auth.Group")
    for many in (user.groups, user.user_permissions, group.permissions):
        m2m_changed.connect(_after_giving, sender=many.through, dispatch_uid=f"audit {many.through.__name__}")


def record(
    act: str,
    row: Model | None = None,
    *,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
) -> None:
    """Log an act of the current actor, unless the row is the actor's own. Call it in the transaction of the act.

    Args:
        act: One or two words, such as `withdraw`.
        row: None if the act concerns the site as a whole.
        before: Changed columns with their former values; `after` has their new values.
    """
    actor = acting.current()
    if actor is None or not _is_recorded(actor, row):
        return
    StaffAct.objects.create(
        account=actor.account,
        who=actor.who[:150],
        via=actor.via[:60],
        act=act,
        **_named(row),
        before=_plain(before),
        after=_plain(after),
        request_id=actor.request_id,
    )


def _named(row: Model | None) -> dict[str, str]:
    if row is None:
        return {"kind": "site"}
    watched = WATCHED.get(row._meta.label)
    # The log cannot be deleted when an account is, so it names accounts by key alone.
    name = "" if watched and watched.secret else str(row)[:200]
    return {"kind": str(row._meta.verbose_name), "object_id": str(row.pk), "object_name": name}


def _is_recorded(actor: acting.Acting, row: Model | None) -> bool:
    """True unless the row belongs to the actor. Acts in the admin always count: they can change the owner of a row."""
    watched = WATCHED.get(row._meta.label) if row is not None else None
    return actor.via == "admin" or watched is None or not watched.is_own(row, actor.account)


def _plain(values: Mapping[str, object] | None) -> Any:
    return json.loads(json.dumps(values or {}, cls=DjangoJSONEncoder))


def _columns(watched: Watched, row: Model, written: Any = None) -> list[str]:
    fields = [
        field for field in row._meta.concrete_fields if not field.primary_key and field.name != "last_login"
    ]
    if written is not None:
        fields = [field for field in fields if {field.name, field.attname} & set(written)]
    return [field.attname for field in fields if not watched.only or field.attname in watched.only]


def _shown(watched: Watched, values: Mapping[str, object]) -> dict[str, object]:
    return {name: HIDDEN if name in watched.secret else value for name, value in values.items()}


def _before_save(watched: Watched, instance: Any, raw: bool, update_fields: Any = None, **_: Any) -> None:
    """Read the stored values before a save, so that `_after_save` can log which of them changed."""
    instance._audit_before = None
    actor = acting.current()
    if raw or actor is None or not _is_recorded(actor, instance):
        return
    columns = _columns(watched, instance, update_fields)
    stored = type(instance)._base_manager.filter(pk=instance.pk).values(*columns).first() if columns else None
    instance._audit_before = stored if stored is not None or instance._state.adding else {}


def _after_save(watched: Watched, instance: Any, created: bool, raw: bool, **_: Any) -> None:
    actor = acting.current()
    if raw or actor is None:
        return
    before = instance._audit_before
    if created:
        added = {name: getattr(instance, name) for name in _columns(watched, instance)}
        record("add", instance, after=_shown(watched, added))
    elif before:
        after = {name: getattr(instance, name) for name in before}
        changed = {name: value for name, value in after.items() if value != before[name]}
        if changed:
            former = {name: before[name] for name in changed}
            record("change", instance, before=_shown(watched, former), after=_shown(watched, changed))


def _after_delete(watched: Watched, instance: Any, **_: Any) -> None:
    columns = {name: getattr(instance, name) for name in _columns(watched, instance)}
    record("delete", instance, before=_shown(watched, columns))


def _after_giving(
    sender: Any, instance: Any, action: str, model: Any, pk_set: set[Any] | None, **_: Any
) -> None:
    if action == "pre_clear":
        fields = [each for each in instance._meta.many_to_many if each.remote_field.through is sender]
        names = [str(given) for field in fields for given in getattr(instance, field.name).all()]
    elif action in ("post_add", "post_remove"):
        names = [str(each) for each in model._default_manager.filter(pk__in=pk_set or ())]
    else:
        return
    if names:
        given = {str(model._meta.verbose_name_plural): sorted(names)}
        if action == "post_add":
            record("give", instance, after=given)
        else:
            record("take", instance, before=given)
