"""The admin's page *Attention*: incidents by kind, each with the button that repairs it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from evaluation.core.terminal.wording import noun
from leaderboard.accounts import permissions
from leaderboard.accounts.models import Mail
from leaderboard.admin import incidents
from leaderboard.admin.incidents import KINDS, MOST, Kind
from leaderboard.benchmarks.models import Version
from leaderboard.jobs import code, keeper, queues
from leaderboard.runs.benches.models import Bench
from leaderboard.runs.gym.models import GymLoop
from leaderboard.runs.models import Run
from leaderboard.submissions.models import Submission


class AttentionFilter(forms.Form):
    kind = forms.ChoiceField(required=False)
    version = forms.ModelChoiceField(Version.objects.none(), required=False, empty_label="Every version")

    def __init__(self, *args: Any, kinds: list[Kind], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen: Any = self.fields["kind"]
        chosen.choices = [("", "Everything"), *((kind.name, kind.title) for kind in kinds)]
        versions: Any = self.fields["version"]
        versions.queryset = Version.objects.all()


def page(request: HttpRequest) -> HttpResponse:
    kinds = _visible(request)
    form = AttentionFilter(request.GET, kinds=kinds)
    chosen = form.cleaned_data if form.is_valid() else {}
    version = chosen.get("version")
    sections = [
        _section(request, kind, str(version.pk) if version else "")
        for kind in kinds
        if chosen.get("kind") in ("", None, kind.name)
    ]
    context = admin.site.each_context(request) | {
        "title": "Attention",
        "form": form,
        "is_filtered": bool(chosen.get("kind") or version),
        "sections": [section for section in sections if section["count"]],
        "queues": queues.lengths() if kinds else [],
        "idle_workers": code.idle_workers() if kinds else [],
        "periodic_done_at": keeper.done_at(),
        "periodic_is_late": keeper.is_late(),
    }
    return TemplateResponse(request, "admin/attention.html", context)


def _section(request: HttpRequest, kind: Kind, version: str) -> dict[str, object]:
    rows = kind.for_version(version)
    return {
        "kind": kind,
        "count": rows.count(),
        "rows": [kind.read(row) for row in rows[:MOST]],
        "most": MOST,
        "may_act": _may_repeat(request, kind),
    }


@require_POST
def again(request: HttpRequest) -> HttpResponse:
    """Run the action of a kind of incident on one row, or on all rows that the page lists."""
    kind = KINDS.get(request.POST.get("kind", ""))
    if kind is None:
        raise Http404
    if not _may_repeat(request, kind):
        raise PermissionDenied(permissions.refusal(_needed(kind)))
    done = _repeat(request, kind, _rows(kind, request.POST))
    if done and not kind.is_work:
        messages.success(request, f"{done} recorded.")
    elif done:
        leave = noun(
            done,
            "It stays listed here until a worker starts it",
            "They stay listed here until workers start them",
        )
        messages.success(request, f"{done} queued. {leave}.")
    elif not messages.get_messages(request):
        messages.info(request, "Nothing was done: what you chose is no longer an incident.")
    back = request.POST.get("back", "")
    return HttpResponseRedirect(f"{reverse('admin:attention')}{back if back.startswith('?') else ''}")


def _rows(kind: Kind, data: QueryDict) -> list[Any]:
    try:
        rows = kind.for_version(data.get("version", ""))
        return list((rows.filter(pk=data["pk"]) if "pk" in data else rows)[:MOST])
    except (ValueError, ValidationError) as error:  # malformed key
        raise Http404 from error


def _repeat(request: HttpRequest, kind: Kind, rows: list[Any]) -> int:
    done = 0
    for row in rows:
        try:
            kind.again(row, request.user)
            done += 1
        except incidents.NothingToDoError as error:
            messages.error(request, f"{row}: {error}")
    return done


def summary(request: HttpRequest) -> dict[str, object]:
    """Template context of the admin's first page: number of incidents, stuck queues, idle workers."""
    kinds = _visible(request)
    return {
        "attention_count": incidents.count(kinds),
        "may_see_attention": bool(kinds),
        "stuck_queues": [queue.name for queue in queues.lengths() if queue.is_stuck] if kinds else [],
        "periodic_is_late": bool(kinds) and keeper.is_late(),
        "idle_workers": code.idle_workers() if kinds else [],
    }


def _visible(request: HttpRequest) -> list[Kind]:
    return [kind for kind in KINDS.values() if _may_view(request, kind)]


def _may_view(request: HttpRequest, kind: Kind) -> bool:
    if kind.model in (Bench, GymLoop):
        return permissions.may(request.user, permissions.VIEW_RUN)
    meta = kind.model._meta
    return request.user.has_perm(f"{meta.app_label}.view_{meta.model_name}")


#: Permission for the button beside a row: the same as for that act elsewhere.
_REPEAT: dict[type[Model], str] = {
    Submission: permissions.REGRADE_SUBMISSION,
    Run: permissions.RESUME_RUN,
    Bench: permissions.RESUME_RUN,
    GymLoop: permissions.RESUME_RUN,
    Version: permissions.CHANGE_VERSION,
    Mail: "leaderboard.change_mail",  # Django's own: superusers have it
}


def _may_repeat(request: HttpRequest, kind: Kind) -> bool:
    return permissions.may(request.user, _needed(kind))


def _needed(kind: Kind) -> str:
    return permissions.APPROVE_SUBMISSION if kind.name == "approval" else _REPEAT[kind.model]
