"""Systems: what was tested, by whom, and how often."""

from __future__ import annotations

from typing import Annotated, Any

from django.db.models import Exists, OuterRef, Q
from django.http import Http404, HttpRequest
from ninja import Field, Query, Router, Schema

from leaderboard import permissions
from leaderboard.api.access import MAY_SUBMIT
from leaderboard.api.fields import Kind, Link, Name, Slug, Words
from leaderboard.api.openapi import problems
from leaderboard.api.paging import Page, Paging, by_key
from leaderboard.api.problems import ProblemError
from leaderboard.api.schemas import SystemDetail, SystemOut
from leaderboard.models import ConformanceReport, Submission, System
from leaderboard.views.systems import attempts

router = Router(tags=["Systems"])


class SystemFilters(Paging):
    q: Annotated[Words, Field(max_length=80, description="Part of the name.")] = ""
    mine: bool = False


@router.get("", response=Page[SystemOut], summary="List the systems by name")
def list_systems(request: HttpRequest, filters: Query[SystemFilters]) -> Any:
    """Those with a submission that you may read or a conformance report, and your own."""
    found = _visible(request)
    if filters.mine:
        found = found.filter(owner_id=request.user.pk)
    if filters.q:
        found = found.filter(name__icontains=filters.q)
    return by_key(request, found, ["name", "id"], filters, lambda system: shown(request, system))


@router.get("/{owner}/{slug}", response=SystemDetail, summary="A system and its attempts")
def get_system(request: HttpRequest, owner: Name, slug: Slug) -> Any:
    system = _visible(request).filter(owner__username=owner, slug=slug).first()
    if system is None:
        raise Http404
    tried = [
        {
            "version": f"{one['version__benchmark__slug']}/{one['version__slug']}",
            "graded": one["graded"],
            "withdrawn": one["withdrawn"],
        }
        for one in attempts(system, request.user)
    ]
    return shown(request, system) | {"attempts": tried}


class SystemChange(Schema):
    """What is to change; what is left out stays."""

    kind: Kind | None = None
    parameters: Annotated[Words, Field(max_length=30)] | None = None
    quantization: Annotated[Words, Field(max_length=30)] | None = None
    description: Words | None = None
    link: Link | None = None


@router.patch(
    "/{owner}/{slug}",
    response=SystemOut,
    auth=MAY_SUBMIT,
    summary="Change what is told of your system",
    openapi_extra=problems(403, 404),
)
def change_system(request: HttpRequest, owner: Name, slug: Slug, wanted: SystemChange) -> Any:
    """Its name stays: results are cited by it."""
    system = _visible(request).filter(owner__username=owner, slug=slug).first()
    if system is None:
        raise Http404
    if not system.may_be_changed_by(request.user):
        raise ProblemError(
            403, "not-yours", f"This is not your system. {permissions.refusal(permissions.CHANGE_SYSTEM)}"
        )
    given = wanted.model_dump(exclude_none=True)
    for name, value in given.items():
        setattr(system, "url" if name == "link" else name, value)
    system.save(update_fields=["url" if name == "link" else name for name in given])
    return shown(request, system)


def _visible(request: HttpRequest) -> Any:
    readable = Submission.objects.visible_to(request.user).filter(system=OuterRef("pk"))
    reported = ConformanceReport.objects.filter(system=OuterRef("pk"))
    mine = Q(owner_id=request.user.pk)
    return System.objects.select_related("owner").filter(Exists(readable) | Exists(reported) | mine)


def shown(request: HttpRequest, system: System) -> dict[str, Any]:
    """A system as the API shows it."""
    return {
        "owner": system.owner.get_username(),
        "slug": system.slug,
        "name": system.name,
        "kind": system.kind,
        "parameters": system.parameters,
        "quantization": system.quantization,
        "description": system.description,
        "link": system.url,
        "url": request.build_absolute_uri(system.get_absolute_url()),
    }
